#include "engine/pipeline/checking.h"
#include "engine/pipeline/job.h"
#include "engine/pipeline/plan_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace kw::pipeline {
namespace {

Json counters_to_profile(const device::Info& info, const device::Measurement& measurement) {
    Json json{{"source", "simulator"}, {"device", info.name}, {"estimated", true}};
    auto& launches = json["launches"] = Json::array();
    for (std::size_t i = 0; i < measurement.counters.size(); ++i) {
        Json launch = device::to_json(measurement.counters[i]);
        if (i < measurement.limited_by.size()) launch["limited_by"] = measurement.limited_by[i];
        launches.push_back(std::move(launch));
    }
    return json;
}

/// One source ready to be timed: its memory holds the inputs of every rotation.
struct Contender {
    LoadedSource source;
    std::vector<LoadedSource::Instance> rotations;
};

Result<std::uint64_t> tensor_bytes(const task::Task& task, const task::Sizes& sizes) {
    std::uint64_t bytes = 0;
    for (const auto& tensor : task.tensors) {
        auto extent = task::extent_of(tensor.shape, tensor.type, tensor.name, sizes);
        if (!extent) return std::unexpected(extent.error());
        bytes += extent->bytes;
    }
    return bytes;
}

/// What the timed runs left behind must still be right: a kernel may be correct at first and stop working once it has
/// been checked. Nothing when it is; else why not.
Result<std::string> check_after_timing(const Job& job, const task::Task& task, const task::Sizes& sizes,
                                       LoadedSource::Instance& run, const HostTensors& inputs, device::Device& device,
                                       std::stop_token stop) {
    const bool accumulates =
        std::ranges::any_of(task.tensors, [](const auto& tensor) { return tensor.role == task::Role::inout; });
    if (accumulates) {
        // Repeated runs have piled up on the inout tensors; one more from the start says the same.
        if (auto done = run.prepare(inputs); !done) return std::unexpected(done.error());
        auto outcome = run.run(stop);
        if (outcome && !outcome->fault) outcome = device.synchronize(stop);
        if (!outcome) return std::unexpected(outcome.error());
        if (outcome->fault) return outcome->fault->message;
    }
    auto reference = LoadedSource::load(job.reference, task, device);
    if (!reference) return std::unexpected(reference.error());
    auto expected = expected_outputs(job, task, *reference, sizes, inputs, stop, device);
    if (!expected) return std::unexpected(expected.error());
    VerifyReport report;
    if (auto done = compare_run(task, sizes, job.seed, run, inputs, *expected, report); !done)
        return std::unexpected(done.error());
    const auto bad = std::ranges::find(report.checks, false, &Check::ok);
    return bad == report.checks.end() ? std::string{} : "after timing, " + problem_of(*bad);
}

Result<Contender> prepare(const Source& source, const task::Task& task, const task::Sizes& sizes,
                          std::span<const HostTensors> inputs, std::size_t rotations, device::Device& device) {
    auto loaded = LoadedSource::load(source, task, device);
    if (!loaded) return std::unexpected(loaded.error());
    Contender contender{std::move(*loaded), {}};
    for (std::size_t i = 0; i < rotations; ++i) {
        auto instance = contender.source.instantiate(sizes);
        if (!instance) return std::unexpected(instance.error());
        if (auto done = instance->prepare(inputs[i % inputs.size()]); !done) return std::unexpected(done.error());
        contender.rotations.push_back(std::move(*instance));
    }
    return contender;
}

} // namespace

Result<BenchResult> run_bench(const Job& job, device::Device& device, std::stop_token stop, const Progress& progress) {
    const auto start = std::chrono::steady_clock::now();
    auto task = task::parse_task(job.files);
    if (!task) return std::unexpected(task.error());
    const auto& sizes = timed_sizes(*task);

    // An estimate counts events, which do not depend on where the inputs lie; a GPU's caches do. There, runs rotate
    // over so many copies that none finds its inputs in L2, though three different sets of values are enough.
    std::size_t rotations = 1, distinct = 1;
    if (device.info().kind == device::Kind::cuda) {
        auto bytes = tensor_bytes(*task, sizes);
        if (!bytes) return std::unexpected(bytes.error());
        rotations =
            std::clamp<std::size_t>(2 * device.info().limits.l2_bytes / std::max<std::uint64_t>(*bytes, 1) + 1, 3, 64);
        distinct = 3;
    }
    std::vector<HostTensors> inputs;
    for (std::size_t i = 0; i < distinct; ++i) {
        progress("bench: inputs", -1);
        auto made = make_inputs(*task, job.files, sizes, job.seed + i);
        if (!made) return std::unexpected(made.error());
        inputs.push_back(std::move(*made));
    }

    std::vector<Contender> contenders;
    contenders.reserve(job.baselines.size() + 1);
    std::vector<const Source*> sources{&job.candidate};
    if (job.options.stages.bench)
        for (const auto& baseline : job.baselines) sources.push_back(&baseline);
    std::vector<device::Work> works;
    for (const auto* source : sources) {
        auto contender = prepare(*source, *task, sizes, inputs, rotations, device);
        if (!contender) return std::unexpected(contender.error());
        contenders.push_back(std::move(*contender));
        works.push_back({source->file, [&contender = contenders.back(), stop](std::size_t index) {
                             return contender.rotations[index % contender.rotations.size()].run(stop);
                         }});
    }
    device::MeasureOptions options;
    options.flush_l2 = job.options.flush_l2;
    options.rotations = rotations;
    auto measured = device.measure(works, options, stop, progress);
    if (!measured) return std::unexpected(measured.error());

    const auto& candidate = measured->front();
    BenchResult result;
    auto& report = result.report;
    report.sizes = sizes;
    report.estimated = candidate.estimated;
    report.sampled = candidate.sampled;
    report.cold = candidate.cold;
    report.limited_by = candidate.limited_by;
    if (candidate.fault)
        report.problem = candidate.fault->message;
    else
        report.time = bench::summarize(candidate.samples_us);
    if (!candidate.estimated && !candidate.fault) {
        progress("bench: check", 1);
        auto problem = check_after_timing(job, *task, sizes, contenders.front().rotations.front(), inputs.front(),
                                          device, stop);
        if (!problem) return std::unexpected(problem.error());
        report.wrong = !problem->empty();
        report.problem = std::move(*problem);
    }
    for (std::size_t i = 1; i < measured->size(); ++i) {
        const auto& baseline = (*measured)[i];
        BaselineTime time{.name = baseline.label, .time = {}, .ratio = 0, .ratio_ci = {}, .problem = {}};
        if (baseline.fault)
            time.problem = baseline.fault->message;
        else
            time.time = bench::summarize(baseline.samples_us);
        if (report.problem.empty() && time.problem.empty()) {
            time.ratio = time.time.median_us / report.time.median_us;
            time.ratio_ci = bench::ratio_interval(baseline.samples_us, candidate.samples_us);
        }
        report.baselines.push_back(std::move(time));
    }
    if (job.options.stages.profile && !candidate.counters.empty())
        result.profile = counters_to_profile(device.info(), candidate);
    report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return result;
}

} // namespace kw::pipeline
