#include "engine/profile/cupti/activity_occupancy.h"

#include "engine/device/occupancy.h"

#include <algorithm>

namespace kw::cupti {

SmLimits sm_limits(int capability) {
    const auto limits = device::sm_limits(capability);
    if (limits.warps == 0) return {};
    return {limits.capability, limits.warps, limits.blocks, limits.shared_bytes, limits.registers};
}

double theoretical_occupancy(const SmLimits& limits, std::uint64_t block_threads, std::uint32_t registers_per_thread,
                             std::uint32_t shared_bytes_per_block) {
    if (limits.warps == 0) return 0;
    auto rules = device::sm_limits(limits.capability);
    rules.warps = limits.warps;
    rules.blocks = limits.blocks;
    rules.shared_bytes = limits.shared_bytes;
    rules.registers = limits.registers;
    const auto threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(block_threads, UINT32_MAX));
    return device::occupancy(rules, threads, registers_per_thread, shared_bytes_per_block).fraction;
}

} // namespace kw::cupti
