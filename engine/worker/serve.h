#pragma once

#include "engine/base/result.h"
#include "engine/worker/service.h"

#include <cstdint>
#include <string>

namespace kw::worker {

/// `kw-worker serve`: answers on standard input and output until `shutdown` or the end of input, then ends the process.
[[nodiscard]] Result<void> serve(Service::Settings settings);

/// `kw-worker exec`: the child that runs kernels; methods execute, open, locate, ladder, describe and devices.
/// `memory_bytes` bounds its data (RLIMIT_DATA, which leaves the address space that a GPU driver reserves alone); 0:
/// nine tenths of the machine's. `toolkit`: see pipeline::open_profiler.
[[nodiscard]] Result<void> execute_jobs(std::uint64_t memory_bytes, std::string toolkit);

/// `kw-worker compiler`: the child that compiles; methods describe and compile.
[[nodiscard]] Result<void> compile_jobs(const std::string& toolkit);

} // namespace kw::worker
