#pragma once

#include "agent/trajectory/session_file.h"
#include "engine/reward/rule.h"
#include "engine/task/task.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Rewards of a session's stored evaluations under another rule.
namespace kw::trajectory {

struct RescoreOptions {
    reward::Rule rule{};
    std::string baseline{};                     ///< only this one counts; empty: all
    std::optional<task::Tolerance> tolerance{}; ///< of every output that is not of integers; none: the task's
};

/// What a stored evaluation says that a rule looks at.
struct ScoreFacts {
    StepId step = 0;
    double reward = 0; ///< as stored
    reward::Facts facts;
    /// Of one output: enough to tell about most tolerances whether it would pass.
    struct Check {
        bool ok = false;
        bool exact = false; ///< of integers, which have no tolerance
        std::uint64_t nan = 0;
        double max_abs = 0, max_rel = 0;                     ///< as verify::Comparison
        std::optional<std::pair<double, double>> mismatch{}; ///< the first: expected and actual value
        task::Tolerance tolerance{};                         ///< that `ok` is by
    };
    std::vector<Check> checks{};
    /// Nothing but values beyond the tolerance made it wrong.
    bool only_values_wrong = false;
};

/// None where the evaluation came to no verdict. `task` says what the tolerances were; none: no other can be told of.
[[nodiscard]] std::optional<ScoreFacts> score_facts(const Json& evaluation, const task::Task* task);
/// Of all steps after `after` that have a reward, in order. `stop` is asked between steps.
[[nodiscard]] Result<std::vector<ScoreFacts>> score_facts(const SessionFile& session, StepId after = 0,
                                                          const std::function<bool()>& stop = {});

/// Whether the step's results would be right by another tolerance. None where what is stored does not tell: only the
/// largest errors are, not which elements have them.
[[nodiscard]] std::optional<bool> would_pass(const ScoreFacts& facts, const task::Tolerance& tolerance);

/// The reward that a step gets. None where its baselines do not include the one that is to count, or would_pass() does
/// not know.
[[nodiscard]] std::optional<reward::Reward> rescored(const ScoreFacts& facts, const RescoreOptions& options);

struct Rescored {
    StepId step = 0;
    std::string title;
    double before = 0;
    reward::Reward after;
    /// The reward is another one.
    [[nodiscard]] bool flips() const { return before != after.value; }
};

/// Of every step that has a reward, in order, those that can be scored. A baseline that no step was timed against is an
/// error that names those that there are.
[[nodiscard]] Result<std::vector<Rescored>> rescore(const SessionFile& session, const RescoreOptions& options);

/// Gives the steps of `session` these rewards.
[[nodiscard]] Result<void> write_rewards(SessionFile& session, const std::vector<Rescored>& rewards);

} // namespace kw::trajectory
