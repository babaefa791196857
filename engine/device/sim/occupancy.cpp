#include "engine/device/sim/occupancy.h"

#include <algorithm>

namespace kw::sim {
namespace {

constexpr std::uint32_t kRegisterUnit = 256;
constexpr std::uint32_t kSharedUnit = 128;

} // namespace

Occupancy occupancy(const GpuModel& model, std::uint32_t threads, std::uint32_t registers, std::uint32_t shared) {
    Occupancy result;
    const std::uint32_t warps = std::max((threads + 31) / 32, 1u);
    result.blocks_per_sm = model.blocks_per_sm;
    result.limiter = "blocks";
    const auto limit = [&](std::uint32_t blocks, std::string_view name) {
        if (blocks < result.blocks_per_sm) {
            result.blocks_per_sm = blocks;
            result.limiter = name;
        }
    };
    limit(std::min(model.warps_per_sm / warps, model.threads_per_sm / std::max(threads, 1u)), "warps");
    if (registers > 0) {
        const std::uint32_t per_warp = (registers * 32 + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
        // Each scheduler has its share of the register file, so whole warps per share count.
        const std::uint32_t warps_that_fit =
            model.registers_per_sm / model.schedulers_per_sm / per_warp * model.schedulers_per_sm;
        limit(registers > model.registers_per_thread ? 0 : warps_that_fit / warps, "registers");
    }
    const std::uint32_t per_block = (shared + model.shared_reserved + kSharedUnit - 1) / kSharedUnit * kSharedUnit;
    limit(model.shared_per_sm / per_block, "shared memory");
    result.warps_per_sm = result.blocks_per_sm * warps;
    result.fraction = static_cast<double>(result.warps_per_sm) / model.warps_per_sm;
    return result;
}

} // namespace kw::sim
