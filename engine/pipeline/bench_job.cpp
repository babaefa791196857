#include "engine/pipeline/checking.h"
#include "engine/pipeline/job.h"
#include "engine/pipeline/memory.h"
#include "engine/pipeline/plan_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>

namespace kw::pipeline {
namespace {

/// One source ready to be timed: its memory holds the inputs of every rotation.
struct Contender {
    LoadedSource source;
    std::vector<LoadedSource::Instance> rotations;
    std::vector<bool> ran; ///< by rotation: its outputs are a run's
};

Result<Contender> prepare(const Source& source, const task::Task& task, const task::Sizes& sizes,
                          std::span<const HostTensors> inputs, std::size_t rotations, device::Device& device) {
    auto loaded = LoadedSource::load(source, task, device);
    if (!loaded) return std::unexpected(loaded.error());
    Contender contender{std::move(*loaded), {}, std::vector<bool>(rotations)};
    for (std::size_t i = 0; i < rotations; ++i) {
        auto instance = contender.source.instantiate(sizes);
        if (!instance) return std::unexpected(instance.error());
        if (auto done = instance->prepare(inputs[i % inputs.size()]); !done) return std::unexpected(done.error());
        contender.rotations.push_back(std::move(*instance));
    }
    return contender;
}

device::Work work_of(const std::string& label, Contender& contender, std::stop_token stop) {
    const auto at = [&contender](std::size_t index) { return index % contender.rotations.size(); };
    return {.label = label,
            .run =
                [&contender, at, stop](std::size_t index) {
                    contender.ran[at(index)] = true;
                    return contender.rotations[at(index)].run(stop);
                },
            .prepare =
                [&contender, at](std::size_t index) {
                    contender.ran[at(index)] = false;
                    return contender.rotations[at(index)].poison();
                }};
}

/// Why the candidate is wrong.
struct Blame {
    std::string problem;
    std::optional<device::Fault> fault;
};

/// What the timed runs left behind must still be right, and so must one more run from the start: a kernel may be
/// correct at first and stop working once it has been checked. Nothing when all is well.
Result<std::optional<Blame>> check_after_timing(const Job& job, const task::Task& task, const task::Sizes& sizes,
                                                Contender& contender, std::span<const HostTensors> inputs,
                                                device::Device& device, std::stop_token stop) {
    auto reference = load_optional(job.reference, task, device);
    if (!reference) return std::unexpected(reference.error());
    // Repeated runs have piled up on inout tensors; only the run from the start can be right there.
    const bool accumulates =
        std::ranges::any_of(task.tensors, [](const auto& tensor) { return tensor.role == task::Role::inout; });
    std::vector<std::size_t> looked_at{0};
    if (contender.rotations.size() > 1) looked_at.push_back(contender.rotations.size() - 1);
    Outputs outputs;
    for (const auto index : looked_at) {
        auto& run = contender.rotations[index];
        const auto& values = inputs[index % inputs.size()];
        const auto seed = job.seed + index % inputs.size();
        if (auto found = find_expected(job, task, reference->get(), sizes, seed, values, outputs, stop, device); !found)
            return std::unexpected(found.error());
        const auto compare = [&]() -> Result<std::optional<Blame>> {
            VerifyReport report;
            if (auto done = compare_run(task, sizes, job.seed, run, values, outputs, report); !done)
                return std::unexpected(done.error());
            const auto bad = std::ranges::find(report.checks, false, &Check::ok);
            if (bad == report.checks.end()) return std::nullopt;
            return Blame{"after timing, " + problem_of(*bad), {}};
        };
        if (contender.ran[index] && !accumulates)
            if (auto blame = compare(); !blame || *blame) return blame;
        if (auto done = run.prepare(values); !done) return std::unexpected(done.error());
        auto outcome = run.run(stop);
        if (outcome && !outcome->fault) outcome = device.synchronize(stop);
        if (!outcome) return std::unexpected(outcome.error());
        if (outcome->fault) return Blame{"after timing, " + outcome->fault->message, outcome->fault};
        if (auto blame = compare(); !blame || *blame) return blame;
    }
    return std::nullopt;
}

/// The most distinct bytes of global memory that the launches can have touched, in sectors of 32. Blocks that were left
/// out count as if each touched others.
double touched_bytes(const std::vector<device::LaunchCounters>& launches, std::uint64_t device::Events::* sectors) {
    double bytes = 0;
    for (const auto& launch : launches) {
        const double share = launch.blocks_executed == 0
                                 ? 1
                                 : static_cast<double>(launch.blocks) / static_cast<double>(launch.blocks_executed);
        bytes += static_cast<double>(launch.events.*sectors) * 32 * share;
    }
    return bytes;
}

/// A baseline's fault is the task's; on a GPU nothing runs after it.
Result<void> check_baselines(std::span<const device::Measurement> baselines) {
    for (const auto& baseline : baselines)
        if (baseline.fault)
            return fail(Stage::task, ErrorCode::invalid_input,
                        fmt::format("the baseline {} fails when timed: {}", baseline.label, baseline.fault->message),
                        baseline.fault->where);
    return {};
}

BaselineTime time_of(const device::Measurement& baseline, const device::Measurement& candidate,
                     const BenchReport& report) {
    BaselineTime time{.name = baseline.label, .time = {}, .ratio = 0, .ratio_ci = {}, .problem = {}};
    if (baseline.fault || baseline.samples_us.empty()) {
        time.problem = baseline.fault ? baseline.fault->message : "the candidate's fault ended the timing";
        return time;
    }
    time.time = bench::summarize(baseline.samples_us);
    if (report.problem.empty()) {
        time.ratio = time.time.median_us / report.time.median_us;
        time.ratio_ci = bench::ratio_interval(baseline.samples_us, candidate.samples_us);
    }
    return time;
}

} // namespace

Result<BenchReport> run_bench(const Job& job, device::Device& device, std::stop_token stop,
                              const Progress& report_progress) {
    const auto start = std::chrono::steady_clock::now();
    const auto progress = throttled(report_progress);
    auto task = task::parse_task(job.files);
    if (!task) return std::unexpected(task.error());
    const auto& sizes = timed_sizes(*task);
    const auto rotations = plan_rotations(*task, job, device.info());
    if (!rotations) return std::unexpected(rotations.error());

    std::vector<HostTensors> inputs;
    for (std::size_t i = 0; i < distinct_inputs(*rotations); ++i) {
        progress("bench: inputs", -1);
        auto made = make_inputs(*task, job, sizes, job.seed + i);
        if (!made) return std::unexpected(made.error());
        inputs.push_back(std::move(*made));
    }

    std::vector<Contender> contenders;
    contenders.reserve(job.baselines.size() + 1);
    std::vector<const Source*> sources{&job.candidate};
    for (const auto& baseline : job.baselines) sources.push_back(&baseline);
    std::vector<device::Work> works;
    for (const auto* source : sources) {
        auto contender = prepare(*source, *task, sizes, inputs, rotations->count, device);
        if (!contender) return std::unexpected(contender.error());
        contenders.push_back(std::move(*contender));
        works.push_back(work_of(source->file, contenders.back(), stop));
    }
    device::MeasureOptions options;
    options.flush_l2 = job.options.flush_l2;
    options.rotations = rotations->count;
    options.rotation_bytes = rotations->tensor_bytes;
    options.noise = bench::relative_noise;
    auto measured = device.measure(works, options, stop, progress);
    if (!measured) return std::unexpected(measured.error());

    const auto& candidate = measured->front();
    BenchReport report;
    report.sizes = sizes;
    report.estimated = candidate.estimated;
    report.sampled = candidate.sampled;
    report.cold = candidate.cold;
    report.discarded = candidate.discarded;
    report.clock_mhz = candidate.clock_mhz;
    report.clock_note = candidate.clock_note;
    report.limited_by = candidate.limited_by;
    if (candidate.estimated) {
        report.read_bytes = touched_bytes(candidate.counters, &device::Events::unique_load_sectors);
        report.written_bytes = touched_bytes(candidate.counters, &device::Events::unique_store_sectors);
    }
    const auto blame = [&report](Blame why) {
        report.wrong = true;
        report.problem = std::move(why.problem);
        report.fault = std::move(why.fault);
    };
    if (candidate.fault) {
        blame({candidate.fault->message, candidate.fault});
    } else {
        if (auto good = check_baselines(std::span(*measured).subspan(1)); !good) return std::unexpected(good.error());
        report.time = bench::summarize(candidate.samples_us);
        report.median_ci = bench::median_interval(candidate.samples_us);
        if (!candidate.estimated) {
            progress("bench: check", 1);
            auto why = check_after_timing(job, *task, sizes, contenders.front(), inputs, device, stop);
            if (!why) return std::unexpected(why.error());
            if (*why) blame(std::move(**why));
        }
    }
    for (const auto& baseline : std::span(*measured).subspan(1))
        report.baselines.push_back(time_of(baseline, candidate, report));
    report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return report;
}

} // namespace kw::pipeline
