#include "agent/drivers/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kw::agent {
namespace {

/// Trials before the model is asked: fewer tell it nothing about most values.
constexpr std::size_t kAtRandomFirst = 6;
/// Configurations looked at for each guided choice; in a larger space a sample of that size.
constexpr std::uint64_t kLookedAt = 2048;
/// One guided choice in so many is at random, so that a model that is wrong is found out.
constexpr std::uint64_t kExploreEvery = 8;

} // namespace

Tuner::Tuner(SearchSpace space, std::string source, Search search, std::uint64_t seed)
    : space_(std::move(space)), source_(std::move(source)), search_(search), generator_(seed) {}

Result<std::optional<Proposal>> Tuner::propose(std::stop_token) {
    const auto number = choose();
    if (!number) return std::nullopt;
    tried_.insert(*number);
    Proposal proposal{.parent = first_, .title = {}, .source = source_};
    proposal.configuration = space_.at(*number);
    proposal.title = task::sizes_text(proposal.configuration);
    if (search_ == Search::guided && timed_.size() >= kAtRandomFirst)
        proposal.thought = fmt::format("{} trials so far lead one to expect {:.3g} µs", timed_.size(),
                                       std::exp(predict(proposal.configuration)));
    return proposal;
}

void Tuner::learn(const trajectory::Step& step) {
    if (!first_) first_ = step.summary.id;
    if (!step.summary.correct.value_or(false) || !step.summary.median_us || *step.summary.median_us <= 0) return;
    Trial trial{{}, std::log(*step.summary.median_us)};
    for (const auto& [name, value] : step.configuration.items()) trial.configuration[name] = value.get<std::int64_t>();
    timed_.push_back(std::move(trial));
}

std::optional<std::uint64_t> Tuner::choose() {
    if (tried_.size() >= space_.size()) return std::nullopt;
    if (tried_.empty()) return 0;
    if (search_ == Search::exhaustive) return *tried_.rbegin() + 1;
    const bool explore = tried_.size() % kExploreEvery == 0;
    if (search_ == Search::random || timed_.size() < kAtRandomFirst || explore) return draw();
    return most_promising();
}

std::optional<std::uint64_t> Tuner::draw() {
    std::uniform_int_distribution<std::uint64_t> any{0, space_.size() - 1};
    const auto start = any(generator_);
    // The next one that has not been tried: ends also when few are left.
    for (auto number = start;;) {
        if (!tried_.contains(number)) return number;
        number = number + 1 == space_.size() ? 0 : number + 1;
        if (number == start) return std::nullopt;
    }
}

std::optional<std::uint64_t> Tuner::most_promising() {
    std::optional<std::uint64_t> best;
    double least = std::numeric_limits<double>::infinity();
    const bool all = space_.size() <= kLookedAt;
    std::uniform_int_distribution<std::uint64_t> any{0, space_.size() - 1};
    for (std::uint64_t i = 0; i < std::min(space_.size(), kLookedAt); ++i) {
        const auto number = all ? i : any(generator_);
        if (tried_.contains(number)) continue;
        const double expected = predict(space_.at(number));
        if (expected >= least) continue;
        least = expected;
        best = number;
    }
    return best ? best : draw();
}

double Tuner::predict(const task::Sizes& configuration) const {
    double mean = 0;
    for (const auto& trial : timed_) mean += trial.log_time / static_cast<double>(timed_.size());
    double expected = mean;
    for (const auto& [name, value] : configuration) {
        double difference = 0;
        double weight = 1; // towards no difference, so that one trial does not decide
        for (const auto& trial : timed_)
            if (trial.configuration.at(name) == value) {
                difference += trial.log_time - mean;
                weight += 1;
            }
        expected += difference / weight;
    }
    return expected;
}

} // namespace kw::agent
