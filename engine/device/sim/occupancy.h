#pragma once

#include "engine/device/occupancy.h"
#include "engine/device/sim/gpu_model.h"

#include <cstdint>
#include <string_view>

namespace kw::sim {

struct Occupancy {
    std::uint32_t blocks_per_sm = 0;
    std::uint32_t warps_per_sm = 0;
    double fraction = 0; ///< warps_per_sm of the most that the SM holds
    /// What allows no more: "blocks", "warps", "registers" or "shared memory".
    std::string_view limiter;
};

/// What an SM of the data sheet holds.
[[nodiscard]] device::SmLimits sm_limits(const GpuModel& model);

/// How many blocks fit on an SM (engine/device/occupancy.h). `threads` per block; `registers` per thread, 0 when
/// unknown; `shared` bytes per block, static and dynamic.
[[nodiscard]] Occupancy occupancy(const GpuModel& model, std::uint32_t threads, std::uint32_t registers,
                                  std::uint32_t shared);

} // namespace kw::sim
