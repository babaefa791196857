#pragma once

#include "agent/drivers/search_space.h"
#include "agent/session/loop.h"

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace kw::agent {

/// Sweeps a candidate's `//@ tune` directives; each trial is a step. The same seed and the same times give the same
/// order. The first trial is the defaults, the parent of all others.
class Tuner final : public Driver {
public:
    enum class Search {
        exhaustive, ///< all, in order
        random,     ///< each at most once
        guided,     ///< a few at random, then where an additive model of log time expects the least
    };

    Tuner(SearchSpace space, std::string source, Search search, std::uint64_t seed);

    [[nodiscard]] std::string name() const override { return "tuner"; }
    [[nodiscard]] Result<std::optional<Proposal>> propose(std::stop_token stop) override;
    void learn(const trajectory::Step& step) override;

private:
    struct Trial {
        task::Sizes configuration;
        double log_time = 0;
    };
    /// The number of the next configuration; none when all have been tried.
    [[nodiscard]] std::optional<std::uint64_t> choose();
    [[nodiscard]] std::optional<std::uint64_t> draw();
    [[nodiscard]] std::optional<std::uint64_t> most_promising();
    /// Log time under the model: the mean of all trials and, for each tunable, how its value differs from that.
    [[nodiscard]] double predict(const task::Sizes& configuration) const;

    SearchSpace space_;
    std::string source_;
    Search search_;
    std::mt19937_64 generator_;
    std::set<std::uint64_t> tried_;
    std::vector<Trial> timed_;
    std::optional<trajectory::StepId> first_;
};

} // namespace kw::agent
