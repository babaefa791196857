#pragma once

#include "agent/drivers/llm_history.h"
#include "agent/drivers/llm_options.h"
#include "agent/llm/provider.h"
#include "agent/tools/toolbox.h"

#include <optional>
#include <string>
#include <vector>

namespace kw::agent {

/// A model at work. It reads, edits, compiles and profiles with tools; each candidate that it has evaluated (by the
/// tool `verify`, once it compiles, or by ending its turn with a changed candidate) is a proposal. A step's messages
/// are all since the step before, in order: system and user, assistant, and one "tool" message for each of its tool
/// calls, in the order of the tool calls. Given the same replies and results it does the same.
class LlmDriver final : public Driver {
public:
    /// `provider` and `session` outlive it.
    [[nodiscard]] static Result<std::unique_ptr<LlmDriver>>
    make(llm::Provider& provider, const trajectory::SessionFile& session, tools::Services services, LlmOptions options);

    [[nodiscard]] std::string name() const override { return "llm:" + options_.settings.model; }
    [[nodiscard]] Result<std::optional<Proposal>> propose(std::stop_token stop) override;
    void complete(trajectory::Step& step) override;
    void learn(const trajectory::Step& step) override;
    [[nodiscard]] End end() const override { return end_; }
    [[nodiscard]] std::optional<Leftover> leftover() override;
    /// Why it ended, in words; empty where end() says it all.
    [[nodiscard]] const std::string& ending() const { return ending_; }

private:
    LlmDriver(llm::Provider& provider, const trajectory::SessionFile& session, tools::Services services,
              LlmOptions options);

    /// Begins the conversation, or begins it anew with what matters of the session.
    [[nodiscard]] Result<void> begin();
    /// Does the reply's next tool calls, until one asks for an evaluation.
    [[nodiscard]] Result<std::optional<Proposal>> work_off(const std::stop_token& stop);
    /// The next reply; after it, either tool calls are due or the turn has ended.
    [[nodiscard]] Result<void> ask(const std::stop_token& stop);
    [[nodiscard]] Result<llm::Reply> ask_once(const std::stop_token& stop);
    [[nodiscard]] std::optional<Proposal> end_of_turn();
    void user_says(std::string text);
    /// What the engineer has decided about steps since this was last told.
    [[nodiscard]] Result<void> tell_decisions();
    void finish_with(End end, std::string why);
    [[nodiscard]] bool used_up();
    void account(const llm::Reply& reply, std::size_t bytes);
    [[nodiscard]] Proposal proposal(std::string title);
    void answer(const llm::ToolUse& use, std::string text, bool ok, double milliseconds);
    [[nodiscard]] std::string clean(std::string text) const { return provider_.redactor()(std::move(text)); }

    llm::Provider& provider_;
    const trajectory::SessionFile& session_;
    LlmOptions options_;
    tools::Scratch scratch_;
    tools::Toolbox toolbox_;

    llm::Conversation conversation_;
    TokenEstimate estimate_;
    std::int64_t context_;
    bool anew_ = true; ///< the conversation is to begin (again) before the next request

    // The last reply, while its tool calls are done.
    llm::Reply reply_;
    std::size_t next_use_ = 0;
    std::vector<llm::ToolResult> results_;

    // Between a proposal and what becomes of it.
    std::optional<llm::ToolUse> verifying_; ///< none: the turn had ended
    std::string last_result_;

    // What happened since the last step.
    std::vector<trajectory::Message> messages_;
    std::vector<trajectory::ToolCall> calls_;
    trajectory::Usage usage_;
    std::string thought_;
    std::optional<Leftover> unwritten_; ///< what went into a proposal, until its step is written
    std::size_t decisions_told_ = 0;
    int replies_ = 0;
    int quiet_turns_ = 0; ///< in a row that ended without a changed candidate

    trajectory::Usage total_;
    std::string evaluated_; ///< the source that was evaluated last, or that the run began with
    std::optional<trajectory::StepId> parent_;
    End end_ = End::no_more;
    std::string ending_;
    bool ended_ = false;
};

} // namespace kw::agent
