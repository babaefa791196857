#include "engine/pipeline/checking.h"
#include "engine/pipeline/job.h"
#include "engine/pipeline/plan_runner.h"
#include "engine/pipeline/sanitize.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

namespace kw::pipeline {
namespace {

/// A baseline that is wrong is no yardstick. Run once, at the first size set.
Result<void> check_baseline(const Source& source, const task::Task& task, const task::Sizes& sizes,
                            const HostTensors& inputs, Outputs& outputs, device::Device& device, std::stop_token stop) {
    const auto wrong = [&](const std::string& why) {
        return fail(Stage::task, ErrorCode::invalid_input,
                    fmt::format("the baseline {} is wrong: {}", source.file, why), Where{source.file});
    };
    auto loaded = LoadedSource::load(source, task, device);
    if (!loaded) return std::unexpected(loaded.error());
    auto run = loaded->instantiate(sizes);
    if (!run) return std::unexpected(run.error());
    if (auto done = run->prepare(inputs); !done) return done;
    auto outcome = run->run(stop);
    if (outcome && !outcome->fault) outcome = device.synchronize(stop);
    if (!outcome) return std::unexpected(outcome.error());
    if (outcome->fault) return wrong(outcome->fault->message);
    VerifyReport report;
    if (auto done = compare_run(task, sizes, 0, *run, inputs, outputs, report); !done) return done;
    const auto bad = std::ranges::find(report.checks, false, &Check::ok);
    if (bad != report.checks.end()) return wrong(problem_of(*bad));
    return {};
}

} // namespace

// Seeds stay below 2⁵³ so that every JSON reader keeps them exact.
std::uint64_t check_seed(std::uint64_t base, std::size_t index) {
    std::uint64_t z = base + 0x9E3779B97F4A7C15ull * (index + 1); // SplitMix64 (Steele, Lea, Flood 2014)
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (z ^ (z >> 31)) >> 11;
}

Result<VerifyReport> run_verify(const Job& job, device::Device& device, std::stop_token stop,
                                const Progress& report_progress) {
    const auto start = std::chrono::steady_clock::now();
    auto task = task::parse_task(job.files);
    if (!task) return std::unexpected(task.error());
    auto reference = load_optional(job.reference, *task, device);
    if (!reference) return std::unexpected(reference.error());
    auto candidate = LoadedSource::load(job.candidate, *task, device);
    if (!candidate) return std::unexpected(candidate.error());

    VerifyReport report;
    report.seed = job.seed;
    const std::size_t total = task->cases.size() * kChecksPerCase;
    // The next check's inputs are made while the device works at this one's.
    const auto make = [&, kind = device.info().kind](std::size_t index, HostTensors reuse) {
        return make_inputs(*task, job, verify_sizes(*task, index / kChecksPerCase, kind), check_seed(job.seed, index),
                           std::move(reuse));
    };
    Outputs outputs;
    HostTensors inputs, spare;
    std::future<Result<HostTensors>> next;
    const auto begin = [&](std::size_t index) {
        // With no thread to be had, by this one when they are asked for.
        if (index < total) next = std::async(std::launch::async | std::launch::deferred, make, index, std::move(spare));
    };
    begin(0);
    for (std::size_t index = 0; index < total && !report.fault; ++index) {
        if (stop.stop_requested()) return fail(Stage::verify, ErrorCode::cancelled, "verification was cancelled");
        const auto sizes = verify_sizes(*task, index / kChecksPerCase, device.info().kind);
        const auto seed = check_seed(job.seed, index);
        spare = std::move(inputs);
        auto made = next.get();
        if (!made) return std::unexpected(made.error());
        inputs = std::move(*made);
        begin(index + 1);
        // The candidate's buffers are made while the reference's are still held, so that they cannot be the same
        // memory.
        auto run = candidate->instantiate(sizes);
        if (!run) return std::unexpected(run.error());
        // Told without delay, so that whoever has to stop this run knows whose it was.
        const double fraction = static_cast<double>(index) / static_cast<double>(total);
        const auto expect = [&]() -> Result<void> {
            report_progress(std::string(kTrustedPhase), fraction);
            if (auto found = find_expected(job, *task, reference->get(), sizes, seed, inputs, outputs, stop, device);
                !found)
                return found;
            if (index == 0)
                for (const auto& baseline : job.baselines)
                    if (auto right = check_baseline(baseline, *task, sizes, inputs, outputs, device, stop); !right)
                        return right;
            return {};
        };
        const auto attempt = [&]() -> Result<void> {
            report_progress(fmt::format("verify {}/{}", index + 1, total), fraction);
            if (auto done = run->prepare(inputs); !done) return done;
            const Looking looking(device, checks_for(job.options, index));
            auto outcome = run->run(stop);
            if (outcome && !outcome->fault) {
                append_output(report.output, outcome->output);
                outcome = device.synchronize(stop);
            }
            if (!outcome) return std::unexpected(outcome.error());
            append_output(report.output, outcome->output);
            if (outcome->fault) {
                report.fault = std::move(outcome->fault);
                report.because = report.fault->message;
            }
            return {};
        };
        // In either order: what the reference leaves in memory that is free again is there for the candidate in one
        // alone.
        const bool candidate_first = index % 2 == 1;
        if (!candidate_first)
            if (auto done = expect(); !done) return std::unexpected(done.error());
        if (auto done = attempt(); !done) return std::unexpected(done.error());
        if (report.fault) break;
        if (candidate_first)
            if (auto done = expect(); !done) return std::unexpected(done.error());
        if (auto done = compare_run(*task, sizes, seed, *run, inputs, outputs, report); !done)
            return std::unexpected(done.error());
    }
    report.ok = !report.fault;
    for (const auto& check : report.checks) {
        if (check.ok) continue;
        if (report.ok) report.because = problem_of(check);
        report.ok = false;
    }
    report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return report;
}

} // namespace kw::pipeline
