#include "engine/device/sim/estimate.h"

#include "engine/device/sim/occupancy.h"

#include <algorithm>
#include <cmath>

namespace kw::sim {
namespace {

constexpr double kSectorBytes = 32;

// The constants below are of the model, not of a kernel: tests/gpu/estimate_check.py prints how well they do, and
// docs/simulator.md how they do on tasks that they were not fitted to.

/// How bounds add up: the power mean of this order, between their sum (1) and the largest alone (infinite).
constexpr double kOverlap = 6;
/// Issue slots that a branch, a vote or a shuffle takes beside its own.
constexpr double kControlIssue = 3;
/// Machine instructions of the pipe for one PTX instruction: special functions come with their range reduction.
constexpr double kArithmeticCost = 1.04;
constexpr double kSpecialCost = 2.5;
/// Cycles of a wavefront of shared memory; of those that bank conflicts and atomics add to stores.
constexpr double kSharedCycles = 1.36;
constexpr double kSerialSharedCycles = 2.85;
/// Of the loads that touch a sector again, this part misses L1.
constexpr double kL1MissOfReuse = 0.05;
/// Sectors that a store writes in part cost L2 so much more.
constexpr double kPartialStore = 0.45;
/// Independent loads that a warp has in flight at one time, from global and from shared memory.
constexpr double kLoadsInFlight = 3;
constexpr double kSharedLoadsInFlight = 5.6;
/// Independent arithmetic instructions of a warp at one time.
constexpr double kInstructionParallelism = 5.8;
/// Cycles until a block's warps go on after a barrier, and until a block's first instruction after its place is free.
constexpr double kBarrierCycles = 190;
constexpr double kBlockStartCycles = 1400;
/// Share of the tensor peak, which only wgmma reaches, that plain mma.sync code with its loads of fragments does.
constexpr double kTensorEfficiency = 0.19;
/// L2 takes 64 bytes per clock from each of its slices, which tells their number from the bandwidth; neighbouring
/// addresses share a slice in pieces of about this size.
constexpr double kSliceBytesPerClock = 64;
constexpr double kSlicePieceBytes = 4096;
/// Blocks on a fraction of the SMs can draw at most this multiple of their share of the memory bandwidth.
constexpr double kBandwidthPerSmBoost = 2;

} // namespace

Estimate estimate(const GpuModel& model, const device::LaunchCounters& counters) {
    const device::Events& events = counters.events;
    const double blocks = static_cast<double>(std::max<std::uint64_t>(counters.blocks, 1));
    const double executed = static_cast<double>(std::max<std::uint64_t>(counters.blocks_executed, 1));
    const double scale = blocks / executed;
    const double unique_scale = std::pow(scale, std::clamp(counters.unique_exponent, 0.0, 1.0));
    const auto count = [&](std::uint64_t value) { return static_cast<double>(value) * scale; };
    const double sms = model.sm_count;
    const double cycles_per_us = model.clock_mhz;

    const Occupancy fit = occupancy(model, counters.threads_per_block, counters.registers, counters.shared_bytes);
    const double resident = std::max(fit.blocks_per_sm, 1u);
    // The busiest SM has whole blocks: ⌈blocks / SMs⌉ of them where the average is blocks / SMs.
    const double imbalance = std::ceil(blocks / sms) / (blocks / sms);

    Estimate result;
    const auto bound = [&](const char* name, double us) { result.bounds_us.emplace_back(name, us); };
    // Warp instructions over the rate at which the SMs' pipe takes them: lanes / 32 per clock.
    const auto pipe = [&](const char* name, double warp_instructions, double lanes) {
        bound(name, warp_instructions * 32 / lanes / sms / cycles_per_us * imbalance);
    };
    // One instruction per scheduler and clock. PTX has no address arithmetic folded in and no scheduling; its number of
    // instructions stands for the machine's.
    bound("issue", (count(events.warp_instructions) + count(events.control) * kControlIssue) / model.schedulers_per_sm
                       / sms / cycles_per_us * imbalance);
    pipe("FP32", count(events.fp32) * kArithmeticCost, model.fp32_lanes);
    pipe("FP64", count(events.fp64) * kArithmeticCost, model.fp64_lanes);
    pipe("FP16", count(events.fp16) * kArithmeticCost,
         model.fp16_lanes / 2); // lanes count half results, an instruction makes pairs
    pipe("INT", count(events.integer) * kArithmeticCost, model.int_lanes);
    pipe("SFU", count(events.special) * kSpecialCost, model.special_lanes);
    const double bf16 = count(events.flops_tensor_bf16), tf32 = count(events.flops_tensor_tf32);
    const double tensor = (count(events.flops_tensor) - bf16 - tf32) / model.tensor_fp16 + bf16 / model.tensor_bf16
                          + tf32 / model.tensor_tf32;
    bound("tensor", tensor / (1e6 * kTensorEfficiency) * imbalance);
    // Shared memory serves wavefronts of 128 bytes; what a store takes beyond one for each request is serial.
    const double shared_stores = count(events.shared_store_requests);
    const double serial = std::max(count(events.shared_store_wavefronts) - shared_stores, 0.0);
    const double shared =
        (count(events.shared_load_wavefronts) + shared_stores) * kSharedCycles + serial * kSerialSharedCycles;
    bound("shared memory", shared / sms / cycles_per_us * imbalance);
    // L1 looks up a line of 128 bytes per clock: four sectors where lanes use all of them, one where they do not.
    const double loads = count(events.global_load_sectors), stores = count(events.global_store_sectors);
    const double used_loads = std::min(count(events.global_load_bytes) / kSectorBytes, loads);
    const double used_stores = std::min(count(events.global_store_bytes) / kSectorBytes, stores);
    const double partial_stores = stores - used_stores;
    const double lines =
        (used_loads + used_stores + count(events.local_sectors)) / 4 + (loads - used_loads) + partial_stores;
    bound("L1", lines / sms / cycles_per_us * imbalance);

    // Bytes on their way to L2: every distinct sector once, and what reuse misses L1.
    const double unique_loads = static_cast<double>(events.unique_load_sectors) * unique_scale;
    const double unique_stores = static_cast<double>(events.unique_store_sectors) * unique_scale;
    const double l2_bytes = (unique_loads + std::max(loads - unique_loads, 0.0) * kL1MissOfReuse
                             + std::max(stores, unique_stores) + partial_stores * kPartialStore)
                            * kSectorBytes;
    const double reach = std::min(1.0, blocks * kBandwidthPerSmBoost / sms);
    bound("L2", l2_bytes / (model.l2_gbps * 1e3 * reach));
    // DRAM: the footprint, and again the part of the L2 traffic that a footprint above L2's size makes it lose.
    const double footprint = (unique_loads + unique_stores) * kSectorBytes;
    const double l2_size = model.l2_mb * 1048576;
    const double lost = footprint > l2_size ? 1 - l2_size / footprint : 0;
    result.l2_bytes = l2_bytes;
    result.dram_bytes = footprint + std::max(l2_bytes - footprint, 0.0) * lost;
    bound("DRAM", result.dram_bytes / (model.dram_gbps * 1e3 * reach));
    // A slice of L2 does one atomic operation on a sector per clock; few addresses lie in few slices.
    const double slices = std::max(model.l2_gbps * 1e3 / (kSliceBytesPerClock * cycles_per_us), 1.0);
    // Not scaled: a sample of blocks shows how far the addresses spread.
    const double touched = std::clamp(
        std::ceil(static_cast<double>(events.unique_store_sectors) * kSectorBytes / kSlicePieceBytes), 1.0, slices);
    bound("atomics", count(events.atomic_serialized) / touched / cycles_per_us);

    // Latency: a warp's own chain, times the waves of resident blocks.
    const double warps = blocks * std::max((counters.threads_per_block + 31) / 32, 1u);
    const auto per_warp = [&](std::uint64_t value) { return count(value) / warps; };
    const double chain = per_warp(events.warp_instructions) * model.alu_latency / kInstructionParallelism
                         + per_warp(events.global_load_requests) * model.dram_latency / kLoadsInFlight
                         + per_warp(events.shared_load_requests) * model.shared_latency / kSharedLoadsInFlight
                         + per_warp(events.atomic_requests) * model.l2_latency / kLoadsInFlight
                         + per_warp(events.barriers) * kBarrierCycles + kBlockStartCycles;
    const double waves = std::ceil(blocks / (sms * resident));
    bound("latency", chain * waves / cycles_per_us);

    // Arithmetic pipes work side by side: of them only the busiest counts.
    double largest = 0, arithmetic = 0, powers = 0;
    result.limited_by = "launch";
    for (const auto& [name, us] : result.bounds_us) {
        if (us > largest) {
            largest = us;
            result.limited_by = name;
        }
        if (name == "FP32" || name == "FP64" || name == "FP16" || name == "INT")
            arithmetic = std::max(arithmetic, us);
        else
            powers += std::pow(us, kOverlap);
    }
    powers += std::pow(arithmetic, kOverlap);
    if (largest < model.launch_overhead_us * 0.5) result.limited_by = "launch";
    result.us = model.launch_overhead_us + std::pow(powers, 1 / kOverlap);
    return result;
}

} // namespace kw::sim
