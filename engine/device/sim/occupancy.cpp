#include "engine/device/sim/occupancy.h"

#include "engine/device/occupancy.h"

namespace kw::sim {

Occupancy occupancy(const GpuModel& model, std::uint32_t threads, std::uint32_t registers, std::uint32_t shared) {
    const auto fit = device::occupancy(sm_limits(model), threads, registers, shared);
    return {fit.blocks_per_sm, fit.warps_per_sm, fit.fraction, to_string(fit.limiter)};
}

device::SmLimits sm_limits(const GpuModel& model) {
    return {.warps = model.warps_per_sm,
            .blocks = model.blocks_per_sm,
            .shared_bytes = model.shared_per_sm,
            .registers = model.registers_per_sm,
            .registers_per_thread = model.registers_per_thread,
            .threads_per_block = 1024,
            .shared_per_block = model.shared_per_block_optin,
            .shared_reserved = model.shared_reserved,
            .shared_unit = 128,
            .register_unit = 256,
            .register_shares = model.schedulers_per_sm};
}

} // namespace kw::sim
