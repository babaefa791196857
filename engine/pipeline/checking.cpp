#include "engine/pipeline/checking.h"

#include "engine/pipeline/torch.h"
#include "engine/task/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace kw::pipeline {
namespace {

/// What the reference leaves behind on fresh memory.
Result<LoadedSource::Instance> run_reference(const LoadedSource& reference, const task::Task& task,
                                             const task::Sizes& sizes, const HostTensors& inputs, Outputs& outputs,
                                             std::stop_token stop, device::Device& device) {
    auto instance = reference.instantiate(sizes);
    if (!instance) return std::unexpected(instance.error());
    if (auto done = instance->prepare(inputs); !done) return std::unexpected(done.error());
    auto outcome = instance->run(stop);
    if (outcome && !outcome->fault) outcome = device.synchronize(stop);
    if (!outcome) return std::unexpected(outcome.error());
    if (outcome->fault)
        return fail(Stage::task, ErrorCode::invalid_input,
                    fmt::format("the reference {} fails at {}: {}", reference.file(), task::sizes_text(sizes),
                                outcome->fault->message),
                    outcome->fault->where);
    for (std::size_t i = 0; i < task.tensors.size(); ++i) {
        if (task.tensors[i].role != task::Role::input) continue;
        if (auto done = instance->read(i, outputs.actual); !done) return std::unexpected(done.error());
        if (!same_bytes(outputs.actual, inputs[i]))
            return fail(Stage::task, ErrorCode::invalid_input,
                        fmt::format("the reference {} modifies its input {}", reference.file(), task.tensors[i].name),
                        Where{reference.file()});
    }
    return instance;
}

/// The .npy that the task gives for an output.
Result<void> given_output(const Job& job, const task::Tensor& tensor, const task::Sizes& sizes, Bytes& into) {
    const auto file = job.files.find(tensor.expected);
    if (file == job.files.end())
        return fail(Stage::task, ErrorCode::not_found, fmt::format("'{}' is not in the task folder", tensor.expected),
                    tensor.where);
    auto array = task::parse_npy(file->second, tensor.expected, std::move(into));
    if (!array) return std::unexpected(array.error());
    auto extent = task::extent_of(tensor.shape, tensor.type, tensor.name, sizes);
    if (!extent) return std::unexpected(extent.error());
    if (array->type != tensor.type || array->bytes.size() != extent->bytes)
        return fail(Stage::task, ErrorCode::invalid_input,
                    fmt::format("{} does not have the type and shape of tensor {} at {}", tensor.expected, tensor.name,
                                task::sizes_text(sizes)),
                    tensor.where);
    into = std::move(array->bytes);
    return {};
}

Result<void> torch_output(const Job& job, const task::Tensor& tensor, const task::Sizes& sizes, std::uint64_t seed,
                          Bytes& into) {
    auto bytes = read_torch_values(job, tensor, sizes, seed, TorchValues::after, std::move(into));
    if (!bytes) return std::unexpected(bytes.error());
    into = std::move(*bytes);
    return {};
}

} // namespace

Result<void> find_expected(const Job& job, const task::Task& task, const LoadedSource* reference,
                           const task::Sizes& sizes, std::uint64_t seed, const HostTensors& inputs, Outputs& outputs,
                           std::stop_token stop, device::Device& device) {
    outputs.expected.resize(task.tensors.size());
    const bool all_given = task.is_torch() || std::ranges::all_of(task.tensors, [](const task::Tensor& tensor) {
                               return tensor.role == task::Role::input || !tensor.expected.empty();
                           });
    std::optional<LoadedSource::Instance> instance;
    if (!all_given) {
        if (!reference) return fail(Stage::task, ErrorCode::internal, "the job lacks the task's reference");
        auto made = run_reference(*reference, task, sizes, inputs, outputs, stop, device);
        if (!made) return std::unexpected(made.error());
        instance = std::move(*made);
    }
    for (std::size_t i = 0; i < task.tensors.size(); ++i) {
        const auto& tensor = task.tensors[i];
        if (tensor.role == task::Role::input) continue;
        auto& expected = outputs.expected[i];
        if (auto done = task.is_torch()           ? torch_output(job, tensor, sizes, seed, expected)
                        : tensor.expected.empty() ? instance->read(i, expected)
                                                  : given_output(job, tensor, sizes, expected);
            !done)
            return done;
        const auto& tolerance = tensor.tolerance.value_or(task.tolerance);
        if (auto problem = verify::too_lenient(expected, tensor.type, tolerance, kPoison))
            return fail(Stage::task, ErrorCode::invalid_input,
                        fmt::format("tensor {} at {}: {}", tensor.name, task::sizes_text(sizes), *problem),
                        tensor.where);
    }
    return {};
}

std::string problem_of(const Check& check) {
    if (!check.problem.empty()) return check.problem;
    const auto& comparison = check.comparison;
    std::string text = fmt::format("{} of {} elements of {} differ at {}", comparison.mismatches, comparison.elements,
                                   check.tensor, task::sizes_text(check.sizes));
    if (comparison.first_mismatch) {
        const auto& first = *comparison.first_mismatch;
        text += fmt::format("; the first is {}[{}]: expected {}, got {}", check.tensor,
                            fmt::join(first.coordinates, ", "), first.expected_text, first.actual_text);
    }
    return text;
}

Result<void> compare_run(const task::Task& task, const task::Sizes& sizes, std::uint64_t seed,
                         const LoadedSource::Instance& run, const HostTensors& inputs, Outputs& outputs,
                         VerifyReport& report) {
    for (std::size_t i = 0; i < task.tensors.size(); ++i) {
        const auto& tensor = task.tensors[i];
        if (auto done = run.read(i, outputs.actual); !done) return done;
        if (tensor.role == task::Role::input) {
            if (same_bytes(outputs.actual, inputs[i])) continue;
            report.checks.push_back(
                {.sizes = sizes,
                 .seed = seed,
                 .tensor = tensor.name,
                 .ok = false,
                 .problem = fmt::format("the kernel modified its input {} at {}", tensor.name, task::sizes_text(sizes)),
                 .comparison = {}});
            continue;
        }
        Check check{.sizes = sizes, .seed = seed, .tensor = tensor.name, .ok = false, .problem = {}, .comparison = {}};
        check.comparison = verify::compare(outputs.expected[i], outputs.actual, tensor.type,
                                           run.plan().buffers[i].shape, tensor.tolerance.value_or(task.tolerance));
        check.ok = check.comparison.ok();
        report.checks.push_back(std::move(check));
    }
    return {};
}

} // namespace kw::pipeline
