#pragma once

#include "engine/device/occupancy.h"
#include "engine/device/sim/gpu_model.h"
#include "engine/profile/report.h"

#include <cstddef>
#include <string>
#include <vector>

/// How far a launch is from what its GPU could do, after Williams, Waterman and Patterson, "Roofline: An Insightful
/// Visual Performance Model for Multicore Architectures", CACM 2009.
namespace kw::profile {

/// A simulated GPU's own data sheet (resources/gpus), or the one with a real GPU's name; null when there is none.
[[nodiscard]] const sim::GpuModel* data_sheet_of(const device::Info& device);
/// What one of its SMs holds: by its data sheet, else by its architecture; zeros when neither is known.
[[nodiscard]] device::SmLimits sm_limits_of(const device::Info& device);

/// The ceilings of a GPU by its data sheet (resources/gpus): of a simulated one its own, of a real one the sheet with
/// its name; empty when there is none. Arithmetic first, then memory.
[[nodiscard]] std::vector<Ceiling> ceilings_of(const device::Info& device);

/// A launch against one memory ceiling.
struct RooflinePoint {
    std::size_t launch = 0;
    std::string memory;  ///< id of the ceiling that `intensity` is about: "dram", "l2"
    std::string compute; ///< id of the arithmetic ceiling that most of its operations fall under: "fp32", "tensor_fp16"
    double intensity = 0; ///< operations per byte
    double rate = 0;      ///< operations per second
    /// Of what the two ceilings allow at this intensity, 0 to 1; 0 where the ceilings are not known.
    double reached = 0;
    bool memory_bound = false; ///< the memory ceiling is the lower one at this intensity
};
/// For every launch that has operations, bytes and a duration; ceilings are the report's.
[[nodiscard]] std::vector<RooflinePoint> roofline_points(const Report& report);

} // namespace kw::profile
