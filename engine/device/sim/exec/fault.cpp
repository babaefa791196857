#include "engine/device/sim/exec/launch.h"

#include <fmt/format.h>

namespace kw::sim {
namespace {

std::string access_text(const RawFault& fault) {
    return fmt::format("{}-byte {} {} {} memory at {:#x}", fault.bytes, fault.write ? "write" : "read",
                       fault.write ? "to" : "from", to_string(fault.space), fault.address);
}

std::string bytes_text(std::uint64_t bytes) { return bytes == 1 ? "1 byte" : fmt::format("{} bytes", bytes); }

void describe_out_of_bounds(const LaunchState& launch, const RawFault& raw, device::Fault& fault) {
    fault.kind = device::FaultKind::out_of_bounds;
    if (raw.space == Space::shared) {
        fault.message =
            fmt::format("{} is outside the block's {} bytes of shared memory", access_text(raw), launch.shared_bytes);
        fault.allocation = "shared memory";
        return;
    }
    if (raw.space == Space::local) {
        fault.message = fmt::format("{} is outside the thread's local variables", access_text(raw));
        fault.allocation = "local memory";
        return;
    }
    const Allocation* nearest = launch.memory->nearest(raw.address);
    if (!nearest) {
        fault.message = fmt::format("{} hits no allocation; there is none", access_text(raw));
        return;
    }
    fault.allocation = nearest->label;
    const std::string name = fmt::format("{} ({} bytes)", nearest->label, nearest->bytes);
    if (raw.address < 0x10000) {
        fault.message = fmt::format("{} uses a null pointer", access_text(raw));
        fault.allocation.clear();
    } else if (raw.address < nearest->begin) {
        fault.message = fmt::format("{} is {} before the start of {}", access_text(raw),
                                    bytes_text(nearest->begin - raw.address), name);
    } else if (raw.address == nearest->end()) {
        fault.message = fmt::format("{} starts right at the end of {}", access_text(raw), name);
    } else if (raw.address > nearest->end()) {
        fault.message = fmt::format("{} is {} past the end of {}", access_text(raw),
                                    bytes_text(raw.address - nearest->end()), name);
    } else {
        fault.message = fmt::format("{} runs over the end of {}", access_text(raw), name);
    }
}

/// " in y", where the allocation is known.
std::string inside(const device::Fault& fault) {
    return fault.allocation.empty() || fault.allocation == "shared memory" || fault.allocation == "local memory"
               ? std::string{}
               : " in " + fault.allocation;
}

device::Dim3 thread_at(const LaunchState& launch, std::uint32_t linear) {
    const device::Dim3& block = launch.request.block;
    return {linear % block.x, linear / block.x % block.y, linear / (block.x * block.y)};
}
device::Dim3 block_at(const LaunchState& launch, std::uint64_t linear) {
    const device::Dim3& grid = launch.request.grid;
    return {static_cast<std::uint32_t>(linear % grid.x), static_cast<std::uint32_t>(linear / grid.x % grid.y),
            static_cast<std::uint32_t>(linear / grid.x / grid.y)};
}

/// Whether the other party of a race is an asynchronous copy.
bool by_copy(const LaunchState& launch, const RawFault& raw) {
    return raw.other_step && raw.other_writes
           && launch.bound->program.instrs[static_cast<std::size_t>(raw.other_step - launch.bound->steps.data())].op
                  == Op::cp_async;
}

device::FaultParty describe_other(const LaunchState& launch, const RawFault& raw) {
    device::FaultParty other;
    const bool race = raw.kind == RawFault::Kind::race;
    other.did = by_copy(launch, raw) ? "began the copy"
                : race               ? (raw.other_writes ? "wrote there before" : "read there before")
                : raw.kind == RawFault::Kind::absent_source ? "is the one it names"
                                                            : "waits here";
    if (raw.other_step)
        other.where =
            launch.bound->program.in_user_code(static_cast<std::uint32_t>(raw.other_step - launch.bound->steps.data()));
    other.block = block_at(launch, race ? raw.other_block : raw.block);
    other.thread = thread_at(launch, raw.other_thread);
    return other;
}

} // namespace

device::Fault describe_fault(const LaunchState& launch) {
    const RawFault& raw = launch.fault;
    const Program& program = launch.bound->program;
    device::Fault fault;
    fault.kernel = program.kernel;
    if (raw.step) fault.where = program.in_user_code(static_cast<std::uint32_t>(raw.step - launch.bound->steps.data()));
    const device::Dim3& grid = launch.request.grid;
    fault.block = device::Dim3{static_cast<std::uint32_t>(raw.block % grid.x),
                               static_cast<std::uint32_t>(raw.block / grid.x % grid.y),
                               static_cast<std::uint32_t>(raw.block / grid.x / grid.y)};
    const std::uint32_t linear = raw.warp * 32 + raw.lane;
    const device::Dim3& block = launch.request.block;
    fault.thread = device::Dim3{linear % block.x, linear / block.x % block.y, linear / (block.x * block.y)};
    const bool access = raw.kind == RawFault::Kind::out_of_bounds || raw.kind == RawFault::Kind::misaligned
                        || raw.kind == RawFault::Kind::read_only || raw.kind == RawFault::Kind::race
                        || raw.kind == RawFault::Kind::never_written;
    if (access) {
        fault.address = raw.address;
        fault.bytes = raw.bytes;
        fault.space = std::string(to_string(raw.space));
        if (const Allocation* hit = launch.memory->find(raw.address);
            hit && (raw.space == Space::global || raw.space == Space::constant))
            fault.allocation = hit->label;
    }
    switch (raw.kind) {
    case RawFault::Kind::out_of_bounds: describe_out_of_bounds(launch, raw, fault); break;
    case RawFault::Kind::misaligned:
        fault.kind = device::FaultKind::misaligned;
        fault.message = fmt::format("{} is not aligned to its size", access_text(raw));
        break;
    case RawFault::Kind::read_only:
        fault.kind = device::FaultKind::out_of_bounds;
        fault.message = fmt::format("{} changes {}, which is constant", access_text(raw), fault.allocation);
        break;
    case RawFault::Kind::divergent_barrier:
        fault.kind = device::FaultKind::divergent_barrier;
        fault.message = fmt::format(
            "barrier {} was reached by some threads of a warp while the others wait elsewhere, so it never completes",
            raw.address);
        break;
    case RawFault::Kind::deadlock:
        fault.kind = device::FaultKind::deadlock;
        if (raw.address == kClusterBarrier) {
            fault.message =
                "the blocks of the cluster wait for each other: its barrier never completes because not all "
                "threads that have not ended reach it";
            break;
        }
        fault.message = fmt::format("every warp of the block waits; barrier {} never completes because not all threads "
                                    "that it expects reach it",
                                    raw.address);
        break;
    case RawFault::Kind::endless_loop:
        fault.kind = device::FaultKind::endless_loop;
        fault.message = fmt::format("the kernel was stopped after {} warp instructions; a loop seems not to end",
                                    launch.executed.load());
        break;
    case RawFault::Kind::assertion:
        fault.kind = device::FaultKind::assertion;
        fault.message = launch.fault_text;
        break;
    case RawFault::Kind::trap:
        fault.kind = device::FaultKind::trap;
        fault.message = "the kernel executed a trap";
        break;
    case RawFault::Kind::invalid_shuffle:
        fault.kind = device::FaultKind::invalid_shuffle;
        fault.message = fmt::format(
            "a warp-wide operation names lanes (mask {:#x}) that are running but never reach it", raw.address);
        break;
    case RawFault::Kind::stack_overflow:
        fault.kind = device::FaultKind::stack_overflow;
        fault.message =
            fmt::format("the call needs more than the {} bytes of stack that a thread has; recursion may be too deep",
                        launch.local_stride);
        break;
    case RawFault::Kind::bad_call:
        fault.kind = device::FaultKind::trap;
        fault.message = fmt::format("the call goes to {:#x}, which is not the address of a function", raw.address);
        break;
    case RawFault::Kind::bad_barrier:
        fault.kind = device::FaultKind::trap;
        fault.message = fmt::format("barrier {} does not exist; a block has 16", raw.address);
        break;
    case RawFault::Kind::bad_branch:
        fault.kind = device::FaultKind::trap;
        fault.message = fmt::format("an indexed branch takes entry {} of a table that has fewer", raw.address);
        break;
    case RawFault::Kind::no_mbarrier:
        fault.kind = device::FaultKind::uninitialized_read;
        fault.message =
            fmt::format("there is no mbarrier at {:#x} of shared memory: mbarrier.init has not run for it, or "
                        "something has overwritten it",
                        raw.address);
        fault.space = "shared";
        break;
    case RawFault::Kind::mbarrier_overrun:
        fault.kind = device::FaultKind::trap;
        fault.message = fmt::format("more threads arrive at the mbarrier at {:#x} than its phase expects", raw.address);
        break;
    case RawFault::Kind::bad_free:
        fault.kind = device::FaultKind::out_of_bounds;
        fault.message =
            fmt::format("free is called with {:#x}, which malloc did not give or which is free already", raw.address);
        break;
    case RawFault::Kind::race:
        fault.kind = device::FaultKind::race;
        if (raw.space == Space::shared) fault.allocation = "shared memory";
        fault.message = fmt::format(
            "race in {} memory: {}{} and an earlier {} by another thread are not ordered by a barrier or a fence",
            to_string(raw.space), access_text(raw), inside(fault), raw.other_writes ? "write" : "read");
        if (by_copy(launch, raw))
            fault.message =
                fmt::format("race in shared memory: {} meets an asynchronous copy that may not have arrived; its "
                            "thread has to wait for it, and others for a barrier after that",
                            access_text(raw));
        break;
    case RawFault::Kind::never_written:
        fault.kind = device::FaultKind::uninitialized_read;
        if (raw.space == Space::shared) fault.allocation = "shared memory";
        if (raw.space == Space::local) fault.allocation = "local memory";
        fault.message = fmt::format("{}{} reads what nothing has written", access_text(raw), inside(fault));
        break;
    case RawFault::Kind::not_a_member:
        fault.kind = device::FaultKind::invalid_shuffle;
        fault.message =
            fmt::format("a warp-wide operation is executed by lane {}, which its mask {:#010x} does not name", raw.lane,
                        raw.address);
        break;
    case RawFault::Kind::absent_source:
        fault.kind = device::FaultKind::invalid_shuffle;
        fault.message = fmt::format(
            "lane {} takes its value from lane {}, which takes no part in this shuffle, so the value is undefined",
            raw.lane, raw.address);
        break;
    case RawFault::Kind::apart:
        fault.kind = device::FaultKind::divergent_barrier;
        fault.message = fmt::format("barrier {} is reached by threads of one warp at different places; all threads of "
                                    "the warp must execute the same __syncthreads()",
                                    raw.address);
        break;
    case RawFault::Kind::none: break;
    }
    if (raw.other_step || raw.kind == RawFault::Kind::absent_source) fault.other = describe_other(launch, raw);
    return fault;
}

} // namespace kw::sim
