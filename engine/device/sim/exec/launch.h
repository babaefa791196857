#pragma once

#include "engine/device/device.h"
#include "engine/device/sim/exec/isa.h"
#include "engine/device/sim/exec/launch_shadow.h"
#include "engine/device/sim/exec/machine.h"
#include "engine/device/sim/memory.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace kw::sim {

class DeviceHeap;
class LaunchCounter;
class ThreadPool;

/// A program with a handler for each instruction.
struct BoundProgram {
    Program program;
    std::vector<Step> steps; ///< one per instruction
    std::vector<std::uint32_t> operands;
    const IsaTable* isa = nullptr;
    std::vector<CheckedOp> checked; ///< one per instruction, of a program that is bound to be looked at; else none
};

inline constexpr device::Checks kNoChecks{.init = false, .race = false, .sync = false, .shuffle = false};

/// Instructions that `checks` are about are bound to IsaTable::checked, all others as ever.
/// Fails, naming opcode, PTX line and source line, when an instruction has no handler. `ptx` is quoted in that error.
[[nodiscard]] Result<std::unique_ptr<BoundProgram>>
bind_program(Program program, const IsaTable& isa, std::string_view ptx, const device::Checks& checks = kNoChecks);

struct LaunchOptions {
    std::uint64_t most_instructions = 4'000'000'000;    ///< warp instructions of a launch before it counts as endless
    std::uint64_t most_warp_instructions = 500'000'000; ///< the same for one warp
    std::uint32_t stack_bytes = 64 * 1024;              ///< local memory per thread where functions recurse
    std::uint32_t most_resident_blocks = 256;           ///< blocks begun at one time beside those that run
    std::uint32_t sm_count = 1;
    std::uint32_t clock_mhz = 1000;
    device::Checks checks = kNoChecks; ///< those that the program was bound for
};

struct LaunchRequest {
    device::Dim3 grid;
    device::Dim3 block;
    device::Dim3 cluster{};
    std::uint32_t dynamic_shared_bytes = 0;
    bool cooperative = false;
    std::span<const std::byte> parameters;
    std::uint64_t parameter_address = 0;    ///< where a copy of the parameters lies in device memory
    std::uint64_t grid_barrier_address = 0; ///< workspace of a grid-wide barrier, for cooperative launches
    std::uint64_t grid_id = 1;
    DeviceHeap* heap = nullptr; ///< of kernels that allocate
    /// Linear indices of the blocks to run, ascending; empty: all. Only without clusters.
    std::vector<std::uint64_t> sample;
    DeviceShadow* shadow = nullptr; ///< where races or reads of memory never written are looked for
};

struct Barrier {
    std::uint32_t arrived = 0;  ///< threads
    std::uint32_t expected = 0; ///< 0: all threads of the block that have not ended
    std::uint32_t kind = 0;
    std::uint32_t count = 0; ///< of popc
    bool all = true;
    bool any = false;
};

struct Block;
/// Blocks that one thread runs together, because they see each other's shared memory and share a barrier.
struct Cluster {
    Block* blocks = nullptr;
    std::uint32_t size = 1;
    std::uint32_t arrived = 0; ///< threads
    std::uint32_t phase = 0;
};
/// Split::barrier of those that wait for the cluster.
constexpr std::uint8_t kClusterBarrier = 16;

struct Block {
    LaunchState* launch = nullptr;
    Cluster* cluster = nullptr;
    std::uint64_t index = 0;
    device::Dim3 position{0, 0, 0};
    Warp* warps = nullptr;
    std::uint32_t warp_count = 0;
    std::uint32_t live_threads = 0;
    std::uint32_t runnable = 0; ///< a bit per warp with a split that is ready
    std::uint32_t pending = 0;  ///< a bit per barrier with arrivals
    Barrier barriers[16];
    std::byte* shared = nullptr;
    std::uint32_t shared_bytes = 0;
    std::uint64_t executed = 0;
    std::uint64_t turn = 0; ///< changes with every barrier, for the schedule
    BlockShadow* shadow = nullptr;
};

/// One launch in progress. Shared by the threads that run it.
struct LaunchState {
    const BoundProgram* bound = nullptr;
    const DeviceMemory* memory = nullptr;
    LaunchRequest request;
    LaunchOptions options;
    std::stop_token stop;
    std::uint32_t threads_per_block = 0;
    std::uint32_t warps_per_block = 0;
    std::uint32_t shared_bytes = 0;
    std::uint32_t register_stack_bytes = 0; ///< per warp
    std::uint32_t local_stride = 0;         ///< per lane
    LaunchCounter* counter = nullptr;
    LaunchShadow* shadow = nullptr;
    ShadowView view; ///< shadow's, or one of a launch without it

    std::atomic<bool> halt{false}; ///< a fault, a cancel, or the end
    std::atomic<std::uint64_t> executed{0};
    std::mutex mutex;
    bool faulted = false;
    RawFault fault;
    std::string fault_text;                                    ///< of an assertion
    std::vector<std::pair<std::uint64_t, std::string>> output; ///< by block
    std::size_t output_bytes = 0;
    bool output_cut = false;
};

struct LaunchResult {
    std::optional<device::Fault> fault;
    std::string output;
    std::uint64_t executed = 0; ///< warp instructions
};

/// Runs a launch to its end. Fails with ErrorCode::cancelled on request; what the kernel does wrong is in the result.
[[nodiscard]] Result<LaunchResult> run_launch(const BoundProgram& bound, const DeviceMemory& memory,
                                              LaunchRequest request, const LaunchOptions& options, ThreadPool& pool,
                                              LaunchCounter* counter, std::stop_token stop);

enum class RunStatus : std::uint8_t { done, waiting, yielded, spent, fault };

/// Runs a warp until its lanes have ended, all wait, or `quantum` instructions were executed.
[[nodiscard]] RunStatus run_warp(Warp& warp, std::uint32_t quantum, LaunchCounter* counter, std::uint32_t worker);
/// Prepares the rows of special registers, constants and parameters of a warp's kernel frame that stay the same for all
/// blocks.
void prepare_warp(Warp& warp, LaunchState& launch);
/// Puts a warp at the kernel's first instruction for its block.
void start_warp(Warp& warp, Block& block, std::uint32_t index);
/// Writes the fixed rows of function `function` into the frame at `frame` for the lanes of `mask`.
void fill_rows(Warp& warp, std::uint32_t function, std::byte* frame, std::uint32_t local_base, std::uint32_t mask);
/// Completes every barrier for which all have arrived; what is wrong with one is a fault of `running`.
void check_barriers(Block& block, Warp& running);
/// Completes the cluster's barrier when all threads of its blocks that have not ended have arrived.
void check_cluster(Cluster& cluster);
/// The kind of fault that a block is in when none of its warps can go on.
[[nodiscard]] RawFault describe_deadlock(const Block& block);

/// A number that follows from the schedule's seed and what is given.
[[nodiscard]] std::uint64_t scheduled(std::uint64_t seed, std::uint64_t a, std::uint64_t b);

/// A fault in the form that callers see.
[[nodiscard]] device::Fault describe_fault(const LaunchState& launch);

} // namespace kw::sim
