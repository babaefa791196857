#pragma once

#include "engine/device/counters.h"
#include "engine/device/sim/gpu_model.h"

#include <string>
#include <utility>
#include <vector>

namespace kw::sim {

/// What a launch would take on a GPU, by a model: several bounds, each computed as if nothing else mattered, and a
/// power mean of them that is little above the largest.
struct Estimate {
    double us = 0;
    std::string limited_by;                                ///< name of the largest bound
    std::vector<std::pair<std::string, double>> bounds_us; ///< all bounds, without the launch overhead
    double l2_bytes = 0;                                   ///< on their way between the SMs and L2
    double dram_bytes = 0;                                 ///< on their way between L2 and DRAM
};

/// Microseconds that a run takes beyond its launches when it is timed from outside, with cold caches.
inline constexpr double kColdStartUs = 2.8;

/// Counters of a sampled launch are scaled to the whole grid first.
[[nodiscard]] Estimate estimate(const GpuModel& model, const device::LaunchCounters& counters);

} // namespace kw::sim
