// The scheduler of one warp: splits, reconvergence, calls.
//
// Lanes that are at the same instruction of the same call form a split. Of the splits that can run, the one in the
// deepest call goes first, then the one with the lowest program counter; it stops where it may meet another. So lanes
// that parted come together again where the compiler laid out the paths to join, and after calls, loops and early
// returns as well.
#include "engine/device/sim/exec/counting.h"
#include "engine/device/sim/exec/launch.h"

#include <bit>
#include <cstring>

namespace kw::sim {
namespace {

/// A split that waits for others in a spin loop lets them run after this many instructions.
constexpr std::uint32_t kSplitQuantum = 4096;

void activate(Warp& warp, std::uint32_t mask) {
    warp.mask = mask;
    if (mask == kFullMask) return; // handlers do not look at the row then
    for (std::uint32_t lane = 0; lane < 32; ++lane) warp.lanes[lane] = (mask >> lane & 1) ? -1 : 0;
}

bool before(const Split& a, const Split& b) {
    if (a.frame->depth != b.frame->depth) return a.frame->depth > b.frame->depth;
    return a.ip < b.ip;
}

void drop_frame(Warp& warp, Frame* frame) {
    while (frame && --frame->references == 0 && frame != &warp.root) {
        Frame* parent = frame->parent;
        frame->parent = warp.free_frames;
        warp.free_frames = frame;
        frame = parent;
    }
}

void remove_split(Warp& warp, std::uint32_t index) {
    drop_frame(warp, warp.splits[index].frame);
    warp.splits[index] = warp.splits[warp.split_count - 1];
    --warp.split_count;
}

void enter_frame(Warp& warp, Frame* frame) {
    const Function& function = warp.launch->bound->program.functions[frame->function];
    warp.frame = frame;
    warp.regs = warp.register_stack + frame->register_base;
    warp.local_top = frame->local_base + function.local_bytes;
}

/// Lets splits go on that wait for each other at bar.warp.sync, at whatever instructions they are.
bool release_warp_sync(Warp& warp) {
    bool released = false;
    for (std::uint32_t index = 0; index < warp.split_count; ++index) {
        if (warp.splits[index].state != SplitState::warp_sync) continue;
        const std::uint32_t wanted = warp.splits[index].wanted;
        std::uint32_t here = 0;
        for (std::uint32_t other = 0; other < warp.split_count; ++other) {
            if (warp.splits[other].state == SplitState::warp_sync && warp.splits[other].wanted == wanted)
                here |= warp.splits[other].mask;
        }
        if ((wanted & warp.live & ~here) != 0) continue;
        if (warp.view->race) note_lanes_met(warp, here);
        for (std::uint32_t other = 0; other < warp.split_count; ++other) {
            Split& split = warp.splits[other];
            if (split.state != SplitState::warp_sync || split.wanted != wanted) continue;
            split.state = SplitState::ready;
            ++split.ip;
            released = true;
        }
    }
    return released;
}

/// Lets splits go on that wait for each other at the same operation, or for lanes that have ended meanwhile; where they
/// are together they merge when they are chosen.
bool release_warp_ops(Warp& warp) {
    bool released = false;
    for (std::uint32_t index = 0; index < warp.split_count; ++index) {
        const Split& split = warp.splits[index];
        if (split.state != SplitState::warp_op) continue;
        const auto is_with_it = [&](const Split& other) {
            return other.state == SplitState::warp_op && other.ip == split.ip && other.frame == split.frame;
        };
        std::uint32_t here = 0;
        for (std::uint32_t other = 0; other < warp.split_count; ++other)
            if (is_with_it(warp.splits[other])) here |= warp.splits[other].mask;
        if ((split.wanted & warp.live & ~here) != 0) continue;
        for (std::uint32_t other = 0; other < warp.split_count; ++other)
            if (other != index && is_with_it(warp.splits[other])) warp.splits[other].state = SplitState::ready;
        warp.splits[index].state = SplitState::ready;
        released = true;
    }
    return released;
}

/// One of the splits that can run, by the schedule; `best` where the program's layout would have it so.
std::uint32_t any_ready(const Warp& warp, std::uint64_t seed, std::uint32_t best) {
    std::uint32_t ready = 0;
    for (std::uint32_t index = 0; index < warp.split_count; ++index)
        if (warp.splits[index].state == SplitState::ready) ready |= 1u << index;
    const std::uint64_t number =
        scheduled(seed, warp.block->index * 32 + warp.index, warp.block->turn * 64 + warp.executed);
    if (std::popcount(ready) < 2 || number % 2 == 0) return best;
    for (std::uint64_t skip = number / 2 % static_cast<std::uint64_t>(std::popcount(ready)); skip != 0; --skip)
        ready &= ready - 1;
    return static_cast<std::uint32_t>(std::countr_zero(ready));
}

template<bool Counted>
const Step* advance(Warp& warp, const Step* step, std::uint32_t& left, LaunchCounter* counter, std::uint32_t worker) {
    if (warp.alone) {
        do {
            if constexpr (Counted) counter->note(warp, step, worker);
            step = step->fn(warp, step);
        } while (step && --left != 0);
    } else {
        const Step* stop = warp.stop;
        do {
            if constexpr (Counted) counter->note(warp, step, worker);
            step = step->fn(warp, step);
        } while (step && step < stop && --left != 0);
    }
    return step;
}

} // namespace

const Step* raise(Warp& warp, const Step* step, RawFault::Kind kind, std::uint32_t lane, std::uint64_t address,
                  std::uint32_t bytes, bool write, Space space) {
    warp.fault.kind = kind;
    warp.fault.step = step;
    warp.fault.lane = lane;
    warp.fault.address = address;
    warp.fault.bytes = bytes;
    warp.fault.write = write;
    warp.fault.space = space;
    return nullptr;
}

bool find_range(const Warp& warp, std::uint64_t address, std::uint32_t bytes, Range& out) {
    const Allocation* allocation = warp.launch->memory->find(address);
    if (!allocation || allocation->end() - address < bytes) return false;
    out = {allocation->begin, allocation->end(), allocation->writable};
    return true;
}

void diverge(Warp& warp, std::uint32_t taken, const Step* target, const Step* next) {
    Split& rest = warp.splits[warp.current];
    Split& other = warp.splits[warp.split_count++];
    other = rest;
    other.mask = taken;
    other.ip = target;
    other.state = SplitState::ready;
    rest.mask &= ~taken;
    rest.ip = next;
    ++other.frame->references;
}

void end_lanes(Warp& warp) {
    const Split& split = warp.splits[warp.current];
    warp.live &= ~split.mask;
    warp.block->live_threads -= static_cast<std::uint32_t>(std::popcount(split.mask));
    remove_split(warp, warp.current);
    if (warp.block->pending) check_barriers(*warp.block, warp);
    if (warp.cluster_size > 1) check_cluster(*warp.block->cluster);
}

const Step* enter_call(Warp& warp, const Step* step, std::uint32_t function) {
    LaunchState& launch = *warp.launch;
    const Program& program = launch.bound->program;
    const Function& callee = program.functions[function];
    const Function& caller = program.functions[warp.frame->function];
    const Instr& instr = program.instrs[static_cast<std::size_t>(step - warp.steps)];
    const CallSite& site = caller.calls[instr.call];
    Frame* const parent = warp.frame;
    Frame* frame = nullptr;
    if (!warp.alone) {
        for (std::uint32_t index = 0; index < warp.split_count && !frame; ++index) {
            // Another split may already be in this very call; a common frame lets them merge.
            for (Frame* known = warp.splits[index].frame; known && known->depth > parent->depth;
                 known = known->parent) {
                if (known->parent == parent && known->call == step && known->function == function) frame = known;
            }
        }
    }
    if (!frame) {
        const std::uint32_t register_base = parent->register_base + caller.register_bytes;
        const std::uint32_t local_base = parent->local_base + caller.local_bytes;
        if (register_base + callee.register_bytes > warp.register_stack_bytes
            || local_base + callee.local_bytes > warp.local_stride)
            return raise(warp, step, RawFault::Kind::stack_overflow,
                         static_cast<std::uint32_t>(std::countr_zero(warp.mask)));
        frame = warp.free_frames;
        if (frame)
            warp.free_frames = frame->parent;
        else
            frame = new Frame;
        *frame = {parent, step, function, 0, parent->depth + 1, register_base, local_base};
        ++parent->references;
    }
    Split& split = warp.splits[warp.current];
    ++frame->references;
    split.frame = frame;
    drop_frame(warp, parent);
    fill_rows(warp, function, warp.register_stack + frame->register_base, frame->local_base, warp.mask);
    note_frame(warp, frame->local_base, callee.local_bytes, warp.mask);
    const std::size_t count = std::min(site.arguments.size(), callee.params.size());
    for (std::uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
        std::byte* local = warp.local + static_cast<std::size_t>(std::countr_zero(mask)) * warp.local_stride;
        for (std::size_t index = 0; index < count; ++index) {
            std::memcpy(local + frame->local_base + callee.params[index].offset,
                        local + parent->local_base + site.arguments[index].offset,
                        std::min(callee.params[index].bytes, site.arguments[index].bytes));
        }
    }
    for (std::size_t index = 0; index < count; ++index)
        note_local_write(warp, frame->local_base + callee.params[index].offset, callee.params[index].bytes, warp.mask);
    enter_frame(warp, frame);
    const Step* first = warp.steps + callee.entry;
    if (warp.alone) return first;
    split.ip = first;
    return nullptr;
}

const Step* leave_call(Warp& warp, const Step*) {
    Frame* const frame = warp.frame;
    if (!frame->parent) {
        end_lanes(warp);
        return nullptr;
    }
    const Program& program = warp.launch->bound->program;
    const Function& callee = program.functions[frame->function];
    const Function& caller = program.functions[frame->parent->function];
    const CallSite& site = caller.calls[program.instrs[static_cast<std::size_t>(frame->call - warp.steps)].call];
    const std::size_t count = std::min(site.results.size(), callee.results.size());
    for (std::uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
        std::byte* local = warp.local + static_cast<std::size_t>(std::countr_zero(mask)) * warp.local_stride;
        for (std::size_t index = 0; index < count; ++index) {
            std::memcpy(local + frame->parent->local_base + site.results[index].offset,
                        local + frame->local_base + callee.results[index].offset,
                        std::min(callee.results[index].bytes, site.results[index].bytes));
        }
    }
    for (std::size_t index = 0; index < count; ++index)
        note_local_write(warp, frame->parent->local_base + site.results[index].offset, site.results[index].bytes,
                         warp.mask);
    const Step* next = frame->call + 1;
    Frame* const parent = frame->parent;
    Split& split = warp.splits[warp.current];
    ++parent->references;
    split.frame = parent;
    drop_frame(warp, frame);
    enter_frame(warp, parent);
    if (warp.alone) return next;
    split.ip = next;
    return nullptr;
}

const Step* call_indirect(Warp& warp, const Step* step) {
    const auto* address = reinterpret_cast<const std::uint64_t*>(warp.regs + step->a);
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(warp.mask));
    std::uint32_t same = 0;
    for (std::uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
        const auto other = static_cast<std::uint32_t>(std::countr_zero(mask));
        if (address[other] == address[lane]) same |= 1u << other;
    }
    if (same != warp.mask) {
        // Callees differ: those with the first one's go now, the others come here again.
        diverge(warp, same, step, step);
        warp.current = warp.split_count - 1;
        warp.alone = false;
        activate(warp, same);
    }
    for (const auto& [known, function] : warp.launch->bound->program.function_addresses) {
        if (known == address[lane]) return enter_call(warp, step, function);
    }
    return raise(warp, step, RawFault::Kind::bad_call, lane, address[lane]);
}

const Step* branch_indexed(Warp& warp, const Step* step) {
    const Instr& instr = warp.launch->bound->program.instrs[static_cast<std::size_t>(step - warp.steps)];
    const auto* index = reinterpret_cast<const std::uint32_t*>(warp.regs + step->a);
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(warp.mask));
    const std::uint32_t chosen = index[lane];
    if (chosen >= instr.targets.size()) return raise(warp, step, RawFault::Kind::bad_branch, lane, chosen);
    std::uint32_t same = 0;
    for (std::uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
        const auto other = static_cast<std::uint32_t>(std::countr_zero(mask));
        if (index[other] == chosen) same |= 1u << other;
    }
    const Step* target = warp.steps + instr.targets[chosen];
    if (same == warp.mask) return target;
    diverge(warp, same, target, step);
    return nullptr;
}

bool gather_lanes(Warp& warp, const Step* step, std::uint32_t wanted, SplitState state) {
    if ((wanted & warp.live & ~warp.mask) == 0) return true;
    Split& split = warp.splits[warp.current];
    split.ip = step;
    split.state = state;
    split.wanted = wanted;
    return false;
}

RunStatus run_warp(Warp& warp, std::uint32_t quantum, LaunchCounter* counter, std::uint32_t worker) {
    std::uint32_t left = quantum;
    for (;;) {
        std::uint32_t best = kNoValue;
        if (warp.split_count == 1) [[likely]] {
            if (warp.splits[0].state == SplitState::ready) best = 0;
        } else {
            for (int pass = 0; pass < 2 && best == kNoValue; ++pass) {
                for (std::uint32_t index = 0; index < warp.split_count; ++index) {
                    if (warp.splits[index].state != SplitState::ready || (pass == 0 && index == warp.avoid)) continue;
                    if (best == kNoValue || before(warp.splits[index], warp.splits[best])) best = index;
                }
            }
            warp.avoid = kNoValue;
            if (const auto& seed = warp.launch->options.checks.schedule; seed && best != kNoValue)
                best = any_ready(warp, *seed, best);
        }
        if (best == kNoValue) {
            if (warp.split_count == 0) return RunStatus::done;
            if (release_warp_ops(warp) || release_warp_sync(warp)) continue;
            for (std::uint32_t index = 0; index < warp.split_count; ++index) {
                const Split& split = warp.splits[index];
                if (split.state != SplitState::warp_op && split.state != SplitState::warp_sync) continue;
                // Every other split waits too, so the lanes that are named will never come.
                const std::uint32_t missing = split.wanted & warp.live & ~split.mask;
                (void)raise(warp, split.ip, RawFault::Kind::invalid_shuffle,
                            static_cast<std::uint32_t>(std::countr_zero(split.mask)), missing);
                return RunStatus::fault;
            }
            return RunStatus::waiting;
        }
        warp.stop = reinterpret_cast<const Step*>(~std::uintptr_t{0});
        if (warp.split_count > 1) {
            for (std::uint32_t index = 0; index < warp.split_count;) {
                const Split& other = warp.splits[index];
                const Split& chosen = warp.splits[best];
                if (index == best || other.frame != chosen.frame || other.ip != chosen.ip
                    || (other.state != SplitState::ready && other.state != SplitState::warp_op)) {
                    ++index;
                    continue;
                }
                warp.splits[best].mask |= other.mask;
                remove_split(warp, index);
                if (best == warp.split_count) best = index;
                index = 0;
            }
            const Split& chosen = warp.splits[best];
            for (std::uint32_t index = 0; index < warp.split_count; ++index) {
                const Split& other = warp.splits[index];
                if (index == best || other.state == SplitState::barrier || other.frame != chosen.frame) continue;
                if (other.ip > chosen.ip && other.ip < warp.stop) warp.stop = other.ip;
            }
        }
        warp.current = best;
        warp.alone = warp.split_count == 1;
        warp.yielded = false;
        Split& split = warp.splits[best];
        activate(warp, split.mask);
        enter_frame(warp, split.frame);
        const std::uint32_t before_run = warp.alone ? left : std::min(left, kSplitQuantum);
        std::uint32_t remaining = before_run;
        const Step* next = counter ? advance<true>(warp, split.ip, remaining, counter, worker)
                                   : advance<false>(warp, split.ip, remaining, counter, worker);
        warp.launch->bound->isa->leave();
        // A step that hands back control was executed, but is not yet subtracted.
        const std::uint32_t used = before_run - remaining + (next && remaining == 0 ? 0 : 1);
        warp.executed += used;
        left -= std::min(left, used);
        if (next) {
            warp.splits[warp.current].ip = next;
            if (remaining == 0 && !warp.alone) warp.avoid = warp.current;
        } else if (warp.fault.kind != RawFault::Kind::none) {
            return RunStatus::fault;
        } else if (warp.yielded) {
            if (warp.split_count > 1) warp.avoid = warp.current;
            return RunStatus::yielded;
        }
        if (left == 0) return warp.split_count == 0 ? RunStatus::done : RunStatus::spent;
    }
}

} // namespace kw::sim
