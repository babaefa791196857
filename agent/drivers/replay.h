#pragma once

#include "agent/session/loop.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace kw::agent {

/// A recorded session as the agent: proposes its sources, with their thoughts, messages and tool calls, in the order
/// of writing and from the same steps, whatever becomes of each. Steps without a source, or with a file that the task's
/// kernel cannot be, are passed over, and what began from them begins from the nearest step before that was not. The
/// tokens of then are not spent again and not counted.
class ReplayDriver final : public Driver {
public:
    /// `file` is what is being changed. An error where there is no step to propose.
    [[nodiscard]] static Result<std::unique_ptr<ReplayDriver>> make(trajectory::SessionFile recorded, std::string file);

    [[nodiscard]] std::string name() const override { return "replay"; }
    [[nodiscard]] Result<std::optional<Proposal>> propose(std::stop_token stop) override;
    void learn(const trajectory::Step& step) override;

    /// Why steps were passed over, one sentence; empty when none was.
    [[nodiscard]] std::string passed_over() const;

private:
    ReplayDriver(trajectory::SessionFile recorded, std::string file, std::vector<trajectory::StepSummary> steps);

    trajectory::SessionFile recorded_;
    std::string file_;
    std::vector<trajectory::StepSummary> steps_;
    std::size_t next_ = 0;
    std::optional<trajectory::StepId> proposed_;
    /// What a recorded step became here; of one that was passed over what its parent became.
    std::map<trajectory::StepId, std::optional<trajectory::StepId>> became_;
    std::vector<trajectory::StepId> without_source_;
    std::vector<trajectory::StepId> of_another_kind_;
};

} // namespace kw::agent
