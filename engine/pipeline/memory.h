#pragma once

#include "engine/pipeline/job.h"

namespace kw::pipeline {

/// How often timing lays out each source's buffers, inputs included. An estimate counts events, which do not depend on
/// where the inputs lie; a GPU's caches do. There, runs rotate over so many copies that none finds its inputs in L2, as
/// far as half of the device's memory and a sensible number go.
struct Rotations {
    std::size_t count = 1;
    std::uint64_t tensor_bytes = 0; ///< of the task's tensors in one of them
};
[[nodiscard]] Result<Rotations> plan_rotations(const task::Task& task, const Job& job, const device::Info& info);

/// Sets of different values among the rotations.
[[nodiscard]] std::size_t distinct_inputs(const Rotations& rotations);

/// Refuses an evaluation that would not fit: on the simulator into this machine's memory (or
/// Options::memory_limit_bytes), on a GPU into the device's and this machine's. Counts every source's buffers, as often
/// as timing lays them out, and the host's copies of inputs, expected and actual outputs.
[[nodiscard]] Result<void> check_memory(const task::Task& task, const Job& job, const device::Info& info);

} // namespace kw::pipeline
