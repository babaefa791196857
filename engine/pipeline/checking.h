#pragma once

#include "engine/pipeline/evaluation.h"
#include "engine/pipeline/job.h"
#include "engine/pipeline/plan_runner.h"

#include <stop_token>
#include <string>

/// Comparing what a run left behind with what it should have left.
namespace kw::pipeline {

/// What a check holds on the host; its memory serves the next one again.
struct Outputs {
    HostTensors expected; ///< right ones by tensor index
    Bytes actual{};       ///< what was read last
};

/// Sets `outputs.expected`: from the reference run on fresh memory, from the task's .npy, or from what a PyTorch
/// reference gave for `seed`; where each output has such values, the reference is not run and may be null. A reference
/// that faults, a tolerance that would pass an unwritten output and an .npy of another shape are errors of the task.
[[nodiscard]] Result<void> find_expected(const Job& job, const task::Task& task, const LoadedSource* reference,
                                         const task::Sizes& sizes, std::uint64_t seed, const HostTensors& inputs,
                                         Outputs& outputs, std::stop_token stop, device::Device& device);

/// Appends a check per output tensor and a failed one for each input that is no longer what it was.
[[nodiscard]] Result<void> compare_run(const task::Task& task, const task::Sizes& sizes, std::uint64_t seed,
                                       const LoadedSource::Instance& run, const HostTensors& inputs, Outputs& outputs,
                                       VerifyReport& report);

/// Why a failed check failed, in one sentence.
[[nodiscard]] std::string problem_of(const Check& check);

} // namespace kw::pipeline
