#pragma once

#include "engine/base/result.h"
#include "engine/worker/service.h"

#include <cstdint>

namespace kw::worker {

/// `kw-worker serve`: answers on standard input and output until `shutdown` or the end of input, then ends the process.
[[nodiscard]] Result<void> serve(Service::Settings settings);

/// `kw-worker exec`: the child that runs kernels; methods execute, describe and devices. `memory_bytes` bounds its data
/// (RLIMIT_DATA, which leaves the address space that a GPU driver reserves alone); 0: nine tenths of the machine's.
[[nodiscard]] Result<void> execute_jobs(std::uint64_t memory_bytes);

} // namespace kw::worker
