#include "engine/device/sim/sim_device.h"
#include "engine/device/sim/watch.h"
#include "engine/pipeline/deadline.h"
#include "engine/pipeline/locate.h"
#include "engine/pipeline/outputs.h"
#include "engine/pipeline/plan_runner.h"
#include "engine/verify/value.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

namespace kw::pipeline {
namespace {

/// The candidate on a simulator, with an element in view.
struct Scene {
    const task::Task& task;
    const Job& job;
    device::Device& device;
    const LoadedSource& candidate;
    const task::Sizes& sizes;
    const HostTensors& inputs;
};

struct Seen {
    sim::Watched watched;
    Bytes value; ///< the element's, after the run
};

Result<Seen> look(const Scene& scene, std::optional<sim::TracedThread> trace, sim::NonFinite looked_for,
                  const std::stop_token& stop) {
    auto run = scene.candidate.instantiate(scene.sizes);
    if (!run) return std::unexpected(run.error());
    if (auto done = run->prepare(scene.inputs); !done) return std::unexpected(done.error());
    const auto& inspect = scene.job.inspect;
    const std::size_t width = task::size_of(scene.task.tensors[inspect.tensor].type);
    const sim::WatchOptions options{.begin = run->address_of(inspect.tensor) + inspect.element * width,
                                    .bytes = width,
                                    .trace = trace,
                                    .looked_for = looked_for};
    auto watched = sim::watch(scene.device, options, [&] { return run->run(stop); });
    if (!watched) return std::unexpected(watched.error());
    Seen seen{.watched = std::move(*watched), .value = Bytes{width}};
    if (auto done = scene.device.download(seen.value, options.begin); !done) return std::unexpected(done.error());
    return seen;
}

verify::WriterReport unknown(std::string note) {
    return {.writes = {}, .more = 0, .origin = {}, .note = std::move(note)};
}

/// What the writing thread is to be traced for; nothing for a finite value.
std::optional<sim::NonFinite> non_finite(const Bytes& value, task::ScalarType type) {
    const double number = verify::read_value(value.data(), type).number;
    if (std::isnan(number)) return sim::NonFinite::nan;
    if (std::isinf(number)) return sim::NonFinite::infinity;
    return std::nullopt;
}

Result<verify::WriterReport> describe_writers(const Scene& scene, const std::stop_token& stop) {
    const auto& tensor = scene.task.tensors[scene.job.inspect.tensor];
    auto seen = look(scene, {}, sim::NonFinite::nan, stop);
    if (!seen) return std::unexpected(seen.error());
    verify::WriterReport report;
    report.more = seen->watched.more;
    for (const auto& store : seen->watched.stores)
        report.writes.push_back({.kernel = store.kernel,
                                 .launch = store.launch,
                                 .block = store.block,
                                 .thread = store.thread,
                                 .where = store.where,
                                 .atomic = store.atomic,
                                 .whole_warp = store.whole_warp});
    const bool same = seen->value.size() == scene.job.inspect.actual.size()
                      && std::memcmp(seen->value.data(), scene.job.inspect.actual.data(), seen->value.size()) == 0;
    if (!same)
        report.note = fmt::format("found on the simulator, where the element becomes {}",
                                  verify::read_value(seen->value.data(), tensor.type).text);
    else if (report.writes.empty())
        report.note = tensor.role == task::Role::inout ? "no thread wrote it: it holds what it held before"
                                                       : "no thread wrote it: it holds the bytes 0xFF that outputs are "
                                                         "filled with before a run";
    if (report.writes.empty() || !task::is_floating(tensor.type)) return report;
    const auto wanted = non_finite(seen->value, tensor.type);
    if (!wanted) return report;
    const auto& last = seen->watched.stores.back();
    const sim::TracedThread thread{.launch = last.launch, .block = last.block, .thread = last.thread};
    const auto traced = look(scene, thread, *wanted, stop);
    if (!traced) return std::unexpected(traced.error());
    if (traced->watched.origin) report.origin = verify::Origin{*traced->watched.origin, traced->watched.what};
    return report;
}

} // namespace

Result<verify::WriterReport> run_writers(const Job& job, std::stop_token stop, const Progress& progress) {
    auto task = task::parse_task(job.files);
    if (!task) return std::unexpected(task.error());
    const auto& inspect = job.inspect;
    if (inspect.case_index >= task->cases.size() || inspect.tensor >= task->tensors.size())
        return fail(Stage::usage, ErrorCode::invalid_input, "the task has no such case or tensor");
    const auto sizes = verify_sizes(*task, inspect.case_index, inspect.sizes_of);
    auto device = sim::open_simulator(model_for(job.candidate.ptx));
    if (!device) return std::unexpected(device.error());
    if (inspect.sizes_of == device::Kind::cuda && !fits_at_full_size(*task, job, (*device)->info()))
        return unknown(fmt::format("who wrote it is not known: {} are too large for the simulator's memory",
                                   task::sizes_text(sizes)));
    const auto candidate = LoadedSource::load(job.candidate, *task, **device);
    if (!candidate) return std::unexpected(candidate.error());
    const auto inputs = make_inputs(*task, job, sizes, job.seed);
    if (!inputs) return std::unexpected(inputs.error());
    const auto& tensor = task->tensors[inspect.tensor];
    const auto extent = task::extent_of(tensor.shape, tensor.type, tensor.name, sizes);
    if (!extent) return std::unexpected(extent.error());
    if (inspect.element >= extent->elements)
        return fail(
            Stage::usage, ErrorCode::invalid_input,
            fmt::format("{} has {} elements, so there is none at {}", tensor.name, extent->elements, inspect.element));
    progress("writers", -1);
    const Deadline deadline{stop, std::chrono::duration<double>{kWriterSeconds}};
    auto report = describe_writers({*task, job, **device, *candidate, sizes, *inputs}, deadline.token());
    if (!report && deadline.passed() && !stop.stop_requested())
        return unknown(fmt::format("who wrote it is not known: the simulator takes longer than {:g} s at {}",
                                   kWriterSeconds, task::sizes_text(sizes)));
    return report;
}

} // namespace kw::pipeline
