#include "engine/device/occupancy.h"

#include <algorithm>
#include <charconv>

namespace kw::device {
namespace {

constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kKiB = 1024;

struct Row {
    int capability;
    std::uint32_t warps, blocks, shared_kib;
};
constexpr Row kRows[] = {
    {50, 64, 32, 64},  {52, 64, 32, 96},   {53, 64, 32, 64},   {60, 64, 32, 64},   {61, 64, 32, 96},  {62, 64, 32, 64},
    {70, 64, 32, 96},  {75, 32, 16, 64},   {80, 64, 32, 164},  {86, 48, 16, 100},  {87, 48, 16, 164}, {89, 48, 24, 100},
    {90, 64, 32, 228}, {100, 64, 32, 228}, {110, 48, 24, 228}, {120, 48, 24, 100},
};

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

} // namespace

SmLimits sm_limits(int capability) {
    const auto* const above = std::ranges::upper_bound(kRows, capability, {}, &Row::capability);
    if (above == std::begin(kRows)) return {};
    const Row& row = *std::prev(above);
    SmLimits limits{
        .capability = row.capability, .warps = row.warps, .blocks = row.blocks, .shared_bytes = row.shared_kib * kKiB};
    if (row.capability >= 80) {
        limits.shared_reserved = kKiB;
        limits.shared_unit = 128;
    }
    if (row.capability >= 70) limits.shared_per_block = limits.shared_bytes - limits.shared_reserved;
    if (row.capability == 60) limits.register_shares = 2; // the only one with two schedulers
    return limits;
}

std::optional<int> capability_of(std::string_view arch) {
    if (!arch.starts_with("sm_")) return {};
    arch.remove_prefix(3);
    int capability = 0;
    const auto [end, error] = std::from_chars(arch.data(), arch.data() + arch.size(), capability);
    const std::string_view rest(end, static_cast<std::size_t>(arch.data() + arch.size() - end));
    if (error != std::errc{} || capability <= 0 || (!rest.empty() && rest != "a" && rest != "f")) return {};
    return capability;
}

std::string_view to_string(Limiter limiter) {
    switch (limiter) {
    case Limiter::warps: return "warps";
    case Limiter::blocks: return "blocks";
    case Limiter::registers: return "registers";
    case Limiter::shared_memory: return "shared memory";
    }
    return "";
}

Occupancy occupancy(const SmLimits& limits, std::uint32_t threads, std::uint32_t registers, std::uint32_t shared) {
    Occupancy result;
    const std::uint32_t warps = std::max((threads + kWarp - 1) / kWarp, 1u);
    auto& [by_blocks, by_warps, by_registers, by_shared] = result.allowed;
    by_warps = threads == 0 || threads > limits.threads_per_block ? 0 : limits.warps / warps;
    by_blocks = limits.blocks;
    by_registers = UINT32_MAX;
    if (registers > limits.registers_per_thread) {
        by_registers = 0;
    } else if (registers > 0) {
        const auto per_warp = round_up(std::uint64_t{registers} * kWarp, limits.register_unit);
        const auto in_a_share = limits.registers / limits.register_shares / per_warp;
        by_registers = static_cast<std::uint32_t>(in_a_share * limits.register_shares / warps);
    }
    const auto per_block = round_up(std::uint64_t{shared} + limits.shared_reserved, limits.shared_unit);
    by_shared = UINT32_MAX;
    if (shared > limits.shared_per_block)
        by_shared = 0;
    else if (per_block > 0)
        by_shared = static_cast<std::uint32_t>(limits.shared_bytes / per_block);

    const auto least = std::ranges::min_element(result.allowed);
    result.limiter = kLimiters[least - result.allowed.begin()];
    result.blocks_per_sm = *least;
    result.warps_per_sm = result.blocks_per_sm * warps;
    result.fraction = limits.warps == 0 ? 0 : static_cast<double>(result.warps_per_sm) / limits.warps;
    return result;
}

OccupancyCurve occupancy_by_block(const SmLimits& limits, std::uint32_t registers, std::uint32_t shared) {
    OccupancyCurve curve;
    for (std::uint32_t threads = kWarp; threads <= limits.threads_per_block; threads += kWarp) {
        curve.at.push_back(threads);
        curve.fraction.push_back(occupancy(limits, threads, registers, shared).fraction);
    }
    return curve;
}

OccupancyCurve occupancy_by_registers(const SmLimits& limits, std::uint32_t threads, std::uint32_t shared) {
    OccupancyCurve curve;
    for (std::uint32_t registers = 1; registers <= limits.registers_per_thread; ++registers) {
        curve.at.push_back(registers);
        curve.fraction.push_back(occupancy(limits, threads, registers, shared).fraction);
    }
    return curve;
}

OccupancyCurve occupancy_by_shared(const SmLimits& limits, std::uint32_t threads, std::uint32_t registers) {
    constexpr std::uint32_t kStep = 512;
    OccupancyCurve curve;
    for (std::uint32_t shared = 0; shared <= limits.shared_per_block; shared += kStep) {
        curve.at.push_back(shared);
        curve.fraction.push_back(occupancy(limits, threads, registers, shared).fraction);
    }
    return curve;
}

} // namespace kw::device
