#pragma once

#include "engine/device/counters.h"
#include "engine/device/sim/gpu_model.h"

#include <string>
#include <utility>
#include <vector>

namespace kw::sim {

/// What a launch would take on a GPU, by a model: the largest of several bounds, each computed as if nothing else
/// mattered.
struct Estimate {
    double us = 0;
    std::string limited_by;                                ///< name of the largest bound
    std::vector<std::pair<std::string, double>> bounds_us; ///< all bounds, without the launch overhead
    double l2_bytes = 0;                                   ///< on their way between the SMs and L2
    double dram_bytes = 0;                                 ///< on their way between L2 and DRAM
};

/// Counters of a sampled launch are scaled to the whole grid first.
[[nodiscard]] Estimate estimate(const GpuModel& model, const device::LaunchCounters& counters);

} // namespace kw::sim
