#include "engine/device/sim/exec/launch.h"

#include "engine/device/sim/demangle.h"
#include "engine/device/sim/exec/counting.h"
#include "engine/device/sim/exec/thread_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <numeric>

namespace kw::sim {
namespace {

/// Instructions that a warp runs before the next one of its block has its turn.
constexpr std::uint32_t kWarpQuantum = 32768;
/// Instructions that a block runs before others may have its thread.
constexpr std::uint64_t kBlockSlice = std::uint64_t{1} << 26;
constexpr std::uint32_t kRecursiveRegisterBytes = 1u << 20;

std::uint32_t align64(std::uint32_t value) { return (value + 63) & ~63u; }

struct FreeAligned {
    void operator()(std::byte* pointer) const { std::free(pointer); }
};
using AlignedBytes = std::unique_ptr<std::byte, FreeAligned>;

AlignedBytes allocate_aligned(std::size_t bytes) {
    return AlignedBytes(
        static_cast<std::byte*>(std::aligned_alloc(64, (std::max<std::size_t>(bytes, 64) + 63) / 64 * 64)));
}

/// What one resident cluster needs, which mostly is a single block; reused for one after another.
struct BlockContext {
    Cluster cluster;
    std::vector<Block> blocks;
    std::vector<Warp> warps;
    AlignedBytes registers;
    AlignedBytes local;
    AlignedBytes shared;
    SharedCells cells;
    std::vector<BlockShadow> shadows;
    std::vector<std::uint8_t> local_written;

    ~BlockContext() {
        for (Warp& warp : warps) {
            // Frames in use at a fault hang on their splits, spare ones on the list.
            for (std::uint32_t index = 0; index < warp.split_count; ++index) {
                for (Frame* frame = warp.splits[index].frame; frame && frame != &warp.root;) {
                    Frame* parent = frame->parent;
                    if (--frame->references != 0) break;
                    delete frame;
                    frame = parent;
                }
            }
            while (warp.free_frames) {
                Frame* next = warp.free_frames->parent;
                delete warp.free_frames;
                warp.free_frames = next;
            }
        }
    }
    BlockContext() = default;
    BlockContext(const BlockContext&) = delete;
    BlockContext& operator=(const BlockContext&) = delete;
};

/// What is remembered beside a cluster's memory.
void add_shadows(BlockContext& context, LaunchState& launch) {
    const std::uint64_t cells =
        launch.shadow->cells_of(std::uint64_t{context.warps[0].cluster_stride} * context.cluster.size);
    // Stamps tell what is of this launch, but fresh memory may hold anything.
    context.cells.written = std::make_unique<Cell[]>(cells);
    if (launch.shadow->view().race) {
        context.cells.read = std::make_unique<Cell[]>(cells);
        context.cells.read_too = std::make_unique<Cell[]>(cells);
    }
    context.shadows = std::vector<BlockShadow>(context.cluster.size);
    for (std::uint32_t rank = 0; rank < context.cluster.size; ++rank) {
        context.shadows[rank].launch = launch.shadow;
        context.shadows[rank].shared = &context.cells;
        context.blocks[rank].shadow = &context.shadows[rank];
    }
    if (launch.options.checks.init)
        context.local_written.resize(std::size_t{launch.local_stride} * 32 * context.warps.size());
    for (std::size_t index = 0; index < context.warps.size(); ++index) {
        Warp& warp = context.warps[index];
        warp.shadow = warp.block->shadow;
        if (!context.local_written.empty())
            warp.local_written = context.local_written.data() + index * launch.local_stride * 32;
    }
}

std::unique_ptr<BlockContext> make_context(LaunchState& launch) {
    auto context = std::make_unique<BlockContext>();
    const auto size = static_cast<std::uint32_t>(launch.request.cluster.count());
    const std::size_t warps = std::size_t{launch.warps_per_block} * size;
    const bool has_local = launch.local_stride != 0;
    const std::uint32_t stride = std::max(align64(launch.shared_bytes), 64u);
    context->warps.resize(warps);
    context->blocks.resize(size);
    context->cluster.blocks = context->blocks.data();
    context->cluster.size = size;
    context->registers = allocate_aligned(std::size_t{launch.register_stack_bytes} * warps);
    context->shared = allocate_aligned(std::size_t{stride} * size);
    if (has_local) context->local = allocate_aligned(std::size_t{launch.local_stride} * 32 * warps);
    if (!context->registers || !context->shared || (has_local && !context->local)) return nullptr;
    for (std::uint32_t rank = 0; rank < size; ++rank) {
        Block& block = context->blocks[rank];
        block.launch = &launch;
        block.cluster = &context->cluster;
        block.warps = context->warps.data() + std::size_t{rank} * launch.warps_per_block;
        block.warp_count = launch.warps_per_block;
        block.shared = context->shared.get() + std::size_t{rank} * stride;
        block.shared_bytes = launch.shared_bytes;
    }
    for (std::uint32_t index = 0; index < warps; ++index) {
        Warp& warp = context->warps[index];
        warp.index = index % launch.warps_per_block;
        warp.launch = &launch;
        warp.cluster_rank = index / launch.warps_per_block;
        warp.cluster_size = size;
        warp.cluster_stride = stride;
        warp.cluster_shared = context->shared.get();
        warp.block = &context->blocks[warp.cluster_rank];
        warp.steps = launch.bound->steps.data();
        warp.operands = launch.bound->operands.data();
        warp.memory_delta = launch.memory->delta();
        warp.shared = warp.block->shared;
        warp.shared_bytes = launch.shared_bytes;
        warp.register_stack = context->registers.get() + std::size_t{index} * launch.register_stack_bytes;
        warp.register_stack_bytes = launch.register_stack_bytes;
        warp.local = has_local ? context->local.get() + std::size_t{index} * launch.local_stride * 32 : nullptr;
        warp.local_stride = launch.local_stride;
        warp.view = launch.shadow ? &launch.shadow->view() : &launch.view;
        warp.checked = launch.bound->checked.data();
        prepare_warp(warp, launch);
    }
    if (launch.shadow) add_shadows(*context, launch);
    return context;
}

void start_block(Block& block, std::uint64_t index) {
    const LaunchState& launch = *block.launch;
    const device::Dim3& grid = launch.request.grid;
    block.index = index;
    block.position = {static_cast<std::uint32_t>(index % grid.x), static_cast<std::uint32_t>(index / grid.x % grid.y),
                      static_cast<std::uint32_t>(index / grid.x / grid.y)};
    block.live_threads = launch.threads_per_block;
    block.pending = 0;
    block.executed = 0;
    block.turn = 0;
    if (block.shadow) block.shadow->launch->start_block(*block.shadow, index);
    block.runnable = block.warp_count == 32 ? 0xffffffffu : (1u << block.warp_count) - 1;
    for (Barrier& barrier : block.barriers) barrier = {};
    if (block.shared_bytes) std::memset(block.shared, 0, block.shared_bytes);
    for (std::uint32_t warp = 0; warp < block.warp_count; ++warp) start_warp(block.warps[warp], block, warp);
}

/// Linear index of block `rank` of cluster `number`; both count along x first.
std::uint64_t block_of_cluster(const LaunchRequest& request, std::uint64_t number, std::uint32_t rank) {
    const device::Dim3 &grid = request.grid, &cluster = request.cluster;
    const std::uint64_t across = grid.x / cluster.x, down = grid.y / cluster.y;
    const std::uint64_t x = number % across * cluster.x + rank % cluster.x;
    const std::uint64_t y = number / across % down * cluster.y + rank / cluster.x % cluster.y;
    const std::uint64_t z = number / across / down * cluster.z + rank / cluster.x / cluster.y;
    return (z * grid.y + y) * grid.x + x;
}

void start_cluster(BlockContext& context, const LaunchRequest& request, std::uint64_t number) {
    Cluster& cluster = context.cluster;
    cluster.arrived = 0;
    cluster.phase = 0;
    if (LaunchShadow* shadow = cluster.blocks[0].launch->shadow) shadow->start_cluster(context.cells);
    for (std::uint32_t rank = 0; rank < cluster.size; ++rank)
        start_block(cluster.blocks[rank], cluster.size == 1 ? number : block_of_cluster(request, number, rank));
}

/// waiting: for another block of the cluster; without one it would be a deadlock.
enum class BlockStatus { done, yielded, waiting, fault };

void note_fault(LaunchState& launch, RawFault fault, const Block& block, std::uint32_t warp) {
    const std::lock_guard lock(launch.mutex);
    launch.halt = true;
    if (launch.faulted) return;
    launch.faulted = true;
    fault.block = block.index;
    if (!fault.placed) fault.warp = warp;
    launch.fault = fault;
}

/// One of the bits of `mask`, by `number`.
std::uint32_t any_of(std::uint32_t mask, std::uint64_t number) {
    for (std::uint64_t skip = number % static_cast<std::uint64_t>(std::popcount(mask)); skip != 0; --skip)
        mask &= mask - 1;
    return static_cast<std::uint32_t>(std::countr_zero(mask));
}

BlockStatus run_block(Block& block, LaunchState& launch, Range* ranges, std::uint32_t worker) {
    const std::uint64_t limit = block.executed + kBlockSlice;
    for (;;) {
        bool advanced = false;
        std::uint64_t in_round = 0;
        std::uint32_t turn = 0;
        for (std::uint32_t left = block.runnable; left != 0;) {
            auto index = static_cast<std::uint32_t>(std::countr_zero(left));
            if (launch.options.checks.schedule)
                index = any_of(left, scheduled(*launch.options.checks.schedule, block.index, block.turn + turn++));
            left &= ~(1u << index);
            Warp& warp = block.warps[index];
            warp.ranges = ranges;
            const std::uint64_t before = warp.executed;
            const RunStatus status = run_warp(warp, kWarpQuantum, launch.counter, worker);
            in_round += warp.executed - before;
            if (status == RunStatus::fault) {
                note_fault(launch, warp.fault, block, index);
                return BlockStatus::fault;
            }
            if (status != RunStatus::yielded) advanced = true;
            if (status == RunStatus::done || status == RunStatus::waiting) {
                bool ready = false;
                for (std::uint32_t at = 0; at < warp.split_count; ++at)
                    ready |= warp.splits[at].state == SplitState::ready;
                if (!ready) block.runnable &= ~(1u << index);
            }
            if (warp.executed > launch.options.most_warp_instructions) {
                RawFault fault;
                fault.kind = RawFault::Kind::endless_loop;
                fault.step = warp.split_count ? warp.splits[0].ip : nullptr;
                fault.lane = warp.split_count ? static_cast<std::uint32_t>(std::countr_zero(warp.splits[0].mask)) : 0;
                note_fault(launch, fault, block, index);
                return BlockStatus::fault;
            }
            if (launch.halt.load(std::memory_order_relaxed)) return BlockStatus::fault;
        }
        block.executed += in_round;
        block.turn += 32;
        const std::uint64_t all = launch.executed.fetch_add(in_round, std::memory_order_relaxed) + in_round;
        if (launch.stop.stop_requested()) {
            launch.halt = true;
            return BlockStatus::fault;
        }
        if (block.live_threads == 0) return BlockStatus::done;
        if (block.runnable == 0) {
            if (block.cluster->size > 1) return BlockStatus::waiting;
            RawFault fault = describe_deadlock(block);
            if (fault.kind == RawFault::Kind::none) fault.kind = RawFault::Kind::deadlock;
            note_fault(launch, fault, block, fault.warp);
            return BlockStatus::fault;
        }
        if (all > launch.options.most_instructions) {
            RawFault fault;
            fault.kind = RawFault::Kind::endless_loop;
            const auto index = static_cast<std::uint32_t>(std::countr_zero(block.runnable));
            const Warp& warp = block.warps[index];
            if (warp.split_count) {
                fault.step = warp.splits[0].ip;
                fault.lane = static_cast<std::uint32_t>(std::countr_zero(warp.splits[0].mask));
            }
            note_fault(launch, fault, block, index);
            return BlockStatus::fault;
        }
        if (!advanced || block.executed >= limit) return BlockStatus::yielded;
    }
}

BlockStatus run_cluster(Cluster& cluster, LaunchState& launch, Range* ranges, std::uint32_t worker) {
    if (cluster.size == 1) return run_block(cluster.blocks[0], launch, ranges, worker);
    for (;;) {
        bool done = true, waiting = true;
        for (std::uint32_t rank = 0; rank < cluster.size; ++rank) {
            Block& block = cluster.blocks[rank];
            if (block.live_threads == 0) continue;
            const BlockStatus status = run_block(block, launch, ranges, worker);
            if (status == BlockStatus::fault) return status;
            done &= status == BlockStatus::done;
            waiting &= status == BlockStatus::waiting;
        }
        if (done) return BlockStatus::done;
        if (!waiting) return BlockStatus::yielded;
        const Block* stuck = nullptr;
        for (std::uint32_t rank = 0; rank < cluster.size; ++rank) {
            // one that a later block has released meanwhile goes on
            if (cluster.blocks[rank].runnable != 0) waiting = false;
            if (cluster.blocks[rank].live_threads != 0) stuck = &cluster.blocks[rank];
        }
        if (!waiting) continue;
        RawFault fault = describe_deadlock(*stuck);
        if (fault.kind == RawFault::Kind::none) fault.kind = RawFault::Kind::deadlock;
        note_fault(launch, fault, *stuck, fault.warp);
        return BlockStatus::fault;
    }
}

/// Clusters of a launch: which come next, which were put aside while they wait for others.
class Scheduler {
public:
    explicit Scheduler(LaunchState& launch) : launch_(launch) {
        const LaunchRequest& request = launch.request;
        total_ = request.sample.empty() ? request.grid.count() / request.cluster.count() : request.sample.size();
        resident_limit_ =
            request.cooperative ? total_ : std::max<std::uint64_t>(launch.options.most_resident_blocks, 1);
    }

    [[nodiscard]] std::uint64_t total() const { return total_; }

    void work(std::uint32_t worker) {
        // An allocation that an instruction used last is likely the one it uses next.
        std::vector<Range> ranges(launch_.bound->steps.size() + 1);
        std::unique_ptr<BlockContext> current;
        std::vector<std::unique_ptr<BlockContext>> spare;
        while (!launch_.halt.load(std::memory_order_relaxed)) {
            if (!current) {
                std::uint64_t number = 0;
                if (parked_count_.load(std::memory_order_relaxed) < resident_limit_
                    && (number = next_.fetch_add(1)) < total_) {
                    if (spare.empty()) {
                        current = make_context(launch_);
                        if (!current) {
                            out_of_memory_ = true;
                            launch_.halt = true;
                            break;
                        }
                    } else {
                        current = std::move(spare.back());
                        spare.pop_back();
                    }
                    start_cluster(*current, launch_.request,
                                  launch_.request.sample.empty() ? place_of(number) : launch_.request.sample[number]);
                } else {
                    current = unpark();
                    if (!current) {
                        if (next_.load() >= total_ && (parked_count_.load() == 0)) break;
                        std::this_thread::yield();
                        continue;
                    }
                }
            }
            const BlockStatus status = run_cluster(current->cluster, launch_, ranges.data(), worker);
            if (status == BlockStatus::done) {
                spare.push_back(std::move(current));
            } else if (status == BlockStatus::yielded && (next_.load() < total_ || parked_count_.load() != 0)) {
                park(std::move(current));
            }
        }
    }

    [[nodiscard]] bool out_of_memory() const { return out_of_memory_; }

private:
    /// Which cluster is the `number`th to begin: with a schedule they come in another order than the grid's.
    [[nodiscard]] std::uint64_t place_of(std::uint64_t number) const {
        const auto& seed = launch_.options.checks.schedule;
        if (!seed || total_ < 2) return number;
        // A step that shares no factor with the total meets each place once.
        std::uint64_t step = scheduled(*seed, total_, 0) % total_ | 1;
        while (std::gcd(step, total_) != 1) step = step % total_ + 1;
        // Grids have less than 2⁶³ blocks, but a product of two such numbers may not fit.
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>((Wide{number} * step + scheduled(*seed, total_, 1) % total_) % total_);
    }
    void park(std::unique_ptr<BlockContext> context) {
        const std::lock_guard lock(mutex_);
        parked_.push_back(std::move(context));
        ++parked_count_;
    }
    std::unique_ptr<BlockContext> unpark() {
        const std::lock_guard lock(mutex_);
        if (parked_.empty()) return nullptr;
        auto context = std::move(parked_.front());
        parked_.pop_front();
        --parked_count_;
        return context;
    }

    LaunchState& launch_;
    std::uint64_t total_ = 0;
    std::uint64_t resident_limit_ = 0;
    std::atomic<std::uint64_t> next_{0};
    std::atomic<std::uint64_t> parked_count_{0};
    std::atomic<bool> out_of_memory_{false};
    std::mutex mutex_;
    std::deque<std::unique_ptr<BlockContext>> parked_;
};

/// Bytes of register and local stack per warp and lane that the deepest chain of calls takes; recursion gets a fixed
/// stack.
void size_stacks(LaunchState& launch) {
    const Program& program = launch.bound->program;
    const Function& kernel = program.functions[0];
    launch.register_stack_bytes = align64(kernel.register_bytes);
    launch.local_stride = kernel.local_bytes;
    if (!program.has_calls) return;
    // Depth-first over the call graph; a cycle or an indirect call ends the exact answer.
    bool exact = !program.has_indirect_calls;
    std::vector<int> state(program.functions.size(), 0);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> need(program.functions.size());
    std::vector<std::vector<std::uint32_t>> callees(program.functions.size());
    for (const Instr& instr : program.instrs) {
        if (instr.op == Op::call) callees[instr.function].push_back(instr.target);
    }
    std::vector<std::pair<std::uint32_t, std::size_t>> path{{0, 0}};
    state[0] = 1;
    while (!path.empty() && exact) {
        const std::uint32_t function = path.back().first;
        if (path.back().second < callees[function].size()) {
            const std::uint32_t callee = callees[function][path.back().second++];
            if (state[callee] == 1) exact = false;
            if (state[callee] == 0) {
                state[callee] = 1;
                path.emplace_back(callee, 0);
            }
            continue;
        }
        std::pair<std::uint32_t, std::uint32_t> deepest{0, 0};
        for (std::uint32_t callee : callees[function]) {
            deepest.first = std::max(deepest.first, need[callee].first);
            deepest.second = std::max(deepest.second, need[callee].second);
        }
        need[function] = {deepest.first + program.functions[function].register_bytes,
                          deepest.second + program.functions[function].local_bytes};
        state[function] = 2;
        path.pop_back();
    }
    launch.register_stack_bytes =
        exact ? align64(need[0].first) : std::max(kRecursiveRegisterBytes, align64(kernel.register_bytes));
    launch.local_stride = exact ? need[0].second : std::max(launch.options.stack_bytes, kernel.local_bytes);
}

/// The text of a line, trimmed.
std::string_view line_of(std::string_view text, int line) {
    for (; line > 1; --line) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    text = text.substr(0, std::min<std::size_t>(text.find('\n'), 200));
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
    return text;
}

/// "_" as destination where the operation has no use for it.
bool lacks_destination(const Instr& instr) {
    switch (instr.op) {
    case Op::ld:
    case Op::atom:
    case Op::unpack:
    case Op::shfl:
    case Op::match_any:
    case Op::match_all:
    case Op::elect:
    case Op::setp:
    case Op::ldmatrix:
    case Op::mbarrier:
    case Op::bar_red_popc:
    case Op::bar_red_and:
    case Op::bar_red_or: return false;
    case Op::mma:
    case Op::wmma_load:
    case Op::wmma_mma: return std::find(instr.dst.begin(), instr.dst.end(), kNoValue) != instr.dst.end();
    default: return !instr.dst.empty() && instr.dst[0] == kNoValue;
    }
}

} // namespace

std::uint64_t scheduled(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
    std::uint64_t z = seed + a * 0x9E3779B97F4A7C15ull + b * 0xD1B54A32D192ED03ull; // mixed as SplitMix64 does
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

Result<std::unique_ptr<BoundProgram>> bind_program(Program program, const IsaTable& isa, std::string_view ptx,
                                                   const device::Checks& checks) {
    auto bound = std::make_unique<BoundProgram>();
    bound->isa = &isa;
    bound->steps.resize(program.instrs.size());
    for (const Instr& instr : program.instrs) {
        bound->operands.push_back(instr.guard == kNoValue ? kNoValue
                                                          : instr.guard | (instr.guard_negated ? 0x80000000u : 0));
        bound->operands.insert(bound->operands.end(), instr.dst.begin(), instr.dst.end());
        bound->operands.insert(bound->operands.end(), instr.src.begin(), instr.src.end());
    }
    std::uint32_t extra = 0;
    for (std::size_t index = 0; index < program.instrs.size(); ++index) {
        const Instr& instr = program.instrs[index];
        Step& step = bound->steps[index];
        step.extra = extra + 1;
        extra += 1 + static_cast<std::uint32_t>(instr.dst.size() + instr.src.size());
        step.d = instr.dst.empty() ? 0 : instr.dst[0];
        step.a = instr.src.empty() ? 0 : instr.src[0];
        step.b = instr.src.size() < 2 ? 0 : instr.src[1];
        step.c = instr.src.size() < 3 ? 0 : instr.src[2];
        step.imm = instr.imm;
        step.flags = instr.flags;
        const Handler handler = lacks_destination(instr) ? nullptr : isa.bind(instr, step);
        if (!handler) {
            return fail(
                Stage::device, ErrorCode::unsupported,
                fmt::format("the simulator cannot run \"{}\" (PTX line {}, kernel {}): this form of the instruction is "
                            "not implemented",
                            line_of(ptx, instr.line), instr.line, demangled(program.kernel)),
                program.in_user_code(static_cast<std::uint32_t>(index)));
        }
        if (instr.op == Op::bra) {
            step.target = bound->steps.data() + instr.target;
            step.fn = handler;
        } else if (instr.guard != kNoValue) {
            step.fn = isa.guard;
            step.inner = handler;
        } else {
            step.fn = handler;
        }
    }
    bound->program = std::move(program);
    if (checks == kNoChecks) return bound;
    bound->checked.resize(bound->steps.size());
    for (std::size_t index = 0; index < bound->steps.size(); ++index) {
        CheckedOp& op = bound->checked[index];
        op = classify_check(bound->program.instrs[index], checks);
        if (op.kind == CheckedOp::Kind::none) continue;
        op.run = bound->steps[index].fn;
        bound->steps[index].fn = isa.look(op);
    }
    return bound;
}

Result<LaunchResult> run_launch(const BoundProgram& bound, const DeviceMemory& memory, LaunchRequest request,
                                const LaunchOptions& options, ThreadPool& pool, LaunchCounter* counter,
                                std::stop_token stop) {
    LaunchState launch;
    launch.bound = &bound;
    launch.memory = &memory;
    launch.request = std::move(request);
    launch.options = options;
    launch.stop = std::move(stop);
    launch.counter = counter;
    launch.threads_per_block = static_cast<std::uint32_t>(launch.request.block.count());
    launch.warps_per_block = (launch.threads_per_block + 31) / 32;
    launch.shared_bytes = bound.program.shared_bytes + launch.request.dynamic_shared_bytes;
    size_stacks(launch);
    std::optional<LaunchShadow> shadow;
    if (launch.request.shadow) shadow.emplace(bound, memory, *launch.request.shadow, options.checks);
    launch.shadow = shadow ? &*shadow : nullptr;
    launch.view.shuffle = options.checks.shuffle;
    launch.view.gather = options.checks.schedule.has_value();
    if (launch.stop.stop_requested()) return fail(Stage::device, ErrorCode::cancelled, "the launch was cancelled");

    Scheduler scheduler(launch);
    // The order of blocks is part of a schedule.
    const auto workers = options.checks.schedule
                             ? 1u
                             : static_cast<std::uint32_t>(std::min<std::uint64_t>(pool.size(), scheduler.total()));
    try {
        pool.run(std::max(workers, 1u), [&](std::uint32_t worker) {
            try {
                scheduler.work(worker);
            } catch (...) {
                launch.halt = true; // the others must not wait for blocks that this one held
                throw;
            }
        });
    } catch (const std::exception& thrown) {
        return fail(
            Stage::device, ErrorCode::internal,
            fmt::format("the simulator failed while it ran {}: {}", demangled(bound.program.kernel), thrown.what()));
    }

    if (scheduler.out_of_memory())
        return fail(Stage::device, ErrorCode::device, "the system has no memory for the blocks of the launch");
    LaunchResult result;
    result.executed = launch.executed;
    // By block, and within a block in the order of printing.
    std::map<std::uint64_t, std::string> by_block;
    for (const auto& [block, text] : launch.output) by_block[block] += text;
    for (const auto& [block, text] : by_block) result.output += text;
    if (launch.shadow && launch.shadow->lacks_memory())
        result.output += "\n(races were not looked for: the system has no memory for that)\n";
    if (launch.output_cut) result.output += "\n(output cut after 1 MiB)\n";
    if (launch.faulted)
        result.fault = describe_fault(launch);
    else if (launch.halt)
        return fail(Stage::device, ErrorCode::cancelled, "the launch was cancelled");
    return result;
}

} // namespace kw::sim
