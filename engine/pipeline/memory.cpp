#include "engine/pipeline/memory.h"

#include "engine/pipeline/plan_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

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

} // namespace

Result<void> check_memory(const task::Task& task, const Job& job, const device::Info& info) {
    std::uint64_t limit = job.options.memory_limit_bytes;
    if (limit == 0) limit = available_memory() / 4 * 3;
    if (limit == 0) return {};
    std::vector<task::Sizes> sizes{timed_sizes(task)};
    for (std::size_t i = 0; i < task.cases.size(); ++i) sizes.push_back(verify_sizes(task, i, info.kind));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const bool timing = i == 0;
        if (timing && !job.options.stages.bench && !job.options.stages.profile) continue;
        std::vector<const Source*> sources{&job.candidate};
        if (!timing)
            sources.push_back(&job.reference);
        else if (job.options.stages.bench)
            for (const auto& baseline : job.baselines) sources.push_back(&baseline);
        // Overflow: bind() has already bounded each plan by the device's memory.
        std::uint64_t device_bytes = 0, tensor_bytes = 0;
        for (const auto* source : sources) {
            auto plan = task::parse_plan(source->text, source->file, task);
            if (!plan) return std::unexpected(plan.error());
            auto bound = task::bind(*plan, task, sizes[i], source->configuration, info.limits);
            if (!bound) return std::unexpected(bound.error());
            device_bytes += bound->bytes;
            tensor_bytes = 0;
            for (std::size_t k = 0; k < task.tensors.size(); ++k) tensor_bytes += bound->buffers[k].bytes;
        }
        const std::uint64_t host_bytes =
            (timing ? 1 : 3) * tensor_bytes + (info.kind == device::Kind::sim ? device_bytes : 0);
        if (host_bytes > limit)
            return fail(
                Stage::task, ErrorCode::invalid_input,
                fmt::format(
                    "evaluating needs about {} of memory, and {} may be used; make [sizes] or [sim.sizes] smaller",
                    in_gigabytes(host_bytes), in_gigabytes(limit)),
                Where{"task.toml"});
    }
    return {};
}

} // namespace kw::pipeline
