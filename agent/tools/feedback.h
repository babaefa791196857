#pragma once

#include "agent/trajectory/step.h"
#include "engine/base/json.h"
#include "engine/task/task.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

/// What a model is told of results: the lines that matter, never a wall of text. Nothing in them depends on how long
/// work took, so that the same results give the same conversation.
namespace kw::tools {

/// Characters of a tool's result, about.
inline constexpr std::size_t kBudget = 6000;

/// Of what WorkerClient::compile gives: "compiles" with each kernel's resources, or the first errors with their source
/// lines.
[[nodiscard]] std::string compile_text(const Json& compiled, const task::Files& files);

/// Of an evaluation as the worker sends it: errors of compiling, or the failing checks with expected and actual
/// values, or the times against each baseline; and the reward with its reason.
[[nodiscard]] std::string evaluation_text(const Json& evaluation, const task::Files& files);

/// Of the profile in an evaluation: findings, what bounds each launch, metrics of the basic set and `metrics`, and the
/// lines that cost most.
[[nodiscard]] std::string profile_text(const Json& evaluation, const task::Files& files,
                                       std::span<const std::string> metrics);

/// One line a step; the best one is marked. At most the best and the last `limit`.
[[nodiscard]] std::string attempts_text(const std::vector<trajectory::StepSummary>& steps, std::size_t limit = 40);

/// Lines from `from` (from 1) with their numbers until `budget` is used up, and how to see the rest.
[[nodiscard]] std::string lines_text(std::string_view text, std::size_t from, std::size_t most,
                                     std::size_t budget = kBudget);

} // namespace kw::tools
