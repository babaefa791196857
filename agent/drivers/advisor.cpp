#include "agent/drivers/advisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kw::agent {
namespace {

/// Less of the time is noise.
constexpr double kGain = 0.01;

task::Sizes with_defaults(const task::Plan& plan, const task::Sizes& configuration) {
    auto all = plan.defaults();
    for (const auto& [name, value] : configuration) all[name] = value;
    return all;
}

} // namespace

Advisor::Advisor(task::Task task, std::string file, std::string source, task::Sizes fixed)
    : task_(std::move(task)), file_(std::move(file)), source_(std::move(source)), fixed_(std::move(fixed)) {}

Result<std::optional<Proposal>> Advisor::propose(std::stop_token) {
    if (!begun_) {
        begun_ = true;
        // Recorded as rules spell it, with every tunable, so that none comes back to it.
        const auto plan = task::parse_plan(source_, file_, task_);
        auto configuration = plan ? with_defaults(*plan, fixed_) : fixed_;
        tried_.emplace(source_, configuration);
        return Proposal{.title = "the candidate as it is",
                        .thought =
                            "Before anything is changed, it is checked, timed and profiled: advice rests on that.",
                        .source = source_,
                        .configuration = std::move(configuration)};
    }
    if (!best_) return std::nullopt;
    for (auto& advice : advice_on_best()) {
        if (!tried_.emplace(advice.source, advice.configuration).second) continue;
        return Proposal{.parent = best_->step,
                        .title = std::move(advice.title),
                        .thought = outcome_ + " " + advice.reason,
                        .source = std::move(advice.source),
                        .configuration = std::move(advice.configuration)};
    }
    return std::nullopt;
}

void Advisor::learn(const trajectory::Step& step) {
    const auto& summary = step.summary;
    const bool right = summary.correct.value_or(false);
    const auto reward = summary.reward.value_or(0);
    const bool faster =
        best_ && best_->median_us && summary.median_us && *summary.median_us < (1 - kGain) * *best_->median_us;
    const bool kept = right && (!best_ || reward > best_->reward || (reward == best_->reward && faster));
    outcome_ = outcome(summary, kept);
    if (!kept) return;
    task::Sizes configuration;
    for (const auto& [name, value] : step.configuration.items()) configuration[name] = value.get<std::int64_t>();
    best_ = Best{summary.id, step.source,       std::move(configuration),
                 reward,     summary.median_us, step.evaluation ? Evidence{*step.evaluation} : Evidence{}};
}

std::string Advisor::outcome(const trajectory::StepSummary& step, bool kept) const {
    const char* how = step.estimated ? "an estimated " : "";
    const auto time =
        step.median_us ? fmt::format("{}{:.4g} µs", how, *step.median_us) : std::string{"an unknown time"};
    if (!best_) return fmt::format("Step {} takes {}.", step.id, time);
    if (!step.correct.value_or(false))
        return fmt::format("Step {} was not kept: {}.", step.id,
                           step.because.empty() ? "it is not correct" : step.because);
    const auto before = best_->median_us ? fmt::format("{:.4g} µs", *best_->median_us) : std::string{"an unknown time"};
    return fmt::format("Step {} was {}: it takes {} where step {} takes {}.", step.id, kept ? "kept" : "not kept", time,
                       best_->step, before);
}

std::vector<Advice> Advisor::advice_on_best() const {
    const auto source = CudaSource::read(best_->source);
    const auto plan = task::parse_plan(best_->source, file_, task_);
    if (!source || !plan) return {};
    const Candidate candidate{*source, task_, *plan, best_->evidence, with_defaults(*plan, best_->configuration),
                              fixed_};
    std::vector<Advice> list;
    for (const auto& rule : rules_) std::ranges::move(rule->advise(candidate), std::back_inserter(list));
    std::ranges::stable_sort(list, std::ranges::greater{}, &Advice::promise);
    return list;
}

} // namespace kw::agent
