// atom and red. Lanes act one after the other in lane order; between blocks the host's atomic instructions decide.
#include "engine/device/sim/exec/access.h"
#include "engine/device/sim/exec/half.h"

namespace kw::sim::KW_ISA {
namespace {

/// What an operation makes of the old value; b is the operand, c the new value of cas.
template<AtomOp Kind, class T> KW_INLINE T combine(T old, T b, T c) {
    if constexpr (Kind == AtomOp::add)
        return static_cast<T>(old + b);
    else if constexpr (Kind == AtomOp::exch)
        return b;
    else if constexpr (Kind == AtomOp::cas)
        return old == b ? c : old;
    else if constexpr (Kind == AtomOp::bit_and)
        return old & b;
    else if constexpr (Kind == AtomOp::bit_or)
        return old | b;
    else if constexpr (Kind == AtomOp::bit_xor)
        return old ^ b;
    else if constexpr (Kind == AtomOp::inc)
        return old >= b ? T{0} : static_cast<T>(old + 1);
    else if constexpr (Kind == AtomOp::dec)
        return old == 0 || old > b ? b : static_cast<T>(old - 1);
    else if constexpr (Kind == AtomOp::min)
        return b < old ? b : old;
    else
        return old < b ? b : old;
}

/// Integers as themselves.
template<class T, AtomOp Kind> struct Plain {
    using Raw = T;
    KW_INLINE static T apply(T old, T b, T c, bool) { return combine<Kind, T>(old, b, c); }
};
/// Global memory flushes subnormals in f32 additions, shared memory does not (PTX ISA, "atom").
struct AddFloat {
    using Raw = u32;
    KW_INLINE static u32 apply(u32 old, u32 b, u32, bool shared) {
        const float x = bits<float>(old), y = bits<float>(b);
        return bits<u32>(shared ? canonical(x + y) : flush(canonical(flush(x) + flush(y))));
    }
};
struct AddDouble {
    using Raw = u64;
    KW_INLINE static u64 apply(u64 old, u64 b, u64, bool shared) {
        const double x = bits<double>(old), y = bits<double>(b);
        if (shared) return bits<u64>(pick_nan(x + y, y, x));
        // Global memory hands a NaN on as it is.
        return y != y ? b : x != x ? old : bits<u64>(pick_nan(x + y, x, y));
    }
};
template<class F> struct AddHalf {
    using Raw = u16;
    KW_INLINE static u16 apply(u16 old, u16 b, u16, bool) { return narrow(F{}, widen(F{}, old) + widen(F{}, b)); }
};
template<class F> struct AddHalves {
    using Raw = u32;
    KW_INLINE static u32 apply(u32 old, u32 b, u32, bool) {
        const u32 low = AddHalf<F>::apply(static_cast<u16>(old), static_cast<u16>(b), 0, false);
        const u32 high = AddHalf<F>::apply(static_cast<u16>(old >> 16), static_cast<u16>(b >> 16), 0, false);
        return high << 16 | low;
    }
};

template<class O>
KW_INLINE typename O::Raw exchange(typename O::Raw* at, typename O::Raw b, typename O::Raw c, bool shared) {
    using T = typename O::Raw;
    if (shared) {
        // one host thread runs a block, and the blocks of a cluster
        const T old = *at;
        *at = O::apply(old, b, c, true);
        return old;
    }
    T old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (
        !__atomic_compare_exchange_n(at, &old, O::apply(old, b, c, false), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    return old;
}
template<> KW_INLINE u32 exchange<Plain<u32, AtomOp::add>>(u32* at, u32 b, u32, bool shared) {
    if (shared) {
        const u32 old = *at;
        *at = old + b;
        return old;
    }
    return __atomic_fetch_add(at, b, __ATOMIC_SEQ_CST);
}
template<> KW_INLINE u64 exchange<Plain<u64, AtomOp::add>>(u64* at, u64 b, u64, bool shared) {
    if (shared) {
        const u64 old = *at;
        *at = old + b;
        return old;
    }
    return __atomic_fetch_add(at, b, __ATOMIC_SEQ_CST);
}

/// operands: results…, address, values…[, new values]. count: elements; flags: resolver, bit 15: no results.
template<class O> const Step* atomic(Warp& warp, const Step* step) {
    using T = typename O::Raw;
    const u32* operand = warp.operands + step->extra;
    const u32 count = step->count;
    const bool returns = !(step->flags & 0x8000);
    const u32 at = returns ? count : 0;
    const u32 size = static_cast<u32>(sizeof(T)) * count;
    Access access;
    if (!resolver_at(step->flags & 0x7fff)(warp, step, operand[at], true, size, access)) return nullptr;
    to_pointers(warp, access, size);
    const std::byte* shared_begin = warp.cluster_shared;
    const std::byte* shared_end = shared_begin + std::size_t{warp.cluster_stride} * warp.cluster_size;
    for (u32 index = 0; index < count; ++index) {
        const T* b = row<const T>(warp, operand[at + 1 + index]);
        // only cas has a third operand; reading b again is harmless
        const T* c = step->d ? row<const T>(warp, operand[at + 2]) : b;
        T* d = returns && operand[index] != kNoValue ? row<T>(warp, operand[index]) : nullptr;
        for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
            const int lane = __builtin_ctz(mask);
            std::byte* place = access.lane[lane] + index * sizeof(T);
            const bool shared = place >= shared_begin && place < shared_end;
            const T old = exchange<O>(reinterpret_cast<T*>(place), b[lane], c[lane], shared);
            if (d) d[lane] = old;
        }
    }
    constexpr bool may_spin = std::is_same_v<O, Plain<T, AtomOp::cas>> || std::is_same_v<O, Plain<T, AtomOp::exch>>;
    if (!may_spin || !returns || (++warp.polls & 15) != 0) return step + 1;
    warp.yielded = true; // spinning on a lock looks like this
    warp.splits[warp.current].ip = step + 1;
    return nullptr;
}

/// 32-bit integers in shared memory, the case of histograms and counters.
template<AtomOp Kind, class A> const Step* shared_atomic(Warp& warp, const Step* step) {
    const Addresses<A> addresses{row<const A>(warp, step->a), static_cast<A>(step->imm)};
    const u32* b = row<const u32>(warp, step->b);
    u32* d = step->d != kNoValue ? row<u32>(warp, step->d) : nullptr;
    const u32 limit = warp.shared_bytes;
    for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        const u64 at = addresses.at(lane);
        if (at + 4 > limit || at & 3) [[unlikely]] {
            u64 spelled[32];
            spell_out(addresses, spelled);
            Access access;
            // sorts out windows of generic addresses, or raises the fault
            if (!resolve_shared_lanes(warp, step, spelled, 4, 4, true, access)) return nullptr;
            for (u32 rest = mask; rest != 0; rest &= rest - 1) {
                const int other = __builtin_ctz(rest);
                u32* place = reinterpret_cast<u32*>(access.lane[other]);
                const u32 old = *place;
                *place = combine<Kind, u32>(old, b[other], 0);
                if (d) d[other] = old;
            }
            return step + 1;
        }
        u32* place = reinterpret_cast<u32*>(warp.shared + at);
        const u32 old = *place;
        *place = combine<Kind, u32>(old, b[lane], 0);
        if (d) d[lane] = old;
    }
    return step + 1;
}

template<class T> Handler bind_integer_atomic(AtomOp op) {
    switch (op) {
    case AtomOp::add: return atomic<Plain<std::make_unsigned_t<T>, AtomOp::add>>;
    case AtomOp::exch: return atomic<Plain<std::make_unsigned_t<T>, AtomOp::exch>>;
    case AtomOp::cas: return atomic<Plain<std::make_unsigned_t<T>, AtomOp::cas>>;
    case AtomOp::bit_and: return atomic<Plain<std::make_unsigned_t<T>, AtomOp::bit_and>>;
    case AtomOp::bit_or: return atomic<Plain<std::make_unsigned_t<T>, AtomOp::bit_or>>;
    case AtomOp::bit_xor: return atomic<Plain<std::make_unsigned_t<T>, AtomOp::bit_xor>>;
    case AtomOp::inc: return atomic<Plain<std::make_unsigned_t<T>, AtomOp::inc>>;
    case AtomOp::dec: return atomic<Plain<std::make_unsigned_t<T>, AtomOp::dec>>;
    case AtomOp::min: return atomic<Plain<T, AtomOp::min>>;
    case AtomOp::max: return atomic<Plain<T, AtomOp::max>>;
    }
    return nullptr;
}

} // namespace

Handler bind_atomic(const Instr& instr, Step& step) {
    if (instr.op != Op::atom && instr.op != Op::red) return nullptr;
    const auto op = static_cast<AtomOp>(instr.mode);
    const bool returns = instr.op == Op::atom;
    step.imm = instr.imm;
    step.count = instr.vector;
    const int resolver = resolver_index(instr.space, instr.src_rows[0], size_of(instr.type) * instr.vector);
    if (resolver < 0) return nullptr;
    const bool bits32 = size_of(instr.type) == 4 && !is_float(instr.type);
    if (instr.space == Space::shared && instr.vector == 1 && bits32 && !is_signed(instr.type)) {
        const bool wide = instr.src_rows[0] == RowClass::w64;
        if (!returns) step.d = kNoValue;
        if (op == AtomOp::add) return wide ? shared_atomic<AtomOp::add, u64> : shared_atomic<AtomOp::add, u32>;
        if (op == AtomOp::bit_or) return wide ? shared_atomic<AtomOp::bit_or, u64> : shared_atomic<AtomOp::bit_or, u32>;
        if (op == AtomOp::max) return wide ? shared_atomic<AtomOp::max, u64> : shared_atomic<AtomOp::max, u32>;
        if (op == AtomOp::min) return wide ? shared_atomic<AtomOp::min, u64> : shared_atomic<AtomOp::min, u32>;
    }
    step.flags = static_cast<u16>(resolver | (returns ? 0 : 0x8000));
    step.d = op == AtomOp::cas ? 1 : 0;
    switch (instr.type) {
    case Type::u32:
    case Type::b32: return bind_integer_atomic<u32>(op);
    case Type::s32: return bind_integer_atomic<s32>(op);
    case Type::u64:
    case Type::b64: return bind_integer_atomic<u64>(op);
    case Type::s64: return bind_integer_atomic<s64>(op);
    case Type::b16:
    case Type::u16:
        return op == AtomOp::cas    ? atomic<Plain<u16, AtomOp::cas>>
               : op == AtomOp::exch ? atomic<Plain<u16, AtomOp::exch>>
                                    : nullptr;
    case Type::f32:
        return op == AtomOp::add ? atomic<AddFloat> : op == AtomOp::exch ? atomic<Plain<u32, AtomOp::exch>> : nullptr;
    case Type::f64:
        return op == AtomOp::add ? atomic<AddDouble> : op == AtomOp::exch ? atomic<Plain<u64, AtomOp::exch>> : nullptr;
    case Type::f16: return op == AtomOp::add ? atomic<AddHalf<Half>> : nullptr;
    case Type::bf16: return op == AtomOp::add ? atomic<AddHalf<Bfloat>> : nullptr;
    case Type::f16x2: return op == AtomOp::add ? atomic<AddHalves<Half>> : nullptr;
    case Type::bf16x2: return op == AtomOp::add ? atomic<AddHalves<Bfloat>> : nullptr;
    default: return nullptr;
    }
}

} // namespace kw::sim::KW_ISA
