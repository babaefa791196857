#include "engine/pipeline/checking.h"

#include "engine/task/inputs.h"

#include <fmt/format.h>

#include <cstring>

namespace kw::pipeline {
namespace {

std::string label_of(const task::Sizes& sizes) {
    std::string text;
    for (const auto& [name, value] : sizes) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
    return text.empty() ? "no sizes" : text;
}

} // namespace

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

std::string problem_of(const Check& check) {
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

} // namespace kw::pipeline
