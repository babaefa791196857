#include "engine/pipeline/job.h"
#include "engine/pipeline/plan_runner.h"
#include "engine/task/inputs.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>

namespace kw::pipeline {
namespace {

constexpr std::size_t kChecksPerCase = 5;

/// Seeds stay below 2⁵³ so that every JSON reader keeps them exact.
std::uint64_t check_seed(std::uint64_t base, std::size_t index) {
    std::uint64_t z = base + 0x9E3779B97F4A7C15ull * (index + 1); // SplitMix64 (Steele, Lea, Flood 2014)
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (z ^ (z >> 31)) >> 11;
}

std::string label_of(const task::Sizes& sizes) {
    std::string text;
    for (const auto& [name, value] : sizes) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
    return text.empty() ? "no sizes" : text;
}

/// Right outputs by tensor index: from the reference, or from the task's .npy.
Result<HostTensors> expected_outputs(const Job& job, const task::Task& task, const LoadedSource& reference,
                                     const task::Sizes& sizes, const HostTensors& inputs, std::stop_token stop,
                                     device::Device& device) {
    HostTensors expected(task.tensors.size());
    auto instance = reference.instantiate(sizes);
    if (!instance) return std::unexpected(instance.error());
    if (auto done = instance->prepare(inputs); !done) return std::unexpected(done.error());
    auto outcome = instance->run(stop);
    if (outcome && !outcome->fault) outcome = device.synchronize(stop);
    if (!outcome) return std::unexpected(outcome.error());
    if (outcome->fault)
        return std::unexpected(Error{
            Stage::task,
            ErrorCode::invalid_input,
            fmt::format("the reference {} fails at {}: {}", reference.file(), label_of(sizes), outcome->fault->message),
            {},
            outcome->fault->where});
    for (std::size_t i = 0; i < task.tensors.size(); ++i) {
        const auto& tensor = task.tensors[i];
        if (tensor.role == task::Role::input) continue;
        auto bytes = instance->read(i);
        if (!bytes) return std::unexpected(bytes.error());
        if (!tensor.expected.empty()) {
            const auto file = job.files.find(tensor.expected);
            if (file == job.files.end())
                return fail(Stage::task, ErrorCode::not_found,
                            fmt::format("'{}' is not in the task folder", tensor.expected), tensor.where);
            auto array = task::parse_npy(file->second, tensor.expected);
            if (!array) return std::unexpected(array.error());
            if (array->type != tensor.type || array->bytes.size() != bytes->size())
                return fail(Stage::task, ErrorCode::invalid_input,
                            fmt::format("{} does not have the type and shape of tensor {} at {}", tensor.expected,
                                        tensor.name, label_of(sizes)),
                            tensor.where);
            bytes = std::move(array->bytes);
        }
        const auto& tolerance = tensor.tolerance.value_or(task.tolerance);
        if (auto problem = verify::too_lenient(*bytes, tensor.type, tolerance, kPoison))
            return fail(Stage::task, ErrorCode::invalid_input,
                        fmt::format("tensor {} at {}: {}", tensor.name, label_of(sizes), *problem), tensor.where);
        expected[i] = std::move(*bytes);
    }
    return expected;
}

std::string first_problem(const Check& check) {
    if (!check.problem.empty()) return check.problem;
    const auto& comparison = check.comparison;
    std::string text = fmt::format("{} of {} elements of {} differ at {}", comparison.mismatches, comparison.elements,
                                   check.tensor, label_of(check.sizes));
    if (comparison.first_mismatch) {
        const auto& first = *comparison.first_mismatch;
        text += fmt::format("; the first is {}[{}]: expected {}, got {}", check.tensor,
                            fmt::join(first.coordinates, ", "), first.expected_text, first.actual_text);
    }
    return text;
}

/// Compares what one run left behind; appends a check per output and one for each modified input.
Result<void> compare_run(const task::Task& task, const task::Sizes& sizes, std::uint64_t seed,
                         const LoadedSource::Instance& run, const HostTensors& inputs, const HostTensors& expected,
                         VerifyReport& report) {
    for (std::size_t i = 0; i < task.tensors.size(); ++i) {
        const auto& tensor = task.tensors[i];
        auto actual = run.read(i);
        if (!actual) return std::unexpected(actual.error());
        if (tensor.role == task::Role::input) {
            if (std::memcmp(actual->data(), inputs[i].data(), actual->size()) == 0) continue;
            report.checks.push_back(
                {.sizes = sizes,
                 .seed = seed,
                 .tensor = tensor.name,
                 .ok = false,
                 .problem = fmt::format("the kernel modified its input {} at {}", tensor.name, label_of(sizes)),
                 .comparison = {}});
            continue;
        }
        Check check{.sizes = sizes, .seed = seed, .tensor = tensor.name, .ok = false, .problem = {}, .comparison = {}};
        check.comparison = verify::compare(expected[i], *actual, tensor.type, run.plan().buffers[i].shape,
                                           tensor.tolerance.value_or(task.tolerance));
        check.ok = check.comparison.ok();
        report.checks.push_back(std::move(check));
    }
    return {};
}

} // namespace

Result<VerifyReport> run_verify(const Job& job, device::Device& device, std::stop_token stop,
                                const Progress& progress) {
    const auto start = std::chrono::steady_clock::now();
    auto task = task::parse_task(job.files);
    if (!task) return std::unexpected(task.error());
    auto reference = LoadedSource::load(job.reference, *task, device);
    if (!reference) return std::unexpected(reference.error());
    auto candidate = LoadedSource::load(job.candidate, *task, device);
    if (!candidate) return std::unexpected(candidate.error());

    VerifyReport report;
    const std::size_t total = task->cases.size() * kChecksPerCase;
    for (std::size_t index = 0; index < total && !report.fault; ++index) {
        if (stop.stop_requested()) return fail(Stage::verify, ErrorCode::cancelled, "verification was cancelled");
        const auto sizes = verify_sizes(*task, index / kChecksPerCase, device.info().kind);
        progress(fmt::format("verify {}/{}", index + 1, total),
                 static_cast<double>(index) / static_cast<double>(total));
        const auto seed = check_seed(job.seed, index);
        auto inputs = make_inputs(*task, job.files, sizes, seed);
        if (!inputs) return std::unexpected(inputs.error());
        // The candidate's buffers are made while the reference's are still held, so that they cannot be the same
        // memory.
        auto run = candidate->instantiate(sizes);
        if (!run) return std::unexpected(run.error());
        auto expected = expected_outputs(job, *task, *reference, sizes, *inputs, stop, device);
        if (!expected) return std::unexpected(expected.error());
        if (auto done = run->prepare(*inputs); !done) return std::unexpected(done.error());
        auto outcome = run->run(stop);
        if (outcome && !outcome->fault) {
            report.output += outcome->output;
            outcome = device.synchronize(stop);
        }
        if (!outcome) return std::unexpected(outcome.error());
        if (report.output.size() < (std::size_t{1} << 20)) report.output += outcome->output;
        if (outcome->fault) {
            report.fault = std::move(outcome->fault);
            report.because = report.fault->message;
            break;
        }
        if (auto done = compare_run(*task, sizes, seed, *run, *inputs, *expected, report); !done)
            return std::unexpected(done.error());
    }
    report.ok = !report.fault;
    for (const auto& check : report.checks) {
        if (check.ok) continue;
        if (report.ok) report.because = first_problem(check);
        report.ok = false;
    }
    report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return report;
}

} // namespace kw::pipeline
