// mbarriers, bulk copies, addresses of other blocks of a cluster. Copies are complete when their instruction has run.
#include "engine/device/sim/exec/access.h"

namespace kw::sim::KW_ISA {
namespace {

/// An mbarrier as this simulator keeps it; to programs its bits are opaque. Bits 0–19: arrivals pending in this phase,
/// 20–39: arrivals expected in the next, 40–61: bytes outstanding, signed; 62: initialised; 63: parity of the phase.
struct Mbarrier {
    u64 word = 0;

    static constexpr u64 kCount = (u64{1} << 20) - 1, kBytes = (u64{1} << 22) - 1, kValid = u64{1} << 62;
    [[nodiscard]] u32 pending() const { return static_cast<u32>(word & kCount); }
    [[nodiscard]] u32 expected() const { return static_cast<u32>(word >> 20 & kCount); }
    [[nodiscard]] s32 bytes() const { return static_cast<s32>(static_cast<u32>(word >> 40 & kBytes) << 10) >> 10; }
    [[nodiscard]] bool valid() const { return (word & kValid) != 0 && pending() <= kCount; }
    [[nodiscard]] u32 parity() const { return static_cast<u32>(word >> 63); }
    void set(u32 pending, u32 expected, s32 bytes, u32 parity) {
        word = (pending & kCount) | (u64{expected} & kCount) << 20
               | (static_cast<u64>(static_cast<u32>(bytes)) & kBytes) << 40 | kValid | u64{parity} << 63;
    }
    /// False when more arrive than the phase expects.
    bool change(u32 arrivals, u32 drops, s32 bytes_more) {
        if (arrivals > pending() || drops > expected()) return false;
        const u32 pending_now = pending() - arrivals, expected_now = expected() - drops;
        const s32 bytes_now = bytes() + bytes_more;
        const bool completes = pending_now == 0 && bytes_now == 0;
        set(completes ? expected_now : pending_now, expected_now, bytes_now, parity() ^ (completes ? 1u : 0u));
        return true;
    }
};

bool reach_one(Warp& warp, const Step* step, Space space, int lane, u64 at, u32 size, u32 align, bool write,
               std::byte*& out) {
    u64 address[32];
    address[lane] = at;
    Access access;
    const u32 all = warp.mask;
    warp.mask = 1u << lane;
    const bool ok = space == Space::shared ? resolve_shared_lanes(warp, step, address, size, align, write, access)
                    : space == Space::global
                        ? resolve_global_lanes(warp, step, address, size, align, write, space, access)
                        : resolve_generic_lanes(warp, step, address, size, align, write, access);
    warp.mask = all;
    if (ok) out = access.lane[lane];
    return ok;
}

/// operands: [state or predicate], address, value. d: 1 when there is a result; flags: MbarrierOp; b: space.
const Step* mbarrier(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    const u32 first = step->d;
    const auto kind = static_cast<MbarrierOp>(step->flags);
    const bool test = kind == MbarrierOp::test_token || kind == MbarrierOp::test_parity;
    const u32 value_row = operand[first + 1];
    u32 passed = 0;
    for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        const u64 at = row<const u64>(warp, operand[first])[lane];
        std::byte* place = nullptr;
        if (!reach_one(warp, step, static_cast<Space>(step->b), lane, at, 8, 8, !test, place)) return nullptr;
        Mbarrier barrier{load_raw<u64>(place)};
        const u64 value = kind == MbarrierOp::test_token ? row<const u64>(warp, value_row)[lane]
                                                         : row<const u32>(warp, value_row)[lane];
        if (kind == MbarrierOp::init) {
            barrier.set(static_cast<u32>(value), static_cast<u32>(value), 0, 0);
            store_raw(place, barrier.word);
            continue;
        }
        if (!barrier.valid())
            return raise(warp, step, RawFault::Kind::no_mbarrier, static_cast<u32>(lane), at, 8, !test, Space::shared);
        const u64 before = barrier.word;
        const auto amount = static_cast<u32>(value);
        bool fits = true;
        switch (kind) {
        case MbarrierOp::inval: barrier.word = 0; break;
        case MbarrierOp::expect_tx: fits = barrier.change(0, 0, static_cast<s32>(amount)); break;
        case MbarrierOp::complete_tx: fits = barrier.change(0, 0, -static_cast<s32>(amount)); break;
        case MbarrierOp::arrive:
        case MbarrierOp::arrive_no_complete: fits = barrier.change(amount, 0, 0); break;
        case MbarrierOp::arrive_drop: fits = barrier.change(amount, amount, 0); break;
        case MbarrierOp::arrive_expect_tx: fits = barrier.change(1, 0, static_cast<s32>(amount)); break;
        case MbarrierOp::arrive_drop_expect_tx: fits = barrier.change(1, 1, static_cast<s32>(amount)); break;
        case MbarrierOp::test_token:
            if ((value >> 63) != barrier.parity()) passed |= 1u << lane;
            break;
        case MbarrierOp::test_parity:
            if ((value & 1) != barrier.parity()) passed |= 1u << lane;
            break;
        case MbarrierOp::init:
        case MbarrierOp::pending_count: break;
        }
        if (!fits)
            return raise(warp, step, RawFault::Kind::mbarrier_overrun, static_cast<u32>(lane), at, 8, true,
                         Space::shared);
        if (!test) {
            store_raw(place, barrier.word);
            if (first != 0 && operand[0] != kNoValue) row<u64>(warp, operand[0])[lane] = before;
        }
    }
    if (!test) return step + 1;
    set_predicate(warp, operand[0], passed);
    if (passed == warp.mask) return step + 1;
    warp.yielded = true; // a loop that waits looks like this
    warp.splits[warp.current].ip = step + 1;
    return nullptr;
}

const Step* pending_count(Warp& warp, const Step* step) {
    const u64* token = row<const u64>(warp, step->b);
    each(warp, row<u32>(warp, step->d), [=](int lane) { return static_cast<u32>(token[lane] & Mbarrier::kCount); });
    return step + 1;
}

/// Bytes arrive at an mbarrier.
bool complete(Warp& warp, const Step* step, int lane, u64 at, u32 bytes) {
    std::byte* place = nullptr;
    if (!reach_one(warp, step, Space::shared, lane, at, 8, 8, true, place)) return false;
    Mbarrier barrier{load_raw<u64>(place)};
    if (!barrier.valid()) {
        (void)raise(warp, step, RawFault::Kind::no_mbarrier, static_cast<u32>(lane), at, 8, true, Space::shared);
        return false;
    }
    (void)barrier.change(0, 0, -static_cast<s32>(bytes));
    store_raw(place, barrier.word);
    return true;
}

/// operands: destination, source, bytes, barrier, mask. flags: BulkCopy.
const Step* bulk_copy(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    const auto kind = static_cast<BulkCopy>(step->flags);
    const Space from_space = kind == BulkCopy::global_to_shared ? Space::global : Space::shared;
    const Space to_space = kind == BulkCopy::shared_to_global ? Space::global : Space::shared;
    for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        const u64 to = row<const u64>(warp, operand[0])[lane], from = row<const u64>(warp, operand[1])[lane];
        const u32 bytes = row<const u32>(warp, operand[2])[lane];
        if (bytes == 0) continue;
        if (bytes % 16 != 0)
            return raise(warp, step, RawFault::Kind::misaligned, static_cast<u32>(lane), to, bytes, true, to_space);
        std::byte* source = nullptr;
        if (!reach_one(warp, step, from_space, lane, from, bytes, 16, false, source)) return nullptr;
        // One copy in place, or one into each block of the mask at the same offsets.
        const bool multicast = operand[4] != kNoValue;
        const u32 ranks = multicast ? row<const u16>(warp, operand[4])[lane] : 1;
        for (u32 left = ranks; left != 0; left &= left - 1) {
            const u64 rank_base = (static_cast<u64>(__builtin_ctz(left)) + 1) * kWindowSize;
            const auto in_rank = [&](u64 at) { return multicast ? rank_base + at % kWindowSize : at; };
            std::byte* target = nullptr;
            if (!reach_one(warp, step, to_space, lane, in_rank(to), bytes, 16, true, target)) return nullptr;
            __builtin_memmove(target, source, bytes);
            if (operand[3] == kNoValue) continue;
            const u64 barrier = row<const u64>(warp, operand[3])[lane];
            if (!complete(warp, step, lane, in_rank(barrier), bytes)) return nullptr;
        }
    }
    return step + 1;
}

/// An address of this block's shared memory as that of another's; flags 1: generic.
template<class T> const Step* map_address(Warp& warp, const Step* step) {
    const T* a = row<const T>(warp, step->a);
    const u32* rank = row<const u32>(warp, step->b);
    const u64 base = step->flags ? kSharedWindowBase : 0;
    each(warp, row<T>(warp, step->d), [=](int lane) {
        const u64 offset = (static_cast<u64>(a[lane]) - base) % kWindowSize;
        return static_cast<T>(base + (static_cast<u64>(rank[lane]) + 1) * kWindowSize + offset);
    });
    return step + 1;
}
template<class T> const Step* rank_of(Warp& warp, const Step* step) {
    const T* a = row<const T>(warp, step->a);
    const u64 base = step->flags ? kSharedWindowBase : 0;
    const u32 own = warp.cluster_rank;
    each(warp, row<u32>(warp, step->d), [=](int lane) {
        const auto part = static_cast<u32>((static_cast<u64>(a[lane]) - base) / kWindowSize);
        return part == 0 ? own : part - 1;
    });
    return step + 1;
}

} // namespace

Handler bind_async(const Instr& instr, Step& step) {
    switch (instr.op) {
    case Op::mbarrier:
        if (static_cast<MbarrierOp>(instr.mode) == MbarrierOp::pending_count) return pending_count;
        step.d = static_cast<u32>(instr.dst.size());
        step.b = static_cast<u32>(instr.space);
        step.flags = instr.mode;
        return mbarrier;
    case Op::bulk_copy: step.flags = instr.mode; return bulk_copy;
    case Op::mapa: step.flags = instr.mode; return instr.type == Type::u64 ? map_address<u64> : map_address<u32>;
    case Op::cluster_rank_of: step.flags = instr.mode; return instr.type == Type::u64 ? rank_of<u64> : rank_of<u32>;
    default: return nullptr;
    }
}

} // namespace kw::sim::KW_ISA
