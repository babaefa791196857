#pragma once

#include <cstdint>

namespace kw::cupti {

/// What one multiprocessor holds.
struct SmLimits {
    int capability = 0; ///< 90 for 9.0
    std::uint32_t warps = 0;
    std::uint32_t blocks = 0;
    std::uint32_t shared_bytes = 0;
    std::uint32_t registers = 65536;
};

/// By compute capability ("90"), CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability".
/// One that is not in it gives the limits of the newest below it; older than 5.0 gives zeros.
[[nodiscard]] SmLimits sm_limits(int capability);

/// Warps that fit on a multiprocessor, as a fraction of the most that it holds; 0 when the limits are unknown or
/// nothing fits. Registers are given to warps in units of 256 and from four equal shares, shared memory in units of 128
/// bytes (256 before 8.0) after 1 KiB of the system's own per block (since 8.0); CUDA Occupancy Calculator.
[[nodiscard]] double theoretical_occupancy(const SmLimits& limits, std::uint64_t block_threads,
                                           std::uint32_t registers_per_thread, std::uint32_t shared_bytes_per_block);

} // namespace kw::cupti
