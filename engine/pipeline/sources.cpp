#include "engine/pipeline/sources.h"

#include "engine/pipeline/plan_runner.h"
#include "engine/task/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

namespace kw::pipeline {
namespace {

/// The files that compiling `main` can touch: those whose name occurs in a file that it can touch. Leaving the others
/// out keeps the reference's compilation the same, and cached, while the candidate is edited.
compile::Files reachable(const task::Files& files, const std::string& main) {
    compile::Files found;
    std::deque<std::string> open{main};
    while (!open.empty()) {
        const auto name = open.front();
        open.pop_front();
        const auto file = files.find(name);
        if (file == files.end() || !found.emplace(name, file->second).second) continue;
        for (const auto& [other, text] : files) {
            if (other == "task.toml" || other.ends_with(".npy") || found.contains(other)) continue;
            const auto slash = other.rfind('/');
            if (file->second.find(slash == std::string::npos ? other : other.substr(slash + 1)) != std::string::npos)
                open.push_back(other);
        }
    }
    return found;
}

Built not_ok(Built built, const Error& error) {
    built.report.ok = false;
    built.report.diagnostics.push_back(as_diagnostic(error));
    return built;
}

/// Registers are given to whole warps in units of 256 out of the share that each of an SM's four schedulers has (CUDA
/// Occupancy Calculator). 0 registers: unknown.
bool fits_registers(std::uint32_t registers, std::uint64_t threads) {
    constexpr std::uint64_t kUnit = 256, kSchedulers = 4, kPerScheduler = 65536 / kSchedulers;
    if (registers == 0) return true;
    const std::uint64_t per_warp = (registers * 32ull + kUnit - 1) / kUnit * kUnit;
    return (threads + 31) / 32 <= kPerScheduler / per_warp * kSchedulers;
}

/// Binds every launch at every size and packs its arguments with stand-in addresses: finds what would fail when run,
/// without running.
Result<void> check_launches(const task::Plan& plan, const task::Task& task, const Source& source,
                            const device::Info& info) {
    std::vector<task::Sizes> sizes{timed_sizes(task)};
    for (std::size_t i = 0; i < task.cases.size(); ++i) sizes.push_back(verify_sizes(task, i, info.kind));
    for (const auto& set : sizes) {
        auto bound = task::bind(plan, task, set, source.configuration, info.limits);
        if (!bound) return std::unexpected(bound.error());
        const std::vector<device::Pointer> pointers(bound->buffers.size(), 256);
        for (const auto& launch : bound->launches) {
            const auto kernel = std::ranges::find(source.kernels, launch.kernel, &compile::Kernel::name);
            if (kernel == source.kernels.end())
                return fail(Stage::compile, ErrorCode::invalid_input,
                            fmt::format("there is no kernel {}", launch.kernel), launch.where);
            if (auto packed = task::pack(launch, *kernel, bound->buffers, pointers); !packed)
                return std::unexpected(packed.error());
            if (kernel->max_threads != 0 && launch.config.block.count() > kernel->max_threads)
                return fail(Stage::task, ErrorCode::invalid_input,
                            fmt::format("a block of {} threads exceeds the {} that {} is built for (__launch_bounds__)",
                                        launch.config.block.count(), kernel->max_threads, launch.kernel),
                            launch.where);
            if (!fits_registers(kernel->registers, launch.config.block.count()))
                return fail(Stage::task, ErrorCode::invalid_input,
                            fmt::format("a block of {} threads with {} registers each does not fit on an SM, which has "
                                        "65536; use smaller blocks, or tell {} their size with __launch_bounds__",
                                        launch.config.block.count(), kernel->registers, launch.kernel),
                            launch.where);
            const std::uint64_t shared = std::uint64_t{kernel->shared_bytes} + launch.config.dynamic_shared_bytes;
            if (shared > info.limits.max_shared_bytes_optin)
                return fail(Stage::task, ErrorCode::invalid_input,
                            fmt::format("{} needs {} bytes of shared memory a block; {} has {}", launch.kernel, shared,
                                        info.name, info.limits.max_shared_bytes_optin),
                            launch.where);
        }
    }
    return {};
}

} // namespace

compile::Diagnostic as_diagnostic(const Error& error) {
    return {.severity = compile::Severity::error,
            .file = error.where.file,
            .line = error.where.line,
            .column = error.where.column,
            .message = error.message,
            .code = {},
            .notes = {}};
}

std::string first_error(const CompileReport& report) {
    for (const auto& diagnostic : report.diagnostics)
        if (diagnostic.severity == compile::Severity::error)
            return describe({Stage::compile,
                             ErrorCode::wrong,
                             diagnostic.message,
                             {},
                             {diagnostic.file, diagnostic.line, diagnostic.column}});
    return "it does not compile";
}

Result<Built> build_source(const std::string& file, const task::Sizes& overrides, const task::Task& task,
                           const task::Files& files, const device::Info& info, compile::Compiler& compiler,
                           std::stop_token stop) {
    Built built;
    built.source.file = file;
    const auto text = files.find(file);
    if (text == files.end())
        return fail(Stage::task, ErrorCode::not_found, fmt::format("the task has no file '{}'", file));
    built.source.text = text->second;

    // The rule of the whole function: an error that points into this source is this source's, any other is passed on.
    const auto settle = [&](const Error& error) -> Result<Built> {
        if (error.where.file == file && error.code == ErrorCode::invalid_input) return not_ok(std::move(built), error);
        return std::unexpected(error);
    };

    auto plan = task::parse_plan(built.source.text, file, task);
    if (!plan) return settle(plan.error());
    built.source.configuration = plan->defaults();
    for (const auto& [name, value] : overrides) {
        if (!built.source.configuration.contains(name))
            return fail(Stage::usage, ErrorCode::invalid_input, fmt::format("{} has no tunable '{}'", file, name));
        built.source.configuration[name] = value;
    }

    compile::Request request;
    request.files = reachable(files, file);
    request.main = file;
    for (const auto& [name, value] : built.source.configuration)
        request.defines.emplace_back(name, std::to_string(value));
    request.kernels = task::kernel_names(*plan, built.source.configuration);
    request.arch = info.arch;
    auto output = compiler.compile(request, stop);
    if (!output) return settle(output.error());
    built.report = {output->ok, output->milliseconds, std::move(output->diagnostics), output->kernels};
    built.source.ptx = std::move(output->ptx);
    built.source.cubin = std::move(output->cubin);
    built.source.kernels = std::move(output->kernels);
    if (!built.report.ok) return built;
    if (auto checked = check_launches(*plan, task, built.source, info); !checked) return settle(checked.error());
    return built;
}

Result<Source> build_trusted(const std::string& role, const std::string& file, const task::Task& task,
                             const task::Files& files, const device::Info& info, compile::Compiler& compiler,
                             std::stop_token stop) {
    auto built = build_source(file, {}, task, files, info, compiler, stop);
    if (!built) return std::unexpected(built.error());
    if (!built->report.ok)
        return fail(Stage::task, ErrorCode::invalid_input,
                    fmt::format("the {} {} cannot be used: {}", role, file, first_error(built->report)));
    return std::move(built->source);
}

task::Files files_of_job(const task::Files& files) {
    task::Files kept;
    for (const auto& [name, content] : files)
        kept[name] = name == "task.toml" || name.ends_with(".npy") ? content : std::string{};
    return kept;
}

Result<compile::Output> TimedCompiler::compile(const compile::Request& request, std::stop_token stop) {
    auto timed = request;
    timed.timeout_s = timeout_s_;
    return compiler_.compile(timed, std::move(stop));
}

} // namespace kw::pipeline
