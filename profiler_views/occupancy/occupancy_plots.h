#pragma once

#include "engine/device/occupancy.h"
#include "widgets/plot_data.h"

#include <QString>

/// The curves of the occupancy calculator as plain values.
namespace kw::profiler_views {

/// What a launch asks of an SM.
struct OccupancyDemand {
    std::uint32_t threads = 256;     ///< per block
    std::uint32_t registers = 32;    ///< per thread
    std::uint32_t static_shared = 0; ///< bytes per block
    std::uint32_t dynamic_shared = 0;
    [[nodiscard]] std::uint32_t shared() const { return static_shared + dynamic_shared; }
    bool operator==(const OccupancyDemand&) const = default;
};

[[nodiscard]] widgets::PlotData occupancy_by_block_plot(const device::SmLimits& limits, const OccupancyDemand& demand);
[[nodiscard]] widgets::PlotData occupancy_by_registers_plot(const device::SmLimits& limits,
                                                            const OccupancyDemand& demand);
[[nodiscard]] widgets::PlotData occupancy_by_shared_plot(const device::SmLimits& limits, const OccupancyDemand& demand);

/// "registers: 91 per thread let 20 warps on an SM …", one sentence about what sets the limit and what would lift it.
[[nodiscard]] QString limiter_sentence(const device::SmLimits& limits, const OccupancyDemand& demand);

} // namespace kw::profiler_views
