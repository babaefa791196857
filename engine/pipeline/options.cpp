#include "engine/profile/options.h"

#include "engine/base/json_error.h"
#include "engine/base/json_integer.h"
#include "engine/pipeline/evaluate.h"

#include <fmt/format.h>

namespace kw::pipeline {

Json to_json(const Options& options) {
    Json stages = Json::array({"compile"});
    if (options.stages.audit) stages.push_back("audit");
    if (options.stages.verify) stages.push_back("verify");
    if (options.stages.bench) stages.push_back("bench");
    if (options.stages.profile) stages.push_back("profile");
    Json json{{"candidate", options.candidate},
              {"device", options.device},
              {"stages", std::move(stages)},
              {"flush_l2", options.flush_l2},
              {"compile_timeout_s", options.compile_timeout_s},
              {"verify_timeout_s", options.verify_timeout_s},
              {"bench_timeout_s", options.bench_timeout_s},
              {"profile_timeout_s", options.profile_timeout_s},
              {"memory_limit_bytes", options.memory_limit_bytes}};
    json["profiling"] = profile::to_json(options.profiling);
    json["configuration"] = sizes_to_json(options.configuration);
    if (options.seed) json["seed"] = *options.seed;
    if (!options.sanitize.empty()) json["sanitize"] = options.sanitize;
    if (options.shuffle_schedule) json["shuffle_schedule"] = *options.shuffle_schedule;
    return json;
}

Result<Options> options_from_json(const Json& json) {
    try {
        Options options;
        options.candidate = json.value("candidate", options.candidate);
        options.device = json.value("device", options.device);
        options.flush_l2 = json.value("flush_l2", options.flush_l2);
        options.compile_timeout_s = json.value("compile_timeout_s", options.compile_timeout_s);
        options.verify_timeout_s = json.value("verify_timeout_s", options.verify_timeout_s);
        options.bench_timeout_s = json.value("bench_timeout_s", options.bench_timeout_s);
        options.profile_timeout_s = json.value("profile_timeout_s", options.profile_timeout_s);
        for (const double seconds :
             {options.compile_timeout_s, options.verify_timeout_s, options.bench_timeout_s, options.profile_timeout_s})
            if (!(seconds > 0 && seconds <= kLongestTimeoutSeconds))
                return fail(Stage::usage, ErrorCode::invalid_input,
                            fmt::format("a timeout is above 0 and at most {:.0f} seconds; {} is not",
                                        kLongestTimeoutSeconds, seconds));
        if (json.contains("memory_limit_bytes"))
            options.memory_limit_bytes = integer_from_json<std::uint64_t>(json.at("memory_limit_bytes"));
        if (json.contains("configuration")) options.configuration = sizes_from_json(json.at("configuration"));
        if (json.contains("profiling")) {
            auto profiling = profile::options_from_json(json.at("profiling"));
            if (!profiling) return std::unexpected(profiling.error());
            options.profiling = std::move(*profiling);
        }
        options.profiling.flush_l2 = options.flush_l2;
        if (json.contains("seed")) options.seed = integer_from_json<std::uint64_t>(json.at("seed"));
        options.sanitize = json.value("sanitize", options.sanitize);
        if (!options.sanitize.empty()) {
            if (const auto checks = device::checks_from(options.sanitize); !checks)
                return fail(Stage::usage, ErrorCode::invalid_input, checks.error().message);
        }
        if (json.contains("shuffle_schedule"))
            options.shuffle_schedule = integer_from_json<std::uint64_t>(json.at("shuffle_schedule"));
        if (json.contains("stages")) {
            std::string list = "compile";
            for (const auto& stage : json.at("stages")) list += "," + stage.get<std::string>();
            auto stages = parse_stages(list);
            if (!stages) return std::unexpected(stages.error());
            options.stages = *stages;
        }
        return options;
    } catch (const std::exception& error) {
        return fail(Stage::usage, ErrorCode::invalid_input, fmt::format("malformed options: {}", what_is_wrong(error)));
    }
}

} // namespace kw::pipeline
