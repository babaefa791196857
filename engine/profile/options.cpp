#include "engine/profile/options.h"

#include "engine/base/suggest.h"
#include "engine/profile/report_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace kw::profile {

Json to_json(const Options& options) {
    Json json{{"rungs", Json::array()},     {"set", options.set},
              {"metrics", options.metrics}, {"sampling_interval_ns", options.sampling_interval_ns},
              {"seconds", options.seconds}, {"max_activities", options.max_activities}};
    for (const auto rung : options.rungs) json["rungs"].push_back(to_string(rung));
    return json;
}

Result<std::vector<Rung>> parse_rungs(std::string_view list) {
    std::vector<Rung> asked;
    for (bool more = true; more;) {
        const auto comma = list.find(',');
        const auto name = list.substr(0, comma);
        const auto rung = rung_from(name);
        if (!rung) {
            std::vector<std::string> known;
            for (const auto each : kRungs) known.emplace_back(to_string(each));
            return fail(
                Stage::usage, ErrorCode::invalid_input,
                fmt::format("there is no rung '{}'{}; there are {}", name, did_you_mean(name, known), list_of(known)));
        }
        asked.push_back(*rung);
        more = comma != std::string_view::npos;
        list.remove_prefix(more ? comma + 1 : list.size());
    }
    std::vector<Rung> rungs;
    for (const auto each : kRungs)
        if (std::ranges::find(asked, each) != asked.end()) rungs.push_back(each);
    return rungs;
}

Result<Options> options_from_json(const Json& json) {
    auto read = read_json<std::pair<Options, std::string>>("profile's options", json, [](const JsonReader& reader) {
        Options options;
        std::string rungs;
        if (reader.has("rungs"))
            reader.each("rungs", [&](const JsonReader& item) {
                std::string name;
                item.get(name);
                rungs += (rungs.empty() ? "" : ",") + name;
            });
        reader.optional("set", options.set);
        if (reader.has("metrics"))
            reader.each("metrics", [&](const JsonReader& item) { item.get(options.metrics.emplace_back()); });
        reader.optional("sampling_interval_ns", options.sampling_interval_ns);
        reader.optional("seconds", options.seconds);
        reader.optional("max_activities", options.max_activities);
        constexpr double kLongest = 3600;
        reader.need(options.seconds >= 0 && options.seconds <= kLongest, "a set of options with 0 to 3600 seconds");
        return std::pair{std::move(options), std::move(rungs)};
    });
    if (!read) {
        read.error().stage = Stage::usage;
        return std::unexpected(std::move(read.error()));
    }
    auto& [options, rungs] = *read;
    if (rungs.empty()) return std::move(options);
    auto parsed = parse_rungs(rungs);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    options.rungs = std::move(*parsed);
    return std::move(options);
}

} // namespace kw::profile
