#include "engine/profile/cupti/activity_occupancy.h"

#include <algorithm>
#include <iterator>

namespace kw::cupti {
namespace {

constexpr std::uint32_t kKiB = 1024;
constexpr SmLimits kLimits[] = {
    {50, 64, 32, 64 * kKiB},  {52, 64, 32, 96 * kKiB},   {53, 64, 32, 64 * kKiB},   {60, 64, 32, 64 * kKiB},
    {61, 64, 32, 96 * kKiB},  {62, 64, 32, 64 * kKiB},   {70, 64, 32, 96 * kKiB},   {75, 32, 16, 64 * kKiB},
    {80, 64, 32, 164 * kKiB}, {86, 48, 16, 100 * kKiB},  {87, 48, 16, 164 * kKiB},  {89, 48, 24, 100 * kKiB},
    {90, 64, 32, 228 * kKiB}, {100, 64, 32, 228 * kKiB}, {110, 48, 24, 228 * kKiB}, {120, 48, 24, 100 * kKiB},
};

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

} // namespace

SmLimits sm_limits(int capability) {
    const auto* const above =
        std::ranges::upper_bound(kLimits, capability, {}, [](const SmLimits& limits) { return limits.capability; });
    return above == std::begin(kLimits) ? SmLimits{} : *std::prev(above);
}

double theoretical_occupancy(const SmLimits& limits, std::uint64_t block_threads, std::uint32_t registers_per_thread,
                             std::uint32_t shared_bytes_per_block) {
    if (limits.warps == 0 || block_threads == 0) return 0;
    constexpr std::uint64_t kShares = 4; // an SM has four schedulers, each with its part of the registers
    const std::uint64_t warps = (block_threads + 31) / 32;
    std::uint64_t blocks = std::min<std::uint64_t>(limits.blocks, limits.warps / warps);
    if (registers_per_thread > 0) {
        const auto per_warp = round_up(std::uint64_t{registers_per_thread} * 32, 256);
        blocks = std::min(blocks, limits.registers / kShares / per_warp * kShares / warps);
    }
    const bool modern = limits.capability >= 80;
    const auto shared = round_up(std::uint64_t{shared_bytes_per_block} + (modern ? kKiB : 0), modern ? 128 : 256);
    if (shared > 0) blocks = std::min(blocks, limits.shared_bytes / shared);
    return static_cast<double>(blocks * warps) / limits.warps;
}

} // namespace kw::cupti
