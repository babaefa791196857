#include "agent/trajectory/rescore.h"

#include "engine/audit/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
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
    return std::ranges::none_of(*findings, [](const Json& finding) {
        return finding.is_object() && audit::severity_from(text_of(finding, "severity")) == audit::Severity::refuse;
    });
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

/// As verify::compare has it: |actual − expected| ≤ atol + rtol·|expected|.
bool within(double expected, double actual, const task::Tolerance& tolerance) {
    return std::abs(actual - expected) <= tolerance.atol + tolerance.rtol * std::abs(expected);
}

std::optional<bool> would_pass(const ScoreFacts::Check& check, const task::Tolerance& tolerance) {
    if (check.exact) return check.ok;
    if (check.nan > 0) return false;
    if (check.max_abs <= tolerance.atol || check.max_rel <= tolerance.rtol) return true;
    if (check.mismatch && !within(check.mismatch->first, check.mismatch->second, tolerance)) return false;
    const auto& was = check.tolerance;
    if (check.ok && tolerance.atol >= was.atol && tolerance.rtol >= was.rtol) return true;
    if (!check.ok && tolerance.atol <= was.atol && tolerance.rtol <= was.rtol) return false;
    return std::nullopt;
}

ScoreFacts::Check check_of(const Json& json, const task::Task& task) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    ScoreFacts::Check check{.ok = flag_of(json, "ok", false),
                            .exact = false,
                            .nan = static_cast<std::uint64_t>(std::max(0.0, number_of(json, "nan", 0))),
                            .max_abs = number_of(json, "max_abs", kInfinity),
                            .max_rel = number_of(json, "max_rel", kInfinity),
                            .mismatch = {},
                            .tolerance = task.tolerance};
    const auto tensor = std::ranges::find(task.tensors, text_of(json, "tensor"), &task::Tensor::name);
    if (tensor != task.tensors.end()) {
        check.exact = !task::is_floating(tensor->type);
        if (tensor->tolerance) check.tolerance = *tensor->tolerance;
    }
    const auto& first = object_of(json, "first_mismatch");
    const auto expected = first.find("expected"), actual = first.find("actual");
    if (expected != first.end() && actual != first.end() && expected->is_number() && actual->is_number())
        check.mismatch = {expected->get<double>(), actual->get<double>()};
    return check;
}

} // namespace

std::optional<ScoreFacts> score_facts(const Json& evaluation, const task::Task* task) {
    const auto& stored = object_of(evaluation, "reward");
    const auto value = stored.find("value");
    if (value == stored.end() || !value->is_number()) return std::nullopt;
    const auto& bench = object_of(evaluation, "bench");
    const auto& verify = object_of(evaluation, "verify");
    ScoreFacts score{.step = 0, .reward = value->get<double>(), .facts = {}};
    auto& facts = score.facts;
    facts.compiled = flag_of(object_of(evaluation, "compile"), "ok", true);
    facts.audit_passed = audit_passed(evaluation);
    facts.verified = flag_of(verify, "ok", score.reward > 0) && !flag_of(bench, "wrong", false);
    facts.estimated = flag_of(bench, "estimated", false);
    facts.speedups = speedups_of(stored);
    if (!facts.compiled || !facts.audit_passed || !facts.verified) facts.failure = text_of(stored, "because");
    const auto checks = verify.find("checks");
    if (!task || checks == verify.end() || !checks->is_array() || checks->empty()) return score;
    bool all_told = true; // a check with a problem of its own is not about values
    for (const auto& check : *checks) {
        if (!check.is_object()) continue;
        score.checks.push_back(check_of(check, *task));
        all_told = all_told && text_of(check, "problem").empty();
    }
    score.only_values_wrong = all_told && facts.compiled && facts.audit_passed && !flag_of(bench, "wrong", false)
                              && !verify.contains("fault")
                              && !std::ranges::all_of(score.checks, &ScoreFacts::Check::ok);
    return score;
}

Result<std::vector<ScoreFacts>> score_facts(const SessionFile& session, StepId after,
                                            const std::function<bool()>& stop) {
    const auto steps = session.steps();
    if (!steps) return std::unexpected(steps.error());
    std::optional<task::Task> task;
    if (const auto files = session.task_files())
        if (auto parsed = task::parse_task(*files)) task = std::move(*parsed);
    std::vector<ScoreFacts> scores;
    for (const auto& summary : *steps) {
        if (summary.id <= after || !summary.reward) continue;
        if (stop && stop()) return fail(Stage::reward, ErrorCode::cancelled, "reading the session was stopped");
        const auto step = session.step(summary.id);
        if (!step) return std::unexpected(step.error());
        if (!step->evaluation) continue;
        if (auto score = score_facts(*step->evaluation, task ? &*task : nullptr)) {
            score->step = summary.id;
            score->reward = *summary.reward;
            scores.push_back(std::move(*score));
        }
    }
    return scores;
}

std::optional<bool> would_pass(const ScoreFacts& score, const task::Tolerance& tolerance) {
    if (!score.facts.verified && !score.only_values_wrong) return false;
    if (score.checks.empty()) return std::nullopt;
    bool known = true;
    for (const auto& check : score.checks) {
        const auto passes = would_pass(check, tolerance);
        if (passes == false) return false;
        known = known && passes;
    }
    return known ? std::optional{true} : std::nullopt;
}

std::optional<reward::Reward> rescored(const ScoreFacts& score, const RescoreOptions& options) {
    auto facts = score.facts;
    if (options.tolerance && facts.compiled && facts.audit_passed) {
        const auto passes = would_pass(score, *options.tolerance);
        if (!passes) return std::nullopt;
        if (facts.verified && !*passes) facts.failure = "its results are wrong by this tolerance";
        if (*passes) facts.failure.clear();
        facts.verified = *passes;
    }
    if (facts.compiled && facts.audit_passed && facts.verified && !options.baseline.empty()
        && !facts.speedups.empty()) {
        std::erase_if(facts.speedups, [&](const auto& speedup) { return speedup.baseline != options.baseline; });
        if (facts.speedups.empty()) return std::nullopt;
    }
    return reward::score(facts, options.rule);
}

Result<std::vector<Rescored>> rescore(const SessionFile& session, const RescoreOptions& options) {
    const auto steps = session.steps();
    if (!steps) return std::unexpected(steps.error());
    const auto scores = score_facts(session);
    if (!scores) return std::unexpected(scores.error());
    std::vector<Rescored> list;
    std::set<std::string> baselines;
    auto summary = steps->begin();
    for (const auto& score : *scores) {
        for (const auto& speedup : score.facts.speedups) baselines.insert(speedup.baseline);
        auto after = rescored(score, options);
        if (!after) continue;
        summary = std::ranges::find(summary, steps->end(), score.step, &StepSummary::id);
        list.push_back({score.step, summary->title, score.reward, std::move(*after)});
    }
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
