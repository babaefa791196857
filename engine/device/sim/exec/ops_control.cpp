// Branches, calls, barriers, and the guard of predicated instructions.
#include "engine/device/sim/exec/lanes.h"

namespace kw::sim::KW_ISA {
namespace {

const Step* nop(Warp&, const Step* step) { return step + 1; }

const Step* branch(Warp&, const Step* step) { return step->target; }

/// c: predicate; flags: 1 when it is negated.
const Step* branch_if(Warp& warp, const Step* step) {
    const u32 taken = (predicate(warp, step->c) ^ (step->flags ? kFullMask : 0)) & warp.mask;
    if (taken == 0) return step + 1;
    if (taken == warp.mask) return step->target;
    diverge(warp, taken, step->target, step + 1);
    return nullptr;
}

const Step* fence(Warp&, const Step* step) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return step + 1;
}
const Step* call(Warp& warp, const Step* step) { return enter_call(warp, step, step->d); }
const Step* ret(Warp& warp, const Step* step) { return leave_call(warp, step); }
const Step* exit_lanes(Warp& warp, const Step*) {
    end_lanes(warp);
    return nullptr;
}
const Step* trap(Warp& warp, const Step* step) {
    return raise(warp, step, RawFault::Kind::trap, static_cast<u32>(__builtin_ctz(warp.mask)));
}
const Step* sleep(Warp& warp, const Step* step) {
    warp.yielded = true;
    warp.splits[warp.current].ip = step + 1;
    return nullptr;
}
template<class T> const Step* clock(Warp& warp, const Step* step) {
    const T now = static_cast<T>(device_clock(warp));
    each(warp, row<T>(warp, step->d), [=](int) { return now; });
    return step + 1;
}
template<class T> const Step* globaltimer(Warp& warp, const Step* step) {
    const T now = static_cast<T>(device_time_ns());
    each(warp, row<T>(warp, step->d), [=](int) { return now; });
    return step + 1;
}

void activate(Warp& warp, u32 mask) {
    warp.mask = mask;
    for (int lane = 0; lane < 32; ++lane) warp.lanes[lane] = mask >> lane & 1 ? -1 : 0;
}

} // namespace

/// The guard's predicate row is in operands[extra − 1], its sense in bit 31.
const Step* guarded(Warp& warp, const Step* step) {
    const u32 word = warp.operands[step->extra - 1];
    const u32 all = warp.mask;
    const u32 holds = (predicate(warp, word & 0x7fffffffu) ^ (word >> 31 ? kFullMask : 0)) & all;
    if (holds == 0) return step + 1;
    if (holds == all) return step->inner(warp, step);
    activate(warp, holds);
    const Step* next = step->inner(warp, step);
    activate(warp, all);
    return next;
}

Handler bind_control(const Instr& instr, Step& step) {
    switch (instr.op) {
    case Op::nop:
    case Op::prefetch:
    case Op::cp_async_wait: return nop;
    case Op::fence: return fence;
    case Op::bra:
        step.c = instr.guard;
        step.flags = instr.guard_negated ? 1 : 0;
        return instr.guard == kNoValue ? branch : branch_if;
    case Op::brx: return branch_indexed;
    case Op::call: step.d = instr.target; return call;
    case Op::call_indirect: return call_indirect;
    case Op::builtin: return call_builtin;
    case Op::ret: return ret;
    case Op::exit: return exit_lanes;
    case Op::trap:
    case Op::brkpt: return trap;
    case Op::nanosleep: return sleep;
    case Op::clock: return clock<u32>;
    case Op::clock64: return clock<u64>;
    case Op::globaltimer: return instr.type == Type::u64 ? globaltimer<u64> : globaltimer<u32>;
    case Op::cluster_arrive: return arrive_at_cluster;
    case Op::cluster_wait: return wait_for_cluster;
    case Op::bar_sync: step.count = 0; return arrive_at_barrier;
    case Op::bar_arrive: step.count = 1; return arrive_at_barrier;
    case Op::bar_red_popc: step.count = 2; return arrive_at_barrier;
    case Op::bar_red_and: step.count = 3; return arrive_at_barrier;
    case Op::bar_red_or: step.count = 4; return arrive_at_barrier;
    default: return nullptr;
    }
}

} // namespace kw::sim::KW_ISA
