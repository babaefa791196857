// Operations across the lanes of a warp.
#include "engine/device/sim/exec/lanes.h"

namespace kw::sim::KW_ISA {
namespace {

/// The lanes that take part: those named by the first active lane's mask, or all active ones without a mask.
KW_INLINE u32 named_lanes(const Warp& warp, u32 offset) {
    return offset == kNoValue ? warp.mask : row<const u32>(warp, offset)[__builtin_ctz(warp.mask)];
}
/// Waits until every lane of the mask that is still running has come here.
KW_INLINE bool together(Warp& warp, const Step* step, u32 mask_offset) {
    if (mask_offset == kNoValue) return true;
    const u32 wanted = named_lanes(warp, mask_offset);
    if ((wanted & ~warp.mask) == 0) [[likely]]
        return true;
    return gather_lanes(warp, step, wanted, SplitState::warp_op);
}

void activate(Warp& warp, u32 mask) {
    warp.mask = mask;
    for (int lane = 0; lane < 32; ++lane) warp.lanes[lane] = mask >> lane & 1 ? -1 : 0;
}

/// Lanes that name different masks, as parts of a warp that each go together do, are groups of their own. `Mask` says
/// where the row of masks is: in b, or the operand of that number.
constexpr int kInB = -1;
template<Handler H, int Mask> const Step* each_group(Warp& warp, const Step* step) {
    const u32 offset = Mask == kInB ? step->b : warp.operands[step->extra + static_cast<u32>(Mask < 0 ? 0 : Mask)];
    if (offset == kNoValue) return H(warp, step);
    const u32* named = row<const u32>(warp, offset);
    const u32 all = warp.mask;
    const u32 first = named[__builtin_ctz(all)];
    if ((each_bit([=](int lane) { return named[lane] != first; }) & all) == 0) [[likely]]
        return H(warp, step);
    u32 wanted = 0;
    for (u32 mask = all; mask != 0; mask &= mask - 1) wanted |= named[__builtin_ctz(mask)];
    if (!gather_lanes(warp, step, wanted, SplitState::warp_op)) return nullptr;
    u32 masks[32]; // the result may go where the masks are
    __builtin_memcpy(masks, named, sizeof masks);
    for (u32 left = all; left != 0;) {
        const u32 mask = masks[__builtin_ctz(left)];
        u32 group = 0;
        for (u32 rest = left; rest != 0; rest &= rest - 1)
            if (masks[__builtin_ctz(rest)] == mask) group |= rest & (~rest + 1);
        left &= ~group;
        if ((mask & warp.live & ~group) != 0) continue; // named by some that it does not name: undefined
        activate(warp, group);
        (void)H(warp, step);
    }
    activate(warp, all);
    return step + 1;
}

/// PTX ISA, "shfl": c holds the clamp in bits 4…0 and the segment mask in bits 12…8.
/// operands: d, p, a, b, c, mask
template<ShuffleMode Mode> const Step* shuffle(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    if (!together(warp, step, operand[5])) return nullptr;
    const u32* a = row<const u32>(warp, operand[2]);
    const u32* b = row<const u32>(warp, operand[3]);
    const u32* c = row<const u32>(warp, operand[4]);
    alignas(64) s32 source[32];
    alignas(64) s32 valid[32];
#pragma GCC ivdep
    for (int lane = 0; lane < 32; ++lane) {
        const s32 delta = static_cast<s32>(b[lane] & 31);
        const s32 clamp = static_cast<s32>(c[lane] & 31);
        const s32 segment = static_cast<s32>(c[lane] >> 8 & 31);
        const s32 highest = (lane & segment) | (clamp & ~segment);
        const s32 lowest = lane & segment;
        s32 from = 0;
        bool ok = false;
        if constexpr (Mode == ShuffleMode::up) {
            from = lane - delta;
            ok = from >= highest;
        } else if constexpr (Mode == ShuffleMode::down) {
            from = lane + delta;
            ok = from <= highest;
        } else if constexpr (Mode == ShuffleMode::bfly) {
            from = lane ^ delta;
            ok = from <= highest;
        } else {
            from = lowest | (delta & ~segment);
            ok = from <= highest;
        }
        source[lane] = ok ? from : lane;
        valid[lane] = ok ? -1 : 0;
    }
    if (operand[0] != kNoValue) {
        u32* d = row<u32>(warp, operand[0]);
        alignas(64) u32 result[32];
        for (int lane = 0; lane < 32; ++lane) result[lane] = a[source[lane] & 31];
        each(warp, d, [&](int lane) { return result[lane]; });
    }
    if (operand[1] != kNoValue) set_predicate(warp, operand[1], pack_bits(valid));
    return step + 1;
}

/// a: predicate, b: mask
template<VoteMode Mode> const Step* vote(Warp& warp, const Step* step) {
    if (!together(warp, step, step->b)) return nullptr;
    const u32 here = warp.mask & named_lanes(warp, step->b);
    u32 value = predicate(warp, step->a);
    if (step->flags & kNegateCombine) value = ~value;
    value &= here;
    if constexpr (Mode == VoteMode::ballot) {
        each(warp, row<u32>(warp, step->d), [=](int) { return value; });
    } else {
        const bool holds = Mode == VoteMode::all   ? value == here
                           : Mode == VoteMode::any ? value != 0
                                                   : value == 0 || value == here;
        set_predicate(warp, step->d, holds ? kFullMask : 0);
    }
    return step + 1;
}

/// operands: d, p, a, mask
template<class T, bool Any> const Step* match(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    if (!together(warp, step, operand[3])) return nullptr;
    const u32 here = warp.mask & named_lanes(warp, operand[3]);
    const T* a = row<const T>(warp, operand[2]);
    u32 result[32] = {};
    if constexpr (Any) {
        for (u32 left = here; left != 0;) {
            const T value = a[__builtin_ctz(left)];
            u32 same = 0;
            for (u32 mask = left; mask != 0; mask &= mask - 1) {
                const int lane = __builtin_ctz(mask);
                if (a[lane] == value) same |= 1u << lane;
            }
            for (u32 mask = same; mask != 0; mask &= mask - 1) result[__builtin_ctz(mask)] = same;
            left &= ~same;
        }
    } else {
        bool equal = true;
        const T value = a[__builtin_ctz(warp.mask)];
        for (u32 mask = here; mask != 0; mask &= mask - 1) equal &= a[__builtin_ctz(mask)] == value;
        for (u32& lane : result) lane = equal ? here : 0;
        if (operand[1] != kNoValue) set_predicate(warp, operand[1], equal ? kFullMask : 0);
    }
    if (operand[0] != kNoValue) each_active(warp, row<u32>(warp, operand[0]), [&](int lane) { return result[lane]; });
    return step + 1;
}

template<class T, AtomOp Kind> const Step* reduce(Warp& warp, const Step* step) {
    if (!together(warp, step, step->b)) return nullptr;
    const u32 here = warp.mask & named_lanes(warp, step->b);
    const T* a = row<const T>(warp, step->a);
    T value = a[__builtin_ctz(warp.mask)];
    bool first = true;
    for (u32 mask = here; mask != 0; mask &= mask - 1) {
        const T next = a[__builtin_ctz(mask)];
        if (first)
            value = next;
        else if constexpr (Kind == AtomOp::add)
            value = static_cast<T>(static_cast<u32>(value) + static_cast<u32>(next));
        else if constexpr (Kind == AtomOp::min)
            value = next < value ? next : value;
        else if constexpr (Kind == AtomOp::max)
            value = value < next ? next : value;
        else if constexpr (Kind == AtomOp::bit_and)
            value &= next;
        else if constexpr (Kind == AtomOp::bit_or)
            value |= next;
        else
            value ^= next;
        first = false;
    }
    each(warp, row<T>(warp, step->d), [=](int) { return value; });
    return step + 1;
}
template<class T> Handler bind_reduce(AtomOp op) {
    switch (op) {
    case AtomOp::add: return each_group<reduce<T, AtomOp::add>, kInB>;
    case AtomOp::min: return each_group<reduce<T, AtomOp::min>, kInB>;
    case AtomOp::max: return each_group<reduce<T, AtomOp::max>, kInB>;
    case AtomOp::bit_and: return each_group<reduce<T, AtomOp::bit_and>, kInB>;
    case AtomOp::bit_or: return each_group<reduce<T, AtomOp::bit_or>, kInB>;
    case AtomOp::bit_xor: return each_group<reduce<T, AtomOp::bit_xor>, kInB>;
    default: return nullptr;
    }
}

const Step* activemask(Warp& warp, const Step* step) {
    const u32 value = warp.mask;
    each(warp, row<u32>(warp, step->d), [=](int) { return value; });
    return step + 1;
}
/// operands: d, p, mask. The lowest lane is elected.
const Step* elect(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    if (!together(warp, step, operand[2])) return nullptr;
    const u32 here = warp.mask & named_lanes(warp, operand[2]);
    const u32 leader = here ? static_cast<u32>(__builtin_ctz(here)) : 0;
    if (operand[0] != kNoValue) each(warp, row<u32>(warp, operand[0]), [=](int) { return leader; });
    if (operand[1] != kNoValue) set_predicate(warp, operand[1], 1u << leader);
    return step + 1;
}
const Step* warp_sync(Warp& warp, const Step* step) {
    const u32 wanted = named_lanes(warp, step->a);
    if ((wanted & ~warp.mask) != 0 && !gather_lanes(warp, step, wanted, SplitState::warp_sync)) return nullptr;
    return step + 1;
}

} // namespace

Handler bind_warp(const Instr& instr, Step& step) {
    step.flags = instr.flags;
    switch (instr.op) {
    case Op::shfl:
        switch (static_cast<ShuffleMode>(instr.mode)) {
        case ShuffleMode::up: return shuffle<ShuffleMode::up>;
        case ShuffleMode::down: return shuffle<ShuffleMode::down>;
        case ShuffleMode::bfly: return shuffle<ShuffleMode::bfly>;
        case ShuffleMode::idx: return shuffle<ShuffleMode::idx>;
        }
        return nullptr;
    case Op::vote:
        switch (static_cast<VoteMode>(instr.mode)) {
        case VoteMode::all: return each_group<vote<VoteMode::all>, kInB>;
        case VoteMode::any: return each_group<vote<VoteMode::any>, kInB>;
        case VoteMode::uni: return each_group<vote<VoteMode::uni>, kInB>;
        case VoteMode::ballot: return each_group<vote<VoteMode::ballot>, kInB>;
        }
        return nullptr;
    case Op::match_any:
        return instr.type == Type::b64 ? each_group<match<u64, true>, 3> : each_group<match<u32, true>, 3>;
    case Op::match_all:
        return instr.type == Type::b64 ? each_group<match<u64, false>, 3> : each_group<match<u32, false>, 3>;
    case Op::redux:
        return is_signed(instr.type) ? bind_reduce<s32>(static_cast<AtomOp>(instr.mode))
                                     : bind_reduce<u32>(static_cast<AtomOp>(instr.mode));
    case Op::activemask: return activemask;
    case Op::elect: return each_group<elect, 2>;
    case Op::warp_sync: return warp_sync;
    default: return nullptr;
    }
}

} // namespace kw::sim::KW_ISA
