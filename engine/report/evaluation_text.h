#pragma once

#include "engine/pipeline/evaluation.h"
#include "engine/report/text.h"
#include "engine/task/task.h"

#include <string>

namespace kw::report {

/// The verdict for a person: compile, audit, verify, bench and reward, each on a line, with what went wrong below and a
/// hint at the end. `files` are the task's, for the lines that messages point to.
[[nodiscard]] std::string render(const pipeline::Evaluation& evaluation, const task::Files& files, const Style& style);

/// Why the candidate failed, in one sentence with its place; empty when it did not.
[[nodiscard]] std::string reason(const pipeline::Evaluation& evaluation);

/// "12.3 µs, estimated for NVIDIA H200 (simulated)" or "12.3 µs, measured".
[[nodiscard]] std::string time_text(const pipeline::BenchReport& bench, const std::string& device);

} // namespace kw::report
