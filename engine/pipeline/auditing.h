#pragma once

#include "engine/audit/judge.h"
#include "engine/audit/subject.h"
#include "engine/pipeline/evaluation.h"
#include "engine/pipeline/job.h"

#include <stop_token>

/// The audit's place in an evaluation: the code before it runs, the candidate on the simulator once it is right, the
/// times at last.
namespace kw::pipeline {

/// The code of a built source at the timed sizes.
[[nodiscard]] Result<audit::Code> code_of(const Source& source, const task::Task& task, const device::Info& info);

/// Findings of the candidate's text and code; `reference` may be null. What the audit itself cannot do is a note.
[[nodiscard]] std::vector<audit::Finding> audit_source(const Source& candidate, const Source* reference,
                                                       const task::Task& task, const task::Files& files,
                                                       const device::Info& info);

/// An audit job: the candidate several times on a simulator of its own, at the smallest of the task's cases.
[[nodiscard]] Result<audit::Probe> run_audit(const Job& job, std::stop_token stop, const Progress& progress);

/// Findings of what the bench stage measured or counted.
[[nodiscard]] std::vector<audit::Finding> audit_times(const BenchReport& bench, const audit::Probe& probe,
                                                      const task::Task& task, const device::Info& info);

} // namespace kw::pipeline
