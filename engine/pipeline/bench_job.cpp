#include "engine/pipeline/job.h"
#include "engine/pipeline/plan_runner.h"

#include <fmt/format.h>

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

Result<Contender> prepare(const Source& source, const task::Task& task, const task::Sizes& sizes,
                          std::span<const HostTensors> inputs, device::Device& device) {
    auto loaded = LoadedSource::load(source, task, device);
    if (!loaded) return std::unexpected(loaded.error());
    Contender contender{std::move(*loaded), {}};
    for (const auto& rotation : inputs) {
        auto instance = contender.source.instantiate(sizes);
        if (!instance) return std::unexpected(instance.error());
        if (auto done = instance->prepare(rotation); !done) return std::unexpected(done.error());
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

    // An estimate counts events, which do not depend on where the inputs lie; a GPU's caches do.
    const std::size_t rotations = device.info().kind == device::Kind::sim ? 1 : 3;
    std::vector<HostTensors> inputs;
    for (std::size_t i = 0; i < rotations; ++i) {
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
        auto contender = prepare(*source, *task, sizes, inputs, device);
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
