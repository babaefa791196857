#pragma once

#include "engine/base/json.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kw::device {

/// Events counted while a kernel runs, summed over all executed warps. Names follow Nsight Compute's where one exists.
/// "warp instruction": one instruction issued for one warp; "thread instruction": one per active lane.
struct Events {
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;

    // Warp instructions by the pipe that would issue them.
    std::uint64_t fp32 = 0; ///< add, sub, mul, fma, min, max, compare in f32
    std::uint64_t fp64 = 0;
    std::uint64_t fp16 = 0;       ///< f16, bf16 and their packed forms
    std::uint64_t integer = 0;    ///< integer arithmetic, logic, shifts, moves, selects, conversions between integers
    std::uint64_t special = 0;    ///< ex2, lg2, sin, cos, rcp, rsqrt, sqrt, division, float conversions
    std::uint64_t tensor = 0;     ///< mma and wmma
    std::uint64_t load_store = 0; ///< any access to memory, atomics included
    std::uint64_t control = 0;    ///< branches, calls, barriers, votes, shuffles

    // Thread-level floating-point operations; a fused multiply-add counts two.
    std::uint64_t flops_fp32 = 0;
    std::uint64_t flops_fp64 = 0;
    std::uint64_t flops_fp16 = 0;
    std::uint64_t flops_tensor = 0;
    std::uint64_t flops_tensor_bf16 = 0; ///< those of flops_tensor on bf16
    std::uint64_t flops_tensor_tf32 = 0; ///< those of flops_tensor on tf32

    // Global memory. A sector is 32 bytes; a request is one warp instruction.
    std::uint64_t global_load_requests = 0;
    std::uint64_t global_load_sectors = 0;
    std::uint64_t global_load_bytes = 0; ///< bytes that lanes asked for
    std::uint64_t global_store_requests = 0;
    std::uint64_t global_store_sectors = 0;
    std::uint64_t global_store_bytes = 0;
    std::uint64_t unique_load_sectors =
        0; ///< distinct sectors read in the launch: the least that must come from memory
    std::uint64_t unique_store_sectors = 0; ///< distinct sectors written in the launch

    // Shared memory: 32 banks of 4 bytes. A conflict-free request takes one wavefront per 128 bytes. Atomics are
    // stores whose lanes on one address take a wavefront each.
    std::uint64_t shared_load_requests = 0;
    std::uint64_t shared_load_wavefronts = 0;
    std::uint64_t shared_store_requests = 0;
    std::uint64_t shared_store_wavefronts = 0;
    std::uint64_t shared_bank_conflicts = 0; ///< wavefronts above the conflict-free number

    std::uint64_t local_requests = 0;
    std::uint64_t local_sectors = 0;
    // Atomics on global memory count as stores too, not as loads.
    std::uint64_t atomic_requests = 0;
    std::uint64_t atomic_serialized = 0; ///< sum over requests and sectors of the most lanes on one address
    std::uint64_t barriers = 0;          ///< warp instructions that wait for the block
    std::uint64_t branches = 0;
    std::uint64_t divergent_branches = 0;

    Events& operator+=(const Events& other);
    bool operator==(const Events&) const = default;
};

/// Every field of Events by name, in declaration order: printing, JSON and comparison all walk this one table.
struct EventField {
    const char* name;
    std::uint64_t Events::* value;
};
[[nodiscard]] std::vector<EventField> event_fields();

[[nodiscard]] Json to_json(const Events& events);
[[nodiscard]] Events events_from_json(const Json& json);

/// Events of one source line. `file` and `line` are of the innermost inlined position; line 0: no line information.
struct LineEvents {
    std::string file;
    int line = 0;
    Events events;
};

/// What one counted launch did.
struct LaunchCounters {
    std::string kernel;
    std::uint64_t blocks = 0;          ///< blocks of the grid
    std::uint64_t blocks_executed = 0; ///< fewer than `blocks` when the grid was sampled; `events` are not scaled
    std::uint32_t threads_per_block = 0;
    std::uint32_t shared_bytes = 0; ///< static + dynamic, per block
    std::uint32_t registers = 0;    ///< per thread, from ptxas when known, else 0
    /// How the number of distinct sectors grew with the executed blocks: as their number to this power. 1: each block
    /// touches its own; 0: all touch the same. For scaling `unique_*_sectors` of a sampled launch.
    double unique_exponent = 1;
    Events events;
    std::vector<LineEvents> lines;
};
[[nodiscard]] Json to_json(const LaunchCounters& counters);
[[nodiscard]] LaunchCounters launch_counters_from_json(const Json& json);

} // namespace kw::device
