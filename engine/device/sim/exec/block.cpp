// Blocks: the fixed rows of their warps, and barriers.
#include "engine/device/sim/exec/launch.h"

#include <bit>
#include <chrono>
#include <cstring>

namespace kw::sim {
namespace {

template<class T> void fill_lanes(std::byte* at, T value, std::uint32_t mask) {
    T* row = reinterpret_cast<T*>(at);
    if (mask == kFullMask) {
        for (std::uint32_t lane = 0; lane < 32; ++lane) row[lane] = value;
        return;
    }
    for (; mask != 0; mask &= mask - 1) row[std::countr_zero(mask)] = value;
}

void fill_row(std::byte* at, RowClass row, std::uint64_t bits, std::uint64_t high, std::uint32_t mask) {
    struct Pair {
        std::uint64_t low, high;
    };
    switch (row) {
    case RowClass::w16: return fill_lanes(at, static_cast<std::uint16_t>(bits), mask);
    case RowClass::w32: return fill_lanes(at, static_cast<std::uint32_t>(bits), mask);
    case RowClass::w64: return fill_lanes(at, bits, mask);
    case RowClass::w128: return fill_lanes(at, Pair{bits, high}, mask);
    case RowClass::pred: break;
    }
    auto* word = reinterpret_cast<std::uint32_t*>(at);
    *word = (*word & ~mask) | (bits ? mask : 0);
}

/// Same for all lanes of a warp, in any block?
bool varies_by_block(Special special) {
    return special == Special::ctaid_x || special == Special::ctaid_y || special == Special::ctaid_z
           || special == Special::smid || (special >= Special::clusterid_x && special <= Special::clusterid_z)
           || (special >= Special::cluster_ctaid_x && special <= Special::cluster_ctaid_z)
           || special == Special::cluster_ctarank;
}

std::uint64_t uniform_special(Special special, const Warp& warp, std::uint32_t local_base) {
    const LaunchState& launch = *warp.launch;
    const LaunchRequest& request = launch.request;
    switch (special) {
    case Special::ntid_x: return request.block.x;
    case Special::ntid_y: return request.block.y;
    case Special::ntid_z: return request.block.z;
    case Special::nctaid_x: return request.grid.x;
    case Special::nctaid_y: return request.grid.y;
    case Special::nctaid_z: return request.grid.z;
    case Special::ctaid_x: return warp.block->position.x;
    case Special::ctaid_y: return warp.block->position.y;
    case Special::ctaid_z: return warp.block->position.z;
    case Special::warpid: return warp.index;
    case Special::nwarpid: return launch.warps_per_block;
    case Special::smid: return warp.block->index % launch.options.sm_count;
    case Special::nsmid: return launch.options.sm_count;
    case Special::gridid: return request.grid_id;
    case Special::dynamic_smem_size: return request.dynamic_shared_bytes;
    case Special::total_smem_size: return launch.shared_bytes;
    case Special::one: return 1;
    case Special::frame_base: return local_base;
    case Special::param_base: return request.parameter_address;
    case Special::grid_barrier_lo: return request.grid_barrier_address & 0xffffffffu;
    case Special::grid_barrier_hi: return request.grid_barrier_address >> 32;
    case Special::clusterid_x: return warp.block->position.x / request.cluster.x;
    case Special::clusterid_y: return warp.block->position.y / request.cluster.y;
    case Special::clusterid_z: return warp.block->position.z / request.cluster.z;
    case Special::nclusterid_x: return request.grid.x / request.cluster.x;
    case Special::nclusterid_y: return request.grid.y / request.cluster.y;
    case Special::nclusterid_z: return request.grid.z / request.cluster.z;
    case Special::cluster_ctaid_x: return warp.block->position.x % request.cluster.x;
    case Special::cluster_ctaid_y: return warp.block->position.y % request.cluster.y;
    case Special::cluster_ctaid_z: return warp.block->position.z % request.cluster.z;
    case Special::cluster_nctaid_x: return request.cluster.x;
    case Special::cluster_nctaid_y: return request.cluster.y;
    case Special::cluster_nctaid_z: return request.cluster.z;
    case Special::cluster_ctarank: return warp.cluster_rank;
    case Special::cluster_nctarank: return warp.cluster_size;
    case Special::explicit_cluster: return warp.cluster_size > 1 ? 1 : 0;
    default: return 0;
    }
}

void fill_special(Warp& warp, const SpecialRow& row, std::byte* frame, std::uint32_t local_base, std::uint32_t mask) {
    const device::Dim3& block = warp.launch->request.block;
    const auto by_lane = [&](auto&& value) {
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            if (!(mask >> lane & 1)) continue;
            const std::uint32_t bits = value(lane);
            if (row.row == RowClass::w64)
                reinterpret_cast<std::uint64_t*>(frame + row.offset)[lane] = bits;
            else
                reinterpret_cast<std::uint32_t*>(frame + row.offset)[lane] = bits;
        }
    };
    const auto thread = [&](std::uint32_t lane) { return warp.index * 32 + lane; };
    switch (row.special) {
    case Special::tid_x: return by_lane([&](std::uint32_t lane) { return thread(lane) % block.x; });
    case Special::tid_y: return by_lane([&](std::uint32_t lane) { return thread(lane) / block.x % block.y; });
    case Special::tid_z: return by_lane([&](std::uint32_t lane) { return thread(lane) / (block.x * block.y); });
    case Special::laneid: return by_lane([](std::uint32_t lane) { return lane; });
    case Special::lanemask_eq: return by_lane([](std::uint32_t lane) { return 1u << lane; });
    case Special::lanemask_lt: return by_lane([](std::uint32_t lane) { return (1u << lane) - 1; });
    case Special::lanemask_le: return by_lane([](std::uint32_t lane) { return (1u << lane) - 1 + (1u << lane); });
    case Special::lanemask_gt: return by_lane([](std::uint32_t lane) { return ~((1u << lane) - 1 + (1u << lane)); });
    case Special::lanemask_ge: return by_lane([](std::uint32_t lane) { return ~((1u << lane) - 1); });
    default: fill_row(frame + row.offset, row.row, uniform_special(row.special, warp, local_base), 0, mask);
    }
}

std::uint32_t operand_row(const Warp& warp, const Step* step, std::uint32_t index) {
    return warp.operands[step->extra + index];
}

/// Hands the result of a reduction to a split and lets it go on.
void release(Warp& warp, Split& split, const Barrier& barrier) {
    const Step* step = split.ip;
    const std::uint32_t kind = step->count;
    if (kind >= 2) {
        const std::uint32_t target = operand_row(warp, step, 0);
        std::byte* frame = warp.register_stack + split.frame->register_base;
        if (target != kNoValue) {
            if (kind == 2)
                fill_row(frame + target, RowClass::w32, barrier.count, 0, split.mask);
            else
                fill_row(frame + target, RowClass::pred, (kind == 3 ? barrier.all : barrier.any) ? 1 : 0, 0,
                         split.mask);
        }
    }
    split.ip = step + 1;
    split.state = SplitState::ready;
}

/// Whether threads of a warp wait for barrier `id` at different instructions, which an aligned one does not allow; then
/// that is the fault of `running`.
bool came_apart(const Block& block, std::uint32_t id, Warp& running) {
    for (std::uint32_t index = 0; index < block.warp_count; ++index) {
        const Warp& warp = block.warps[index];
        const Split* first = nullptr;
        for (std::uint32_t at = 0; at < warp.split_count; ++at) {
            const Split& split = warp.splits[at];
            if (split.state != SplitState::barrier || split.barrier != id) continue;
            if (!first) first = &split;
            const std::size_t step = static_cast<std::size_t>(split.ip - warp.steps);
            if (split.ip == first->ip || !block.launch->bound->program.instrs[step].has(kAligned)) continue;
            (void)raise(running, split.ip, RawFault::Kind::apart,
                        static_cast<std::uint32_t>(std::countr_zero(split.mask)), id);
            running.fault.warp = index;
            running.fault.placed = true;
            running.fault.other_step = first->ip;
            running.fault.other_thread = index * 32 + static_cast<std::uint32_t>(std::countr_zero(first->mask));
            return true;
        }
    }
    return false;
}

void complete(Block& block, std::uint32_t id, Warp& running) {
    if (block.launch->options.checks.sync && came_apart(block, id, running)) return;
    const Barrier done = block.barriers[id];
    block.barriers[id] = {};
    block.pending &= ~(1u << id);
    std::uint32_t waiting = 0, threads = 0;
    for (std::uint32_t index = 0; index < block.warp_count; ++index) {
        Warp& warp = block.warps[index];
        for (std::uint32_t at = 0; at < warp.split_count; ++at) {
            Split& split = warp.splits[at];
            if (split.state != SplitState::barrier || split.barrier != id) continue;
            release(warp, split, done);
            block.runnable |= 1u << index;
            waiting |= 1u << index;
            threads += static_cast<std::uint32_t>(std::popcount(split.mask));
        }
    }
    if (block.shadow) note_barrier_completion(*block.shadow, id, waiting, threads == block.live_threads);
}

bool is_complete(const Block& block, const Barrier& barrier) {
    return barrier.arrived >= (barrier.expected != 0 ? barrier.expected : block.live_threads);
}

} // namespace

void prepare_warp(Warp& warp, LaunchState& launch) {
    const Function& kernel = launch.bound->program.functions[0];
    for (const ConstantRow& row : kernel.constants)
        fill_row(warp.register_stack + row.offset, row.row, row.bits, row.high, kFullMask);
    for (const ParameterRow& row : kernel.parameters) {
        std::uint64_t value[2] = {0, 0};
        if (row.parameter + row.bytes <= launch.request.parameters.size())
            std::memcpy(value, launch.request.parameters.data() + row.parameter, row.bytes);
        if (row.sign_extend && row.bytes < 8) {
            const std::uint32_t shift = 64 - row.bytes * 8;
            value[0] = static_cast<std::uint64_t>(static_cast<std::int64_t>(value[0] << shift) >> shift);
        }
        fill_row(warp.register_stack + row.offset, row.row, value[0], value[1], kFullMask);
    }
    for (const SpecialRow& row : kernel.specials) {
        if (!varies_by_block(row.special)) fill_special(warp, row, warp.register_stack, 0, kFullMask);
    }
}

void start_warp(Warp& warp, Block& block, std::uint32_t index) {
    LaunchState& launch = *block.launch;
    const Program& program = launch.bound->program;
    const Function& kernel = program.functions[0];
    for (const SpecialRow& row : kernel.specials) {
        if (varies_by_block(row.special)) fill_special(warp, row, warp.register_stack, 0, kFullMask);
    }
    for (std::uint32_t offset : kernel.zeroed) std::memset(warp.register_stack + offset, 0, 64);
    const std::uint32_t first = index * 32;
    const std::uint32_t count = std::min(launch.threads_per_block - first, 32u);
    warp.live = count == 32 ? kFullMask : (1u << count) - 1;
    warp.root = {};
    warp.root.references = 2; // its split, and the warp itself
    warp.split_count = 1;
    warp.splits[0] = {};
    warp.splits[0].ip = warp.steps + kernel.entry;
    warp.splits[0].frame = &warp.root;
    warp.splits[0].mask = warp.live;
    warp.avoid = kNoValue;
    warp.executed = 0;
    warp.polls = 0;
    warp.cluster_phase = 0;
    warp.fault = {};
    note_frame(warp, 0, kernel.local_bytes, kFullMask);
}

void fill_rows(Warp& warp, std::uint32_t function, std::byte* frame, std::uint32_t local_base, std::uint32_t mask) {
    const Function& callee = warp.launch->bound->program.functions[function];
    for (const ConstantRow& row : callee.constants) fill_row(frame + row.offset, row.row, row.bits, row.high, mask);
    for (const SpecialRow& row : callee.specials) fill_special(warp, row, frame, local_base, mask);
}

const Step* arrive_at_barrier(Warp& warp, const Step* step) {
    Block& block = *warp.block;
    const std::uint32_t kind = step->count;
    const std::uint32_t first = kind >= 2 ? 1 : 0;
    const std::uint32_t lane = static_cast<std::uint32_t>(std::countr_zero(warp.mask));
    const auto read = [&](std::uint32_t index) {
        const std::uint32_t offset = operand_row(warp, step, index);
        return offset == kNoValue ? 0u : reinterpret_cast<const std::uint32_t*>(warp.regs + offset)[lane];
    };
    const std::uint32_t id = read(first);
    const std::uint32_t threads = read(first + 1);
    if (id >= 16) return raise(warp, step, RawFault::Kind::bad_barrier, lane, id);
    Barrier& barrier = block.barriers[id];
    const auto lanes = static_cast<std::uint32_t>(std::popcount(warp.mask));
    // With a thread count, a warp that is short of lanes counts in full (PTX ISA, "bar").
    barrier.arrived += threads != 0 && warp.mask == warp.live ? 32 : lanes;
    barrier.expected = threads;
    if (kind >= 2) {
        std::uint32_t value = *reinterpret_cast<const std::uint32_t*>(warp.regs + operand_row(warp, step, first + 2));
        if (step->flags & kNegateCombine) value = ~value;
        value &= warp.mask;
        barrier.count += static_cast<std::uint32_t>(std::popcount(value));
        barrier.all = barrier.all && value == warp.mask;
        barrier.any = barrier.any || value != 0;
    }
    block.pending |= 1u << id;
    Split& split = warp.splits[warp.current];
    note_barrier_arrival(warp, id, kind != 1);
    if (kind == 1) {
        if (is_complete(block, barrier)) complete(block, id, warp);
        return warp.fault.kind == RawFault::Kind::none ? step + 1 : nullptr;
    }
    split.ip = step;
    split.state = SplitState::barrier;
    split.barrier = static_cast<std::uint8_t>(id);
    if (!is_complete(block, barrier)) return nullptr;
    complete(block, id, warp);
    return nullptr;
}

const Step* arrive_at_cluster(Warp& warp, const Step* step) {
    Cluster& cluster = *warp.block->cluster;
    warp.cluster_phase = cluster.phase;
    cluster.arrived += static_cast<std::uint32_t>(std::popcount(warp.mask));
    check_cluster(cluster);
    return step + 1;
}

const Step* wait_for_cluster(Warp& warp, const Step* step) {
    Block& block = *warp.block;
    if (block.cluster->phase != warp.cluster_phase) return step + 1;
    Split& split = warp.splits[warp.current];
    split.ip = step;
    split.state = SplitState::barrier;
    split.barrier = kClusterBarrier;
    return nullptr;
}

void check_cluster(Cluster& cluster) {
    std::uint32_t live = 0;
    for (std::uint32_t index = 0; index < cluster.size; ++index) live += cluster.blocks[index].live_threads;
    if (cluster.arrived == 0 || cluster.arrived < live) return;
    cluster.arrived = 0;
    ++cluster.phase;
    note_cluster_completion(cluster);
    for (std::uint32_t rank = 0; rank < cluster.size; ++rank) {
        Block& block = cluster.blocks[rank];
        for (std::uint32_t index = 0; index < block.warp_count; ++index) {
            Warp& warp = block.warps[index];
            for (std::uint32_t at = 0; at < warp.split_count; ++at) {
                Split& split = warp.splits[at];
                if (split.state != SplitState::barrier || split.barrier != kClusterBarrier) continue;
                ++split.ip;
                split.state = SplitState::ready;
                block.runnable |= 1u << index;
            }
        }
    }
}

void check_barriers(Block& block, Warp& running) {
    for (std::uint32_t pending = block.pending; pending != 0; pending &= pending - 1) {
        const auto id = static_cast<std::uint32_t>(std::countr_zero(pending));
        if (is_complete(block, block.barriers[id])) complete(block, id, running);
    }
}

RawFault describe_deadlock(const Block& block) {
    RawFault fault;
    fault.block = block.index;
    for (std::uint32_t index = 0; index < block.warp_count; ++index) {
        const Warp& warp = block.warps[index];
        for (std::uint32_t at = 0; at < warp.split_count; ++at) {
            const Split& split = warp.splits[at];
            if (split.state != SplitState::barrier) continue;
            const bool divergent = warp.split_count > 1;
            if (fault.kind != RawFault::Kind::none && !divergent) continue;
            fault.kind = divergent ? RawFault::Kind::divergent_barrier : RawFault::Kind::deadlock;
            fault.step = split.ip;
            fault.lane = static_cast<std::uint32_t>(std::countr_zero(split.mask));
            fault.warp = index;
            fault.address = split.barrier;
            if (!divergent) continue;
            const Split& other = warp.splits[at == 0 ? 1 : 0];
            fault.other_step = other.ip;
            fault.other_thread = index * 32 + static_cast<std::uint32_t>(std::countr_zero(other.mask));
            return fault;
        }
    }
    return fault;
}

std::uint64_t device_time_ns() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
}

std::uint64_t device_clock(const Warp& warp) { return device_time_ns() * warp.launch->options.clock_mhz / 1000; }

} // namespace kw::sim
