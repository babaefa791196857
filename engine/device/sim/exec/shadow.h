#pragma once

#include "engine/device/sim/exec/machine.h"

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

/// What is remembered beside memory while a launch is looked at: who wrote and read each cell last and when, and what
/// the threads of a block know to have happened. Plain data, because code compiled for several instruction sets works
/// on it; docs/simulator.md says what the model finds and what it misses.
///
/// Time is counted in stamps, which are unique in a launch: a block takes a new one at each event that orders its
/// threads. An access is known by the stamp at which it was made.
namespace kw::sim {

/// stamp 32 | warp 5 | lane 5 | strong 1 | step 21
using Cell = std::uint64_t;
constexpr unsigned kCellLane = 22, kCellWarp = 27, kCellStamp = 32;
constexpr Cell kCellStrong = Cell{1} << 21;
constexpr std::uint32_t kMostCellSteps = 1u << 21;

constexpr std::uint32_t stamp_of(Cell cell) { return static_cast<std::uint32_t>(cell >> kCellStamp); }
constexpr std::uint32_t warp_of(Cell cell) { return static_cast<std::uint32_t>(cell >> kCellWarp & 31); }
constexpr std::uint32_t lane_of(Cell cell) { return static_cast<std::uint32_t>(cell >> kCellLane & 31); }
constexpr std::uint32_t step_of(Cell cell) { return static_cast<std::uint32_t>(cell & (kMostCellSteps - 1)); }
/// Lane 0's cell.
constexpr Cell cell_of(std::uint32_t stamp, std::uint32_t warp, bool strong, std::uint32_t step) {
    return Cell{stamp} << kCellStamp | Cell{warp} << kCellWarp | (strong ? kCellStrong : 0) | step;
}

/// By warp of a block, a stamp: accesses up to there. 0: none.
using WarpStamps = std::array<std::uint32_t, 32>;

/// What has been published through one place: accesses of warp w up to stamp seen[w] happened before, and those up to
/// fenced[w] are fenced.
struct SyncObject {
    std::uint32_t seen[32] = {};
    WarpStamps fenced{};
};

/// Of what an asynchronous copy writes, until the thread that began it has waited for it: known to nobody.
constexpr std::uint32_t kPendingStamp = 0xffffffffu;

struct PendingCopy {
    std::uint64_t first = 0; ///< cell
    std::uint32_t count = 0;
    std::uint32_t lane = 0;
    std::uint32_t group = 0; ///< of the lane, counted from 1
};

struct WarpShadow {
    std::vector<PendingCopy> copies{};
    std::array<std::uint32_t, 32> groups{}; ///< committed, by lane
    std::uint32_t full = 0;                 ///< accesses of the warp up to here are known to all of its lanes
    std::uint32_t own_fence = 0;            ///< stamp of the last fence; 0: none since the block began
    bool publishes = false;                 ///< something of `fenced` is not 0
    /// Accesses of each warp that lie before a fence, of this warp or of one whose fence it knows to have happened.
    WarpStamps fenced{};
    /// lanes[a][b]: accesses of lane b up to here are known to lane a. Only where some lanes alone have met.
    std::unique_ptr<std::array<std::array<std::uint32_t, 32>, 32>> lanes{};
};

class LaunchShadow;

/// Cells of the shared memory of a cluster's blocks, by offset from the first block's.
struct SharedCells {
    std::unique_ptr<Cell[]> written, read, read_too;
    std::uint32_t start = 0; ///< stamp at which the cluster began: what is older was never written
    std::uint32_t base = 0;  ///< what the blocks of the cluster did up to here, all of them know
};

struct BlockShadow {
    LaunchShadow* launch = nullptr;
    SharedCells* shared = nullptr;
    std::uint64_t index = 0;
    std::uint32_t now = 0;
    std::uint32_t base = 0;          ///< accesses of the block up to here are known to all of its threads
    std::uint32_t start = 0;         ///< stamp at which the block began
    std::uint32_t seen[32][32] = {}; ///< [a][b]: accesses of warp b up to here are known to warp a
    std::array<WarpShadow, 32> warps{};
    bool news_of_fences = false; ///< some warp knows of a fence that another may not
    std::unordered_map<std::uint64_t, SyncObject> objects{};
    std::array<SyncObject, 16> barriers{};
};

/// How one instruction is looked at.
struct CheckedOp {
    enum class Kind : std::uint8_t {
        none,
        load,
        store,
        atomic,
        copy,
        matrix,
        lines,
        bulk,
        mbarrier,
        fence,
        copies,
        warp_sync,
        warp_op,
        collective
    };
    Handler run = nullptr; ///< what the step does
    Kind kind = Kind::none;
    Space space = Space::generic;
    bool wide_address = true;
    bool strong = false;  ///< atomic, volatile or with an order: does not race with others of the kind
    bool release = false; ///< publishes what came before without a fence
    bool write = false;   ///< of a matrix or its lines
    bool negated = false; ///< the guard
    std::uint32_t guard = kNoValue;
    std::uint32_t address = kNoValue; ///< row; of a copy that of its destination
    std::uint32_t from = kNoValue;    ///< row; of a copy's source
    std::uint32_t size = 0;           ///< bytes of a lane
    std::uint32_t element = 0;        ///< bytes of an element
    std::uint32_t members = kNoValue; ///< row of a warp operation's mask; of a copy of its bytes
    std::uint32_t lines = 0, stride = kNoValue;
    std::uint64_t read_elements = ~std::uint64_t{0}; ///< of a load: a bit per element that is looked at
    std::int64_t offset = 0, from_offset = 0;
    const Instr* instr = nullptr;
};

/// The launch's side of it as handlers need it.
struct ShadowView {
    Cell* written = nullptr; ///< of global memory, by cell from its base; null where races are not looked for
    Cell* read = nullptr;
    std::uint64_t* bits = nullptr; ///< a bit per byte of global memory that was written; null where not looked at
    std::uint64_t base = 0;        ///< device address of the first byte
    std::uint64_t bytes = 0;
    std::uint32_t global_shift = 2; ///< log2 of the bytes of a cell
    std::uint32_t shared_shift = 2;
    std::uint32_t before = 0; ///< the last stamp of earlier launches
    bool init = false, race = false, shuffle = false, gather = false;
    bool published = false; ///< some place has been published at; read and written as an atomic
};

// Compiled once, for the baseline. Each returns false after it has raised a fault.

/// Looks at an access of `lane` that meets `old`, which may be of another thread and not known to be before. An
/// address of shared memory is an offset from the cluster's first block's.
[[nodiscard]] bool settle(Warp& warp, const Step* step, const CheckedOp& op, std::uint32_t lane, std::uint64_t address,
                          Space space, Cell old, bool old_writes, bool writes);
/// A load of `lane` met memory of which nothing or a part was written.
[[nodiscard]] bool settle_unwritten(Warp& warp, const Step* step, const CheckedOp& op, std::uint32_t lane,
                                    std::uint64_t address, Space space, std::uint64_t written_bytes);
/// What a warp has fenced off becomes known to whoever looks at these addresses later; before a strong store or atomic.
void publish_at(Warp& warp, const CheckedOp& op, std::uint32_t mask, const std::uint64_t* address);
/// The warp gets to know what was published at these addresses; after a strong load or atomic.
void acquire_at(Warp& warp, const CheckedOp& op, std::uint32_t mask, const std::uint64_t* address);
/// A lane's copy to these cells begins.
void note_copy(Warp& warp, const Step* step, std::uint32_t lane, std::uint64_t first, std::uint32_t count);
/// The lanes of `mask` commit their copies, or wait for them: cp_async_wait's mode and number.
void note_copies(Warp& warp, std::uint32_t mask, std::uint32_t mode, std::uint32_t left);
void note_fence(Warp& warp);
/// The lanes of `mask` have met.
void note_lanes_met(Warp& warp, std::uint32_t mask);
void note_mbarrier(Warp& warp, const CheckedOp& op, std::uint64_t address);
/// Lanes of a warp operation that are not there, or whose mask lacks them.
[[nodiscard]] bool check_members(Warp& warp, const Step* step, const CheckedOp& op, std::uint32_t mask);

} // namespace kw::sim
