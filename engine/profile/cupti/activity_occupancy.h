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

/// By compute capability (90 for 9.0); zeros where it is older than 5.0.
[[nodiscard]] SmLimits sm_limits(int capability);

/// Warps that fit on a multiprocessor, as a fraction of the most that it holds (engine/device/occupancy.h); 0 when the
/// limits are unknown or nothing fits.
[[nodiscard]] double theoretical_occupancy(const SmLimits& limits, std::uint64_t block_threads,
                                           std::uint32_t registers_per_thread, std::uint32_t shared_bytes_per_block);

} // namespace kw::cupti
