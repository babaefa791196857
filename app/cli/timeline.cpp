#include "app/cli/timeline.h"

#include "engine/report/commands.h"
#include "engine/report/text.h"
#include "engine/timeline/open.h"
#include "engine/timeline/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace kw::cli {
namespace {

std::string duration(timeline::Ns ns) { return report::duration(static_cast<double>(ns) / 1e3); }

std::string share(timeline::Ns part, timeline::Ns whole) {
    return fmt::format("{:.1f} %", whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string label_of(const timeline::Store& store, std::uint32_t lane) {
    const auto& of = store.lanes()[lane];
    return fmt::format("{} / {}", store.groups()[of.group].label, of.label);
}

timeline::Statistics statistics_of(const timeline::Store& store) {
    std::vector<std::uint32_t> lanes(store.lanes().size());
    for (std::uint32_t i = 0; i < lanes.size(); ++i) lanes[i] = i;
    return timeline::statistics(store, lanes, 0, store.end() + 1).value();
}

/// A name of thousands of characters would make a table unreadable.
std::string shortened(std::string_view name) {
    constexpr std::size_t kShown = 72;
    std::string text = report::printable(name);
    if (text.size() <= kShown) return text;
    auto end = kShown - 1;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) --end; // not within a character
    return text.substr(0, end) + "…";
}

} // namespace

CLI::App* add_timeline(CLI::App& app, TimelineArguments& arguments) {
    auto* command =
        app.add_subcommand("timeline", "Say what a trace holds: its lanes, how busy each was, and what took "
                                       "the time");
    command
        ->add_option("FILE", arguments.trace,
                     "Chrome or Kineto trace (.json, .json.gz), or an SQLite export of Nsight Systems")
        ->required();
    command->add_option("--top", arguments.top, "How many names to show at most (default: 15)")
        ->type_name("N")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}));
    command->add_flag("--json", arguments.json, "Print JSON");
    return command;
}

std::string timeline_text(const timeline::Store& store, std::size_t top) {
    const auto statistics = statistics_of(store);
    const auto counted = [](std::uint64_t count, std::string_view what) {
        return fmt::format("{} {}{}", report::count(count), what, count == 1 ? "" : "s");
    };
    std::string text =
        fmt::format("{} on {} and {} over {}\n", counted(store.size(), "event"), counted(store.lanes().size(), "lane"),
                    counted(store.counters().size(), "counter"), duration(store.end()));
    report::Table lanes{{1, 2, 3}};
    for (const auto& lane : statistics.lanes)
        lanes.add({shortened(label_of(store, lane.lane)), report::count(lane.count), duration(lane.busy),
                   share(lane.busy, store.end())});
    if (!lanes.empty()) text += "\nlanes: events, busy, of the time\n" + lanes.render("  ");
    report::Table names{{1, 2, 3, 4}};
    for (std::size_t i = 0; i < std::min(top, statistics.names.size()); ++i) {
        const auto& name = statistics.names[i];
        names.add({shortened(store.names()[name.name]), report::count(name.count), duration(name.total),
                   duration(name.total / static_cast<timeline::Ns>(name.count)), duration(name.most)});
    }
    if (!names.empty()) text += "\nmost time: count, total, mean, longest\n" + names.render("  ");
    if (statistics.names.size() > top)
        text += fmt::format("  and {} other names; --top N shows more\n", statistics.names.size() - top);
    report::Table counters{{1, 2}};
    for (const auto& counter : store.counters())
        for (const auto& series : counter.series) {
            const auto number = [&](double value) {
                return report::number(value) + (counter.unit.empty() ? "" : " " + counter.unit);
            };
            counters.add({shortened(fmt::format("{} / {}", store.groups()[counter.group].label, series.label)),
                          number(series.least), number(series.most)});
        }
    if (!counters.empty()) text += "\ncounters: least, most\n" + counters.render("  ");
    return text;
}

Json timeline_json(const timeline::Store& store) {
    const auto statistics = statistics_of(store);
    Json json{{"events", store.size()}, {"span_ns", store.end()}};
    if (store.epoch()) json["start_ns_since_1970"] = *store.epoch();
    json["lanes"] = Json::array();
    for (const auto& lane : statistics.lanes)
        json["lanes"].push_back(
            {{"group", store.groups()[store.lanes()[lane.lane].group].label},
             {"lane", store.lanes()[lane.lane].label},
             {"events", lane.count},
             {"busy_ns", lane.busy},
             {"busy_share",
              store.end() > 0 ? static_cast<double>(lane.busy) / static_cast<double>(store.end()) : 0.0}});
    json["names"] = Json::array();
    for (const auto& name : statistics.names)
        json["names"].push_back({{"name", store.names()[name.name]},
                                 {"count", name.count},
                                 {"total_ns", name.total},
                                 {"least_ns", name.least},
                                 {"most_ns", name.most}});
    json["counters"] = Json::array();
    for (const auto& counter : store.counters())
        for (const auto& series : counter.series)
            json["counters"].push_back({{"group", store.groups()[counter.group].label},
                                        {"counter", counter.label},
                                        {"series", series.label},
                                        {"unit", counter.unit},
                                        {"samples", series.times.size()},
                                        {"least", series.least},
                                        {"most", series.most}});
    json["warnings"] = std::vector<std::string>(store.warnings().begin(), store.warnings().end());
    return json;
}

int timeline_command(const TimelineArguments& arguments, std::stop_token stop) {
    const auto store = timeline::open_trace(arguments.trace, std::move(stop));
    if (!store) return report::report_error(store.error());
    const auto text = arguments.json ? timeline_json(**store).dump(2, ' ', false, Json::error_handler_t::replace) + '\n'
                                     : timeline_text(**store, arguments.top);
    if (const auto shown = report::print(text); !shown) return report::report_error(shown.error());
    // What could be read is there; what could not is said.
    if (!arguments.json)
        for (const auto& warning : (*store)->warnings())
            report::say(fmt::format("kw: warning: {}\n", report::printable(warning)));
    return 0;
}

} // namespace kw::cli
