#pragma once

#include "agent/drivers/advisor_rules.h"
#include "agent/session/loop.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kw::agent {

/// Reads what the evaluation of the best candidate so far says, and proposes edits of it with the reason, the most
/// promising first. The first step is the candidate as it is. An edit that turns out right and better is built upon;
/// one that does not is not proposed again. Needs checks and timing; a profile makes its advice better founded.
class Advisor final : public Driver {
public:
    /// `fixed`: tunables that keep that value.
    Advisor(task::Task task, std::string file, std::string source, task::Sizes fixed);

    [[nodiscard]] std::string name() const override { return "advisor"; }
    [[nodiscard]] Result<std::optional<Proposal>> propose(std::stop_token stop) override;
    void learn(const trajectory::Step& step) override;

private:
    struct Best {
        trajectory::StepId step = 0;
        std::string source;
        task::Sizes configuration;
        double reward = 0;
        std::optional<double> median_us;
        Evidence evidence;
    };
    /// What the rules make of the best candidate, the most promising first.
    [[nodiscard]] std::vector<Advice> advice_on_best() const;
    [[nodiscard]] std::string outcome(const trajectory::StepSummary& step, bool kept) const;

    task::Task task_;
    std::string file_;
    std::string source_; ///< what to begin with
    task::Sizes fixed_;
    std::vector<std::unique_ptr<AdviceRule>> rules_ = advice_rules();
    std::optional<Best> best_;
    std::set<std::pair<std::string, task::Sizes>> tried_;
    std::string outcome_; ///< of the last proposal, a sentence
    bool begun_ = false;
};

} // namespace kw::agent
