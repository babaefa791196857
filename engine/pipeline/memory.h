#pragma once

#include "engine/pipeline/job.h"

namespace kw::pipeline {

/// Refuses an evaluation that would not fit: on the simulator into this machine's memory (or
/// Options::memory_limit_bytes), on a GPU into the device's. Counts every source's buffers and the host's copies of
/// inputs, expected and actual outputs.
[[nodiscard]] Result<void> check_memory(const task::Task& task, const Job& job, const device::Info& info);

} // namespace kw::pipeline
