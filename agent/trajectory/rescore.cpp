#include "agent/trajectory/rescore.h"

#include "agent/trajectory/exports_common.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace kw::trajectory {
namespace {

const Json& object_of(const Json& json, const char* name) {
    static const Json empty = Json::object();
    const auto found = json.is_object() ? json.find(name) : json.end();
    return json.is_object() && found != json.end() && found->is_object() ? *found : empty;
}

bool flag_of(const Json& json, const char* name, bool otherwise) {
    const auto found = json.find(name);
    return found != json.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

double number_of(const Json& json, const char* name, double otherwise) {
    const auto found = json.find(name);
    return found != json.end() && found->is_number() ? found->get<double>() : otherwise;
}

std::string text_of(const Json& json, const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

bool audit_passed(const Json& evaluation) {
    const auto& audit = object_of(evaluation, "audit");
    const auto findings = audit.find("findings");
    if (findings == audit.end() || !findings->is_array()) return true;
    return std::ranges::none_of(
        *findings, [](const Json& finding) { return finding.is_object() && text_of(finding, "severity") == "error"; });
}

std::vector<reward::Speedup> speedups_of(const Json& reward) {
    std::vector<reward::Speedup> speedups;
    const auto list = reward.find("speedups");
    if (list == reward.end() || !list->is_array()) return speedups;
    for (const auto& each : *list) {
        if (!each.is_object()) continue;
        const double value = number_of(each, "speedup", 0);
        speedups.push_back(
            {text_of(each, "baseline"), value, {number_of(each, "lo", value), number_of(each, "hi", value)}});
    }
    return speedups;
}

} // namespace

std::optional<reward::Reward> rescored(const Json& evaluation, const RescoreOptions& options) {
    const auto& stored = object_of(evaluation, "reward");
    const auto value = stored.find("value");
    if (value == stored.end() || !value->is_number()) return std::nullopt;
    // The verdict on correctness is no matter of the rule.
    const auto& bench = object_of(evaluation, "bench");
    reward::Facts facts;
    facts.compiled = flag_of(object_of(evaluation, "compile"), "ok", true);
    facts.audit_passed = audit_passed(evaluation);
    facts.verified =
        flag_of(object_of(evaluation, "verify"), "ok", value->get<double>() > 0) && !flag_of(bench, "wrong", false);
    facts.estimated = flag_of(bench, "estimated", false);
    facts.speedups = speedups_of(stored);
    if (!facts.compiled || !facts.audit_passed || !facts.verified) {
        facts.failure = text_of(stored, "because");
    } else if (!options.baseline.empty() && !facts.speedups.empty()) {
        std::erase_if(facts.speedups, [&](const auto& speedup) { return speedup.baseline != options.baseline; });
        if (facts.speedups.empty()) return std::nullopt;
    }
    return reward::score(facts, options.rule);
}

Result<std::vector<Rescored>> rescore(const SessionFile& session, const RescoreOptions& options) {
    std::vector<Rescored> list;
    std::set<std::string> baselines;
    auto done = for_each_step(session, [&](const Step& step) -> Result<void> {
        if (!step.evaluation || !step.summary.reward) return {};
        for (const auto& speedup : speedups_of(object_of(*step.evaluation, "reward")))
            baselines.insert(speedup.baseline);
        auto after = rescored(*step.evaluation, options);
        if (after) list.push_back({step.summary.id, step.summary.title, *step.summary.reward, std::move(*after)});
        return {};
    });
    if (!done) return std::unexpected(std::move(done.error()));
    if (!options.baseline.empty() && !baselines.contains(options.baseline))
        return fail(Stage::usage, ErrorCode::not_found,
                    baselines.empty()
                        ? fmt::format("no step of '{}' was timed against a baseline", session.path().string())
                        : fmt::format("no step was timed against '{}'; there are {}", options.baseline,
                                      fmt::join(baselines, ", ")));
    return list;
}

Result<void> write_rewards(SessionFile& session, const std::vector<Rescored>& rewards) {
    return session.at_once([&]() -> Result<void> {
        for (const auto& each : rewards) {
            auto step = session.step(each.step);
            if (!step) return std::unexpected(std::move(step.error()));
            auto evaluation = std::move(*step->evaluation);
            evaluation["reward"] = reward::to_json(each.after);
            if (auto done = session.set_evaluation(each.step, evaluation); !done) return done;
        }
        return {};
    });
}

} // namespace kw::trajectory
