#pragma once

#include "engine/pipeline/job.h"

#include <stop_token>
#include <string>

namespace kw::pipeline {

/// One source on its way from text to something that can run.
struct Built {
    Source source;
    CompileReport report; ///< ok only if `source` can run
};

/// Parses the plan of `file`, compiles it for `info` and checks that its launches fit the kernels' parameters and the
/// device's limits at every size the task asks for. What is wrong with this source, its directives included, is a
/// diagnostic in the report; errors are the environment's and the task's.
[[nodiscard]] Result<Built> build_source(const std::string& file, const task::Sizes& overrides, const task::Task& task,
                                         const task::Files& files, const device::Info& info,
                                         compile::Compiler& compiler, std::stop_token stop);

/// An error of a source's text as the compiler would report it.
[[nodiscard]] compile::Diagnostic as_diagnostic(const Error& error);

/// The first error of a report in one sentence with its position, for messages about a reference or a baseline.
[[nodiscard]] std::string first_error(const CompileReport& report);

} // namespace kw::pipeline
