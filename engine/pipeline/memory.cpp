#include "engine/pipeline/memory.h"

#include "engine/pipeline/plan_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <span>

namespace kw::pipeline {
namespace {

/// MemAvailable of /proc/meminfo, in bytes; 0 when it cannot be read.
std::uint64_t available_memory() {
    std::ifstream meminfo("/proc/meminfo");
    std::string key, unit;
    std::uint64_t kilobytes = 0;
    while (meminfo >> key >> kilobytes) {
        if (key == "MemAvailable:") return kilobytes * 1024;
        std::getline(meminfo, unit);
    }
    return 0;
}

std::string in_gigabytes(std::uint64_t bytes) { return fmt::format("{:.3g} GB", static_cast<double>(bytes) / 1e9); }

struct Footprint {
    std::uint64_t device = 0;  ///< of every source's buffers
    std::uint64_t tensors = 0; ///< of the task's tensors alone, once
};

/// Cannot overflow: bind() has already bounded each plan by the device's memory.
Result<Footprint> footprint(const task::Task& task, std::span<const Source* const> sources, const task::Sizes& sizes,
                            const device::Info& info) {
    Footprint sum;
    for (const auto* source : sources) {
        auto plan = task::parse_plan(source->text, source->file, task);
        if (!plan) return std::unexpected(plan.error());
        auto bound = task::bind(*plan, task, sizes, source->configuration, info.limits);
        if (!bound) return std::unexpected(bound.error());
        sum.device += bound->bytes;
        sum.tensors = 0;
        for (std::size_t k = 0; k < task.tensors.size(); ++k) sum.tensors += bound->buffers[k].bytes;
    }
    return sum;
}

std::vector<const Source*> timed_sources(const Job& job) {
    std::vector<const Source*> sources{&job.candidate};
    if (job.options.stages.bench)
        for (const auto& baseline : job.baselines) sources.push_back(&baseline);
    return sources;
}

Result<void> refuse(std::string_view what, std::uint64_t needed, std::uint64_t limit, std::string_view where) {
    return fail(Stage::task, ErrorCode::invalid_input,
                fmt::format("{} needs about {} of memory{}, and {} may be used; make [sizes] or [sim.sizes] smaller",
                            what, in_gigabytes(needed), where, in_gigabytes(limit)),
                Where{"task.toml"});
}

} // namespace

Result<Rotations> plan_rotations(const task::Task& task, const Job& job, const device::Info& info) {
    constexpr std::uint64_t kFewest = 3, kMost = 256;
    auto need = footprint(task, timed_sources(job), timed_sizes(task), info);
    if (!need) return std::unexpected(need.error());
    Rotations rotations{.count = 1, .tensor_bytes = need->tensors};
    if (info.kind != device::Kind::cuda) return rotations;
    const std::uint64_t wanted = 2 * info.limits.l2_bytes / std::max<std::uint64_t>(need->tensors, 1) + 1;
    const std::uint64_t fitting =
        std::max<std::uint64_t>(info.limits.memory_bytes / 2 / std::max<std::uint64_t>(need->device, 1), 1);
    rotations.count = std::min(std::clamp(wanted, kFewest, kMost), fitting);
    return rotations;
}

std::size_t distinct_inputs(const Rotations& rotations) { return std::min<std::size_t>(rotations.count, 3); }

Result<void> check_memory(const task::Task& task, const Job& job, const device::Info& info) {
    std::uint64_t limit = job.options.memory_limit_bytes;
    if (limit == 0) limit = available_memory() / 4 * 3;
    const bool on_host = info.kind == device::Kind::sim;
    const auto check = [&](std::string_view what, const Footprint& need, std::uint64_t copies) -> Result<void> {
        const std::uint64_t host = copies * need.tensors + (on_host ? need.device : 0);
        if (limit > 0 && host > limit) return refuse(what, host, limit, "");
        if (!on_host && info.limits.memory_bytes > 0 && need.device > info.limits.memory_bytes)
            return refuse(what, need.device, info.limits.memory_bytes, " on " + info.name);
        return {};
    };
    const bool timing = job.options.stages.bench || job.options.stages.profile;
    std::vector<const Source*> pair{&job.candidate};
    if (job.reference) pair.push_back(&*job.reference);
    if (job.options.stages.verify || !timing)
        for (std::size_t i = 0; i < task.cases.size(); ++i) {
            auto need = footprint(task, pair, verify_sizes(task, i, info.kind), info);
            if (!need) return std::unexpected(need.error());
            // Inputs, those of the next check, expected and actual outputs.
            if (auto fits = check("verifying", *need, 4); !fits) return fits;
        }
    if (!timing) return {};
    auto rotations = plan_rotations(task, job, info);
    if (!rotations) return std::unexpected(rotations.error());
    auto need = footprint(task, timed_sources(job), timed_sizes(task), info);
    if (!need) return std::unexpected(need.error());
    need->device *= rotations->count;
    if (on_host) return check("timing", *need, 1);
    // Outputs are checked again after timing, against the reference's.
    if (job.reference) {
        auto reference = footprint(task, std::span(pair).subspan(1), timed_sizes(task), info);
        if (!reference) return std::unexpected(reference.error());
        need->device += reference->device;
    }
    return check("timing", *need, distinct_inputs(*rotations) + 2);
}

} // namespace kw::pipeline
