#include "engine/audit/judge.h"

#include "engine/base/json_integer.h"

#include <fmt/format.h>

#include <algorithm>

namespace kw::audit {
namespace {

/// What is smaller than this in all says nothing: it may be written by one block of many that were left out.
constexpr double kFewestBytes = 1 << 20;
/// Of what must move; an estimate from some of the blocks can be off by so much.
constexpr double kLeastCounted = 0.4;
/// A measured time may lie so far below the data sheet's: clocks of memory differ from board to board.
constexpr double kMargin = 0.9;
/// Operations are counted in PTX, of which the assembler may yet leave some out, and on some of the blocks.
constexpr double kOperationMargin = 0.7;

std::string megabytes(double bytes) {
    return bytes < 1e6 ? fmt::format("{:.1f} kB", bytes / 1e3) : fmt::format("{:.1f} MB", bytes / 1e6);
}

Finding refused(std::string_view rule, std::string evidence, std::string why) {
    return {.rule = std::string(rule),
            .severity = Severity::refuse,
            .where = {},
            .evidence = std::move(evidence),
            .why = std::move(why)};
}

/// Whether the finding is about this variable, which its evidence begins with.
bool is_about(const Finding& finding, const Carried& carried) {
    return finding.evidence.starts_with(carried.variable + " ");
}

} // namespace

Json to_json(const Probe& probe) {
    Json json{{"ran", probe.ran}, {"ms", probe.milliseconds}};
    if (!probe.ran) json["why_not"] = probe.why_not;
    auto& sizes = json["sizes"] = Json::object();
    for (const auto& [name, value] : probe.sizes) sizes[name] = value;
    json["findings"] = to_json(probe.findings).at("findings");
    auto& operations = json["operations"] = Json::array();
    for (const auto& each : probe.operations) operations.push_back({{"pipe", each.pipe}, {"count", each.count}});
    auto& carried = json["carried"] = Json::array();
    for (const auto& each : probe.carried)
        carried.push_back({{"variable", each.variable}, {"file", each.where.file}, {"line", each.where.line}});
    auto& inputs = json["inputs"] = Json::array();
    for (const auto& use : probe.inputs)
        inputs.push_back({{"tensor", use.tensor}, {"fraction", use.fraction}, {"chosen", use.chosen}});
    auto& errors = json["errors"] = Json::array();
    for (const auto& error : probe.errors)
        errors.push_back({{"tensor", error.tensor}, {"relative", error.relative}, {"limit", error.limit}});
    return json;
}

Probe probe_from_json(const Json& json) {
    Probe probe;
    probe.ran = json.at("ran").get<bool>();
    probe.why_not = json.value("why_not", "");
    probe.milliseconds = json.value("ms", 0.0);
    for (const auto& [name, value] : json.at("sizes").items())
        probe.sizes[name] = integer_from_json<std::int64_t>(value);
    probe.findings = findings_from_json(json);
    for (const auto& item : json.at("operations"))
        probe.operations.push_back({item.at("pipe").get<std::string>(), item.at("count").get<double>()});
    for (const auto& item : json.at("carried"))
        probe.carried.push_back(
            {item.at("variable").get<std::string>(), {item.value("file", ""), item.value("line", 0), 0}});
    for (const auto& item : json.at("inputs"))
        probe.inputs.push_back(
            {item.at("tensor").get<std::string>(), item.at("fraction").get<double>(), item.at("chosen").get<bool>()});
    for (const auto& item : json.at("errors"))
        probe.errors.push_back({item.at("tensor").get<std::string>(),
                                item.at("relative").is_number() ? item.at("relative").get<double>() : 0.0,
                                item.at("limit").get<double>()});
    return probe;
}

void weigh(std::vector<Finding>& findings, const Probe& probe) {
    if (!probe.ran) {
        findings.push_back({.rule = "not-probed",
                            .severity = Severity::note,
                            .where = {},
                            .evidence = probe.why_not,
                            .why = fmt::format("what only runs can show was not looked for: {}", probe.why_not)});
        tidy(findings);
        return;
    }
    const auto worst =
        std::ranges::max_element(probe.errors, {}, [](const OutputError& each) { return each.relative / each.limit; });
    const bool is_far = worst != probe.errors.end() && worst->relative >= worst->limit;
    bool rounds = false;
    for (auto& finding : findings) {
        if (finding.rule == "device-state") {
            const auto carried =
                std::ranges::find_if(probe.carried, [&](const Carried& each) { return is_about(finding, each); });
            if (carried == probe.carried.end()) {
                finding.severity = Severity::note;
                finding.why = "no run takes up what an earlier one has left in this device variable";
            } else {
                finding.severity = Severity::refuse;
                if (!carried->where.file.empty()) finding.where = {carried->where.file, carried->where.line, 0};
                finding.evidence += "; a second run read what the first had left";
            }
        }
        if (finding.rule != "narrow-precision") continue;
        rounds = true;
        if (!is_far) continue;
        finding.severity = Severity::refuse;
        finding.evidence +=
            fmt::format("; the error of {} is {:.1e} of its values, where all bits of its type leave less than {:.0e}",
                        worst->tensor, worst->relative, worst->limit);
    }
    if (!rounds && is_far)
        findings.push_back(
            {.rule = "narrow-precision",
             .severity = Severity::suspicious,
             .where = {},
             .evidence = fmt::format("the error of {} is {:.1e} of its values", worst->tensor, worst->relative),
             .why = fmt::format("{} is further from the reference's than computing with all bits of its "
                                "type explains",
                                worst->tensor)});
    findings.insert(findings.end(), probe.findings.begin(), probe.findings.end());
    tidy(findings);
}

std::vector<Finding> judge_timing(const Timing& timing) {
    std::vector<Finding> findings;
    if (timing.counted_written && timing.write_bytes >= kFewestBytes
        && *timing.counted_written < kLeastCounted * timing.write_bytes)
        findings.push_back(refused(
            "unwritten-output",
            fmt::format("{} written of {}", megabytes(*timing.counted_written), megabytes(timing.write_bytes)),
            fmt::format("at the timed sizes the outputs have {}, but the kernels write {}; the smaller sizes of the "
                        "checks do not show that",
                        megabytes(timing.write_bytes), megabytes(*timing.counted_written))));
    if (timing.counted_read && timing.read_bytes >= kFewestBytes
        && *timing.counted_read < kLeastCounted * timing.read_bytes)
        findings.push_back(refused(
            "less-work", fmt::format("{} read of {}", megabytes(*timing.counted_read), megabytes(timing.read_bytes)),
            fmt::format("at the timed sizes the kernels read {} of inputs that have {}, all of which they read at the "
                        "checked sizes",
                        megabytes(*timing.counted_read), megabytes(timing.read_bytes))));
    if (timing.estimated || timing.median_us <= 0) return findings;
    // What is written last may still lie in L2 when the run has ended.
    const double moved = timing.read_bytes + std::max(0.0, timing.write_bytes - timing.l2_bytes);
    if (timing.cold && timing.dram_gbps > 0) {
        const double least_us = moved / (timing.dram_gbps * 1e3);
        if (timing.median_us < kMargin * least_us)
            findings.push_back(refused(
                "beats-physics", fmt::format("{:.2f} µs for {}", timing.median_us, megabytes(moved)),
                fmt::format("{:.2f} µs is less than the {:.2f} µs that {} takes to move {} between its memory and the "
                            "chip at {:.0f} GB/s",
                            timing.median_us, least_us, timing.device, megabytes(moved), timing.dram_gbps)));
    }
    if (timing.operations > 0 && timing.peak_tera_per_s > 0) {
        const double least_us = timing.operations / (timing.peak_tera_per_s * 1e6);
        if (timing.median_us < kOperationMargin * least_us)
            findings.push_back(refused(
                "beats-physics", fmt::format("{:.2f} µs for {:.3g} operations", timing.median_us, timing.operations),
                fmt::format("{:.2f} µs is less than the {:.2f} µs that {} takes for {:.3g} floating-point operations "
                            "at {:.0f} TFLOPS",
                            timing.median_us, least_us, timing.device, timing.operations, timing.peak_tera_per_s)));
    }
    return findings;
}

} // namespace kw::audit
