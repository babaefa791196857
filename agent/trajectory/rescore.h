#pragma once

#include "agent/trajectory/session_file.h"
#include "engine/reward/rule.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Rewards of a session's stored evaluations under another rule.
namespace kw::trajectory {

struct RescoreOptions {
    reward::Rule rule{};
    std::string baseline{}; ///< only this one counts; empty: all
};

struct Rescored {
    StepId step = 0;
    std::string title;
    double before = 0;
    reward::Reward after;
    /// The reward is another one.
    [[nodiscard]] bool flips() const { return before != after.value; }
};

/// The reward that an evaluation, as stored, gets. None where it came to no verdict, or its baselines do not include
/// the one that is to count.
[[nodiscard]] std::optional<reward::Reward> rescored(const Json& evaluation, const RescoreOptions& options);

/// Of every step that has a reward, in order, those that can be scored. A baseline that no step was timed against is an
/// error that names those that there are.
[[nodiscard]] Result<std::vector<Rescored>> rescore(const SessionFile& session, const RescoreOptions& options);

/// Gives the steps of `session` these rewards.
[[nodiscard]] Result<void> write_rewards(SessionFile& session, const std::vector<Rescored>& rewards);

} // namespace kw::trajectory
