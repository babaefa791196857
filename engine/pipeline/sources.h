#pragma once

#include "engine/pipeline/job.h"

#include <stop_token>
#include <string>
#include <vector>

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

/// The same for a source of the task itself, the "reference" or a "baseline": what is wrong with it is the task's
/// fault.
[[nodiscard]] Result<Source> build_trusted(const std::string& role, const std::string& file, const task::Task& task,
                                           const task::Files& files, const device::Info& info,
                                           compile::Compiler& compiler, std::stop_token stop);

/// What a job carries of a task: sources travel in their own members, but their names stay, as parsing asks that they
/// be there.
[[nodiscard]] task::Files files_of_job(const task::Files& files);

/// Candidates that grow without an end must not hold up the rest.
class TimedCompiler final : public compile::Compiler {
public:
    TimedCompiler(compile::Compiler& compiler, double timeout_s) : compiler_(compiler), timeout_s_(timeout_s) {}

    [[nodiscard]] std::string version() const override { return compiler_.version(); }
    [[nodiscard]] std::vector<std::string> architectures() const override { return compiler_.architectures(); }
    [[nodiscard]] Result<compile::Output> compile(const compile::Request& request, std::stop_token stop) override;

private:
    compile::Compiler& compiler_;
    double timeout_s_;
};

} // namespace kw::pipeline
