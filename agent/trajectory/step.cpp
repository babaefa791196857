#include "agent/trajectory/step.h"

#include <git2.h>

#include <algorithm>
#include <mutex>
#include <string_view>
#include <utility>

namespace kw::trajectory {
namespace {

std::optional<double> number_of(const Json& json, const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_number() ? std::optional{found->get<double>()} : std::nullopt;
}

/// A member that is an object, or an empty one.
const Json& object_of(const Json& json, const char* name) {
    static const Json empty = Json::object();
    const auto found = json.find(name);
    return found != json.end() && found->is_object() ? *found : empty;
}

/// From the least: what evaluations call how grave a finding is, and what those of before there was an audit did.
std::string severity_of(const Json& finding) {
    const auto found = finding.is_object() ? finding.find("severity") : finding.end();
    if (!finding.is_object() || found == finding.end() || !found->is_string()) return "note";
    const auto name = found->get<std::string>();
    return name == "error" || name == "refuse"         ? "refuse"
           : name == "warning" || name == "suspicious" ? "suspicious"
                                                       : "note";
}

int gravity(std::string_view severity) {
    return severity == "refuse" ? 3 : severity == "suspicious" ? 2 : severity == "note" ? 1 : 0;
}

int count_lines(const std::string& text) {
    return static_cast<int>(std::ranges::count(text, '\n')) + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

} // namespace

Usage& Usage::operator+=(const Usage& other) {
    prompt_tokens += other.prompt_tokens;
    cached_tokens += other.cached_tokens;
    completion_tokens += other.completion_tokens;
    reasoning_tokens += other.reasoning_tokens;
    cost_usd = cost_usd && other.cost_usd ? std::optional{*cost_usd + *other.cost_usd} : std::nullopt;
    return *this;
}

void summarize_evaluation(Step& step) {
    auto& summary = step.summary;
    if (!step.evaluation || !step.evaluation->is_object()) return;
    const auto& reward = object_of(*step.evaluation, "reward");
    summary.reward = number_of(reward, "value");
    if (const auto because = reward.find("because"); because != reward.end() && because->is_string())
        summary.because = because->get<std::string>();
    if (summary.reward) summary.correct = *summary.reward > 0;
    const auto& bench = object_of(*step.evaluation, "bench");
    summary.median_us = number_of(bench, "median_us");
    if (const auto estimated = bench.find("estimated"); estimated != bench.end() && estimated->is_boolean())
        summary.estimated = estimated->get<bool>();
    summary.findings = 0;
    summary.finding_severity.clear();
    const auto& audit = object_of(*step.evaluation, "audit");
    if (const auto findings = audit.find("findings"); findings != audit.end() && findings->is_array())
        for (const auto& finding : *findings) {
            ++summary.findings;
            if (auto severity = severity_of(finding); gravity(severity) > gravity(summary.finding_severity))
                summary.finding_severity = std::move(severity);
        }
    summary.speedup.reset();
    const auto speedups = reward.find("speedups");
    if (speedups == reward.end() || !speedups->is_array()) return;
    for (const auto& each : *speedups) {
        if (!each.is_object()) continue;
        if (const auto value = number_of(each, "speedup"); value && (!summary.speedup || *value < *summary.speedup))
            summary.speedup = value;
    }
}

LineCounts changed_lines(const std::string& before, const std::string& after) {
    static std::once_flag started;
    std::call_once(started, [] { git_libgit2_init(); });
    LineCounts counts;
    git_diff_options options;
    git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.context_lines = 0;
    options.flags = GIT_DIFF_FORCE_TEXT;
    const auto count = [](const git_diff_delta*, const git_diff_hunk*, const git_diff_line* line, void* to) {
        auto& into = *static_cast<LineCounts*>(to);
        if (line->origin == GIT_DIFF_LINE_ADDITION) ++into.added;
        if (line->origin == GIT_DIFF_LINE_DELETION) ++into.removed;
        return 0;
    };
    if (git_diff_buffers(before.data(), before.size(), nullptr, after.data(), after.size(), nullptr, &options, nullptr,
                         nullptr, nullptr, count, &counts)
        != 0)
        return {count_lines(after), count_lines(before)};
    return counts;
}

} // namespace kw::trajectory
