#pragma once

#include "engine/device/sim/program.h"

#include <cstddef>
#include <cstdint>

/// What runs: warps of 32 lanes, their splits and frames, and the steps that they execute. Plain data, because the same
/// structures are worked on by code compiled for several instruction sets.
namespace kw::sim {

class DeviceMemory;
struct BlockShadow;
struct CheckedOp;
struct ShadowView;
struct Warp;
struct Block;
struct Step;
struct LaunchState;

/// Executes one instruction for the active lanes of a warp and says what comes next; null hands control back to the
/// warp's scheduler, which the handler told why through Warp::current.
using Handler = const Step* (*)(Warp&, const Step*);

/// A bound instruction. a, b, c, d are byte offsets of rows in the register frame.
struct Step {
    Handler fn = nullptr;
    Handler inner = nullptr; ///< what a guarded step runs
    std::uint32_t d = 0, a = 0, b = 0, c = 0;
    union {
        std::int64_t imm = 0;
        const Step* target;
    };
    std::uint32_t extra = 0; ///< first operand in LaunchState::operands, for what has more than four
    std::uint16_t count = 0;
    std::uint16_t flags = 0;
};

static_assert(sizeof(Step) == 48);

constexpr std::uint32_t kFullMask = 0xffffffffu;

/// A range of global memory that an access of this step hit last, by device address; checked first next time.
struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool writable = false;
};
static_assert(sizeof(Step) == 2 * sizeof(Range));

/// One call in progress. Splits of a warp that are in the same call share it.
struct Frame {
    Frame* parent = nullptr;
    const Step* call = nullptr; ///< the call instruction in the parent
    std::uint32_t function = 0;
    std::uint32_t references = 0; ///< splits and child frames
    std::uint32_t depth = 0;
    std::uint32_t register_base = 0; ///< byte offset in the warp's register stack
    std::uint32_t local_base = 0;    ///< byte offset in each lane's local memory
};

enum class SplitState : std::uint8_t { ready, barrier, warp_sync, warp_op };

/// Lanes of a warp at one program counter.
struct Split {
    const Step* ip = nullptr;
    Frame* frame = nullptr;
    std::uint32_t mask = 0;
    SplitState state = SplitState::ready;
    std::uint8_t barrier = 0;
    std::uint32_t wanted = 0; ///< lanes that a warp-wide operation waits for
};

/// What went wrong, as a handler sees it; the launch turns it into a device::Fault.
struct RawFault {
    enum class Kind : std::uint8_t {
        none,
        out_of_bounds,
        misaligned,
        read_only,
        divergent_barrier,
        deadlock,
        endless_loop,
        assertion,
        trap,
        invalid_shuffle,
        stack_overflow,
        bad_call,
        bad_barrier,
        bad_branch,
        no_mbarrier,
        mbarrier_overrun,
        bad_free,
        race,
        never_written,
        not_a_member,
        absent_source,
        apart, ///< threads of a warp wait for an aligned barrier at different instructions
    };
    Kind kind = Kind::none;
    const Step* step = nullptr;
    std::uint32_t lane = 0;
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    bool write = false;
    Space space = Space::generic;
    std::uint32_t warp = 0;
    std::uint64_t block = 0; ///< linear index
    const Step* other_step = nullptr;
    std::uint32_t other_thread = 0; ///< linear, in its block
    std::uint64_t other_block = 0;
    bool other_writes = false;
    bool placed = false; ///< `warp` is not the one that ran
};

struct alignas(64) Warp {
    alignas(64) std::int32_t lanes[32] = {}; ///< −1 where active, for blending rows
    std::byte* regs = nullptr;               ///< frame of the running split
    std::uint32_t mask = 0;
    std::uint32_t index = 0; ///< in the block
    std::int64_t memory_delta = 0;
    Range* ranges = nullptr; ///< one per step, of the worker that runs the warp
    const Step* steps = nullptr;
    const std::uint32_t* operands = nullptr;
    std::byte* shared = nullptr;
    std::uint32_t shared_bytes = 0;
    std::byte* cluster_shared = nullptr; ///< of the cluster's first block; the others' follow
    std::uint32_t cluster_stride = 0;    ///< bytes from one block's to the next
    std::uint32_t cluster_size = 1;
    std::uint32_t cluster_rank = 0;
    std::uint32_t cluster_phase = 0; ///< phase of the cluster's barrier at which this warp arrived
    std::uint32_t local_stride = 0;  ///< bytes of local memory per lane
    std::byte* local = nullptr;
    std::uint32_t local_top = 0; ///< bytes of local memory in use by the running split's frames
    std::uint32_t quantum = 0;   ///< instructions left before the warp yields
    bool alone = false;          ///< a single split, so no reconvergence point to watch for
    bool yielded = false;        ///< the running split waits for others; let them go first
    std::uint32_t polls = 0;     ///< ordered loads and atomics since the last yield
    const Step* stop = nullptr;  ///< where the running split may meet another one
    std::byte* register_stack = nullptr;
    std::uint32_t register_stack_bytes = 0;
    std::uint32_t live = 0; ///< lanes that have not ended
    std::uint32_t split_count = 0;
    std::uint32_t current = 0;
    std::uint32_t avoid = kNoValue; ///< split that used up its quantum
    Split splits[32];
    Frame* frame = nullptr; ///< of the running split
    Frame root;
    Frame* free_frames = nullptr;
    Block* block = nullptr;
    LaunchState* launch = nullptr;
    std::uint64_t executed = 0; ///< instructions, in all
    RawFault fault;
    // Of launches that are looked at.
    const CheckedOp* checked = nullptr; ///< one per step
    ShadowView* view = nullptr;
    BlockShadow* shadow = nullptr;
    std::uint8_t* local_written = nullptr; ///< a byte per byte of local memory
};

/// The range that `step` hit last. Half a step's distance from the first one is its range's: no division by its size.
[[gnu::always_inline]] inline Range& range_of(const Warp& warp, const Step* step) {
    const auto distance = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(step)
                                                   - reinterpret_cast<const std::byte*>(warp.steps));
    return *reinterpret_cast<Range*>(reinterpret_cast<std::byte*>(warp.ranges) + distance / 2);
}

/// Functions of the launch that handlers call for what is rare. Compiled once, for the baseline.
[[nodiscard]] const Step* raise(Warp& warp, const Step* step, RawFault::Kind kind, std::uint32_t lane,
                                std::uint64_t address = 0, std::uint32_t bytes = 0, bool write = false,
                                Space space = Space::generic);
/// The allocation that holds [address, address + bytes) as a range; false when there is none.
[[nodiscard]] bool find_range(const Warp& warp, std::uint64_t address, std::uint32_t bytes, Range& out);
/// Splits the running split: `taken` goes to `target`, the rest to `next`.
void diverge(Warp& warp, std::uint32_t taken, const Step* target, const Step* next);
/// Ends the lanes of the running split.
void end_lanes(Warp& warp);
const Step* enter_call(Warp& warp, const Step* step, std::uint32_t function);
const Step* leave_call(Warp& warp, const Step* step);
const Step* call_indirect(Warp& warp, const Step* step);
const Step* branch_indexed(Warp& warp, const Step* step);
const Step* call_builtin(Warp& warp, const Step* step);
/// `kind` 0 sync, 1 arrive, 2 popc, 3 and, 4 or.
const Step* arrive_at_barrier(Warp& warp, const Step* step);
const Step* arrive_at_cluster(Warp& warp, const Step* step);
const Step* wait_for_cluster(Warp& warp, const Step* step);
/// Whether the lanes in `wanted` are all here; if not, the running split is put to wait and the step must return null.
[[nodiscard]] bool gather_lanes(Warp& warp, const Step* step, std::uint32_t wanted, SplitState state);
[[nodiscard]] std::uint64_t device_clock(const Warp& warp);
[[nodiscard]] std::uint64_t device_time_ns();

} // namespace kw::sim
