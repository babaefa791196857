#include "engine/pipeline/job.h"
#include "engine/pipeline/plan_runner.h"
#include "engine/profile/roofline.h"

#include <fmt/format.h>

#include <algorithm>

namespace kw::pipeline {
namespace {

/// What is known of the launches before they run.
std::vector<profile::LaunchProfile> planned_launches(const task::BoundPlan& plan, const Source& source) {
    std::vector<profile::LaunchProfile> launches;
    for (const auto& bound : plan.launches) {
        auto& launch = launches.emplace_back();
        launch.kernel = bound.kernel;
        launch.grid = bound.config.grid;
        launch.block = bound.config.block;
        launch.cluster = bound.config.cluster;
        launch.dynamic_shared_bytes = bound.config.dynamic_shared_bytes;
        const auto kernel = std::ranges::find(source.kernels, bound.kernel, &compile::Kernel::name);
        if (kernel == source.kernels.end()) continue;
        launch.lowered = kernel->lowered;
        launch.registers = kernel->registers;
        launch.static_shared_bytes = kernel->shared_bytes;
        launch.local_bytes = kernel->local_bytes;
    }
    return launches;
}

/// Memory whose writing pushes everything else out of L2; empty on the simulator, whose estimates assume a cold one.
Result<DeviceBuffer> make_flush_buffer(device::Device& device) {
    if (device.info().kind == device::Kind::sim) return DeviceBuffer{};
    const auto size = std::max<std::uint64_t>(2 * device.info().limits.l2_bytes, 1 << 20);
    auto pointer = device.allocate(size, "the buffer that flushes L2");
    if (!pointer) return std::unexpected(std::move(pointer.error()));
    return DeviceBuffer{device, *pointer, size};
}

} // namespace

Result<profile::Report> run_profile(const Job& job, device::Device& device, profile::Profiler& profiler,
                                    std::stop_token stop, const Progress& report_progress, const profile::Live& live) {
    const auto progress = throttled(report_progress);
    auto task = task::parse_task(job.files);
    if (!task) return std::unexpected(task.error());
    const auto& sizes = timed_sizes(*task);
    progress("profile: inputs", -1);
    auto inputs = make_inputs(*task, job, sizes, job.seed);
    if (!inputs) return std::unexpected(inputs.error());
    auto loaded = LoadedSource::load(job.candidate, *task, device);
    if (!loaded) return std::unexpected(loaded.error());
    auto instance = loaded->instantiate(sizes);
    if (!instance) return std::unexpected(instance.error());
    auto flush_buffer = make_flush_buffer(device);
    if (!flush_buffer) return std::unexpected(flush_buffer.error());

    profile::Workload work;
    if (auto done = instance->prepare(*inputs); !done) return std::unexpected(done.error());
    work.prepare = [&] { return instance->restore(*inputs); };
    work.run = [&](std::stop_token inner) { return instance->run(std::move(inner)); };
    work.finish = [&](std::stop_token inner) { return device.synchronize(std::move(inner)); };
    work.reload = [&] { return loaded->reload(*instance); };
    work.flush = [&]() -> Result<void> {
        if (flush_buffer->bytes() == 0) return {};
        return device.fill(flush_buffer->pointer(), flush_buffer->bytes(), std::byte{0});
    };
    work.launches = planned_launches(instance->plan(), job.candidate);
    work.cubin = job.candidate.cubin;
    auto report = profiler.profile(work, job.options.profiling, stop, progress, live);
    if (!report) return report;
    report->device = device.info();
    report->sizes = {sizes.begin(), sizes.end()};
    report->ceilings = profile::ceilings_of(report->device);
    return report;
}

} // namespace kw::pipeline
