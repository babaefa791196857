#pragma once

#include "engine/device/checks.h"
#include "engine/device/sim/exec/shadow.h"
#include "engine/device/sim/memory.h"
#include "engine/device/sim/program.h"

#include <atomic>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kw::sim {

struct BoundProgram;
struct Cluster;

/// Address space for cells and stamps, of which the system gives what is touched: 16 bytes for each cell of global
/// memory, whose size is that of a launch's smallest access (1 … 16 bytes), and 4 for each stamp. Accessible as far as
/// device memory is in use, since what is accessible counts against a process's limit. Kept between launches, whose
/// stamps tell them apart.
class DeviceShadow {
public:
    /// For `bytes` of reserved device memory.
    [[nodiscard]] static Result<std::unique_ptr<DeviceShadow>> reserve(std::uint64_t bytes);
    ~DeviceShadow();
    DeviceShadow(const DeviceShadow&) = delete;
    DeviceShadow& operator=(const DeviceShadow&) = delete;

    /// A launch begins that has `cells` cells: its stamps follow those that were taken. Starts over when they run out.
    /// False where the system has no memory for them.
    [[nodiscard]] bool begin_launch(std::uint64_t cells);

private:
    friend class LaunchShadow;
    void own(std::uint32_t stamp, std::uint64_t block);
    DeviceShadow() = default;

    Cell* written_ = nullptr;
    Cell* read_ = nullptr;
    std::uint32_t* owners_ = nullptr; ///< of a stamp: the block's linear index, modulo 2³²
    std::uint64_t cell_bytes_ = 0;    ///< of each of the two
    std::uint64_t covered_ = 0;       ///< of these, accessible
    std::mutex mutex_;
    std::atomic<std::uint64_t> covered_stamps_{0};
    std::atomic<std::uint32_t> next_{1};
};

/// What is known of a launch while it is looked at. Threads that run blocks share it.
class LaunchShadow {
public:
    LaunchShadow(const BoundProgram& bound, const DeviceMemory& memory, DeviceShadow& device,
                 const device::Checks& checks);

    /// Whether races are not looked for after all, as the system has no memory for the cells.
    [[nodiscard]] bool lacks_memory() const { return lacks_memory_; }

    [[nodiscard]] ShadowView& view() { return view_; }
    [[nodiscard]] std::uint32_t take_stamp(std::uint64_t block);
    [[nodiscard]] std::uint32_t owner_of(std::uint32_t stamp) const { return device_.owners_[stamp]; }
    [[nodiscard]] std::uint64_t cells_of(std::uint64_t shared_bytes) const {
        return (shared_bytes >> view_.shared_shift) + 1;
    }

    void start_cluster(SharedCells& cells) const;
    void start_block(BlockShadow& block, std::uint64_t index);
    /// Fresh memory of the device's heap: what was there before is of no concern.
    void forget(std::uint64_t address, std::uint64_t bytes);

    /// Accesses of block `block` up to `fenced` become known to whoever looks at `address` later.
    void publish(std::uint64_t address, std::uint64_t block, const WarpStamps& fenced);
    void acquire(std::uint64_t address, std::uint64_t block);
    /// Whether an access of another block is known to `block`.
    [[nodiscard]] bool is_known(Cell cell, std::uint64_t block);

private:
    struct Release {
        WarpStamps fenced{};
        std::uint64_t order = 0;
    };
    using Log = std::unordered_map<std::uint32_t, std::vector<Release>>; ///< by block

    const DeviceMemory& memory_;
    DeviceShadow& device_;
    ShadowView view_;
    bool lacks_memory_ = false;
    std::mutex mutex_;
    std::uint64_t order_ = 0;
    std::unordered_map<std::uint64_t, Log> logs_;
    /// By block: the places it has looked at, and when last.
    std::unordered_map<std::uint32_t, std::map<std::uint64_t, std::uint64_t>> acquired_;
};

/// How each instruction is looked at; what is not asked for is Kind::none.
[[nodiscard]] CheckedOp classify_check(const Instr& instr, const device::Checks& checks);

// What orders threads. All do nothing without a shadow.

/// A warp comes to barrier `id`; it goes on at once where `waits` is false.
void note_barrier_arrival(Warp& warp, std::uint32_t id, bool waits);
/// Barrier `id` lets go the warps of `waiting`; `all`: every thread of the block that has not ended.
void note_barrier_completion(BlockShadow& block, std::uint32_t id, std::uint32_t waiting, bool all);
void note_cluster_completion(Cluster& cluster);
/// Local memory of a call's frame: nothing is written but its parameters.
void note_frame(Warp& warp, std::uint32_t begin, std::uint32_t bytes, std::uint32_t mask);
void note_local_write(Warp& warp, std::uint32_t begin, std::uint32_t bytes, std::uint32_t mask);

} // namespace kw::sim
