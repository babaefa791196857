#pragma once

#include "engine/device/device.h"
#include "engine/device/sim/gpu_model.h"

#include <cstdint>
#include <memory>

namespace kw::sim {

struct SimOptions {
    std::uint32_t threads = 0;      ///< of the host; 0: one per core
    std::uint64_t memory_bytes = 0; ///< of the device; 0: what the model has, at most three quarters of the host's
    std::uint64_t most_instructions =
        4'000'000'000; ///< warp instructions of a launch, above which it counts as endless
    std::uint64_t most_warp_instructions = 500'000'000; ///< the same for one warp
    std::uint32_t stack_bytes = 64 * 1024;              ///< per thread, for functions that recurse
    std::uint64_t sampling_budget =
        750'000; ///< warp instructions that measure() spends on a launch before it samples the grid
};

/// A simulated GPU. Modules must be destroyed before it.
[[nodiscard]] Result<std::unique_ptr<device::Device>> open_simulator(const GpuModel& model,
                                                                     const SimOptions& options = {});

} // namespace kw::sim
