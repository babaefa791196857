#pragma once

#include "agent/drivers/llm_options.h"
#include "agent/trajectory/session_file.h"

#include <span>
#include <string>

/// The texts that a model is given. The same task, session and options give the same texts.
namespace kw::agent {

/// The skill text: skill.md of the task where it has one, else resources/agent/skill.md.
[[nodiscard]] std::string system_text(const task::Files& files);

/// Task, candidate, baselines, budget and what the engineer says: the beginning of a conversation.
[[nodiscard]] Result<std::string> task_text(const LlmOptions& options);

/// What a conversation that was left behind, or that another run had, comes down to: the candidate as it is, the best
/// attempt's source where it is another, all attempts in a line each, and the last result. `attempts` bounds their
/// number; without `sources` the best attempt's source is left to read_attempt.
struct SummaryLimits {
    std::size_t attempts = 20;
    bool sources = true;
};
[[nodiscard]] Result<std::string> summary_text(const trajectory::SessionFile& session, const std::string& file,
                                               const std::string& candidate, const std::string& last_result,
                                               const SummaryLimits& limits);

/// What is told beside an evaluation: how it stands against the best, and what to do on a plateau. `steps` are those
/// before it.
[[nodiscard]] std::string trend_text(std::vector<trajectory::StepSummary> steps, const trajectory::StepSummary& step);

/// What the engineer decided about parts of steps; empty where there is nothing. The latest only, of many.
[[nodiscard]] std::string decisions_text(std::span<const trajectory::Decision> decisions);

/// The candidate in a reply of a model that calls no tools: its last fenced block that looks like one; empty: none.
[[nodiscard]] std::string fenced_candidate(std::string_view reply);

} // namespace kw::agent
