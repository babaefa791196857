#include "engine/pipeline/evaluation.h"

#include "engine/base/json_error.h"
#include "engine/base/json_integer.h"

#include <fmt/format.h>

#include <utility>

namespace kw::pipeline {
Json sizes_to_json(const task::Sizes& sizes) {
    Json json = Json::object();
    for (const auto& [name, value] : sizes) json[name] = value;
    return json;
}

task::Sizes sizes_from_json(const Json& json) {
    task::Sizes sizes;
    if (!json.is_object())
        throw Json::type_error::create(302, fmt::format("type must be object, but is {}", json.type_name()), &json);
    for (const auto& [name, value] : json.items()) sizes[name] = integer_from_json<std::int64_t>(value);
    return sizes;
}

namespace {

Json to_json(const Check& check) {
    Json json{{"sizes", sizes_to_json(check.sizes)}, {"seed", check.seed}, {"tensor", check.tensor}, {"ok", check.ok}};
    if (!check.problem.empty()) json["problem"] = check.problem;
    json.update(verify::to_json(check.comparison));
    return json;
}

Check check_from_json(const Json& json) {
    return {.sizes = sizes_from_json(json.at("sizes")),
            .seed = json.at("seed").get<std::uint64_t>(),
            .tensor = json.at("tensor").get<std::string>(),
            .ok = json.at("ok").get<bool>(),
            .problem = json.value("problem", ""),
            .comparison = verify::comparison_from_json(json)};
}

} // namespace

CompileReport compile_report_from_json(const Json& json) {
    CompileReport report{
        .ok = json.at("ok").get<bool>(), .milliseconds = json.value("ms", 0.0), .diagnostics = {}, .kernels = {}};
    for (const auto& item : json.at("diagnostics")) report.diagnostics.push_back(compile::diagnostic_from_json(item));
    for (const auto& item : json.at("kernels")) report.kernels.push_back(compile::kernel_from_json(item));
    return report;
}

Json to_json(const CompileReport& report) {
    Json json{{"ok", report.ok}, {"ms", report.milliseconds}};
    auto& diagnostics = json["diagnostics"] = Json::array();
    for (const auto& diagnostic : report.diagnostics) diagnostics.push_back(compile::to_json(diagnostic));
    auto& kernels = json["kernels"] = Json::array();
    for (const auto& kernel : report.kernels) kernels.push_back(compile::to_json(kernel));
    return json;
}

Json to_json(const VerifyReport& report) {
    Json json{{"ok", report.ok}, {"seed", report.seed}, {"ms", report.milliseconds}};
    if (!report.because.empty()) json["because"] = report.because;
    if (report.fault) json["fault"] = device::to_json(*report.fault);
    if (!report.output.empty()) json["output"] = report.output;
    auto& checks = json["checks"] = Json::array();
    for (const auto& check : report.checks) checks.push_back(to_json(check));
    return json;
}

VerifyReport verify_report_from_json(const Json& json) {
    VerifyReport report;
    report.ok = json.at("ok").get<bool>();
    report.milliseconds = json.value("ms", 0.0);
    report.seed = json.value("seed", std::uint64_t{0});
    report.because = json.value("because", "");
    report.output = json.value("output", "");
    if (json.contains("fault")) report.fault = device::fault_from_json(json.at("fault"));
    for (const auto& item : json.at("checks")) report.checks.push_back(check_from_json(item));
    return report;
}

Json to_json(const BenchReport& report) {
    Json json{{"estimated", report.estimated}, {"sampled", report.sampled}, {"sizes", sizes_to_json(report.sizes)}};
    json.update(bench::to_json(report.time));
    json["median_ci"] = bench::to_json(report.median_ci);
    json["cold"] = report.cold;
    json["ms"] = report.milliseconds;
    if (!report.estimated) json["discarded"] = report.discarded;
    if (report.read_bytes >= 0) json["read_bytes"] = report.read_bytes;
    if (report.written_bytes >= 0) json["written_bytes"] = report.written_bytes;
    if (report.clock_mhz > 0) json["clock_mhz"] = report.clock_mhz;
    if (!report.clock_note.empty()) json["clock_note"] = report.clock_note;
    if (!report.problem.empty()) json["problem"] = report.problem;
    if (report.wrong) json["wrong"] = true;
    if (report.fault) json["fault"] = device::to_json(*report.fault);
    if (!report.baselines.empty()) json["ratio_ci"] = bench::to_json(report.baselines.front().ratio_ci);
    if (!report.limited_by.empty()) json["limited_by"] = report.limited_by;
    auto& baselines = json["baselines"] = Json::array();
    for (const auto& baseline : report.baselines) {
        Json item{{"name", baseline.name}};
        item.update(bench::to_json(baseline.time));
        item["ratio"] = baseline.ratio;
        item["ratio_ci"] = bench::to_json(baseline.ratio_ci);
        if (!baseline.problem.empty()) item["problem"] = baseline.problem;
        baselines.push_back(std::move(item));
    }
    return json;
}

BenchReport bench_report_from_json(const Json& json) {
    BenchReport report;
    report.estimated = json.at("estimated").get<bool>();
    report.sampled = json.value("sampled", false);
    report.cold = json.value("cold", true);
    report.sizes = sizes_from_json(json.at("sizes"));
    report.time = bench::summary_from_json(json);
    if (json.contains("median_ci")) report.median_ci = bench::interval_from_json(json.at("median_ci"));
    report.problem = json.value("problem", "");
    report.wrong = json.value("wrong", false);
    if (json.contains("fault")) report.fault = device::fault_from_json(json.at("fault"));
    report.milliseconds = json.value("ms", 0.0);
    report.discarded = json.value("discarded", std::size_t{0});
    report.read_bytes = json.value("read_bytes", -1.0);
    report.written_bytes = json.value("written_bytes", -1.0);
    report.clock_mhz = json.value("clock_mhz", 0.0);
    report.clock_note = json.value("clock_note", "");
    if (json.contains("limited_by")) report.limited_by = json.at("limited_by").get<std::vector<std::string>>();
    for (const auto& item : json.at("baselines"))
        report.baselines.push_back({.name = item.at("name").get<std::string>(),
                                    .time = bench::summary_from_json(item),
                                    .ratio = item.value("ratio", 0.0),
                                    .ratio_ci = bench::interval_from_json(item.at("ratio_ci")),
                                    .problem = item.value("problem", "")});
    return report;
}

Result<Stages> parse_stages(std::string_view list) {
    Stages stages{.verify = false, .bench = false, .profile = false, .audit = false};
    while (true) {
        const auto comma = list.find(',');
        const auto name = list.substr(0, comma);
        if (name == "verify")
            stages.verify = true;
        else if (name == "bench")
            stages.bench = stages.audit = true;
        else if (name == "audit")
            stages.audit = true;
        else if (name == "profile")
            stages.profile = true;
        else if (name == "reward")
            stages.audit = stages.verify = stages.bench = true;
        else if (name != "compile")
            return fail(
                Stage::usage, ErrorCode::invalid_input,
                fmt::format("unknown stage '{}'; stages are compile, audit, verify, bench, profile and reward", name));
        if (comma == std::string_view::npos) return stages;
        list.remove_prefix(comma + 1);
    }
}

bool Evaluation::ok() const {
    return compile.ok && !audit::refusal(audit) && (!verify || verify->ok) && (!bench || !bench->wrong);
}

Json to_json(const Evaluation& evaluation) {
    Json json{{"task", evaluation.task},
              {"candidate", evaluation.candidate},
              {"source_sha256", evaluation.source_sha256},
              {"configuration", sizes_to_json(evaluation.configuration)},
              {"device", device::to_json(evaluation.device)},
              {"compile", to_json(evaluation.compile)}};
    json["audit"] = audit::to_json(evaluation.audit);
    if (evaluation.verify) json["verify"] = to_json(*evaluation.verify);
    if (evaluation.bench) json["bench"] = to_json(*evaluation.bench);
    if (evaluation.profile) json["profile"] = *evaluation.profile;
    if (evaluation.reward) json["reward"] = reward::to_json(*evaluation.reward);
    if (evaluation.recovery) {
        json["recovery"] = Json{{"ms", evaluation.recovery->milliseconds}};
        if (!evaluation.recovery->problem.empty()) json["recovery"]["problem"] = evaluation.recovery->problem;
    }
    return json;
}

Result<Evaluation> evaluation_from_json(const Json& json) {
    try {
        Evaluation evaluation;
        evaluation.task = json.at("task").get<std::string>();
        evaluation.candidate = json.at("candidate").get<std::string>();
        evaluation.source_sha256 = json.at("source_sha256").get<std::string>();
        evaluation.configuration = sizes_from_json(json.at("configuration"));
        evaluation.device = device::info_from_json(json.at("device"));
        evaluation.compile = compile_report_from_json(json.at("compile"));
        evaluation.audit = audit::findings_from_json(json.at("audit"));
        if (json.contains("verify")) evaluation.verify = verify_report_from_json(json.at("verify"));
        if (json.contains("bench")) evaluation.bench = bench_report_from_json(json.at("bench"));
        if (json.contains("profile")) evaluation.profile = json.at("profile");
        if (json.contains("reward")) evaluation.reward = reward::reward_from_json(json.at("reward"));
        if (json.contains("recovery"))
            evaluation.recovery = Recovery{.milliseconds = json.at("recovery").value("ms", 0.0),
                                           .problem = json.at("recovery").value("problem", "")};
        return evaluation;
    } catch (const std::exception& error) {
        return fail(Stage::rpc, ErrorCode::invalid_input, fmt::format("not an evaluation: {}", what_is_wrong(error)));
    }
}

} // namespace kw::pipeline
