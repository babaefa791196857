// Integer arithmetic.
#include "engine/device/sim/exec/lanes.h"

namespace kw::sim::KW_ISA {
namespace {

template<class T> using Unsigned = std::make_unsigned_t<T>;

// Arithmetic is modulo 2^n, in unsigned types at least as wide as int.
template<class T> using Wide = std::conditional_t<sizeof(T) < 4, u32, Unsigned<T>>;

template<class T> struct Same1 {
    using D = T;
    using A = T;
};
template<class T> struct Same2 : Same1<T> {
    using B = T;
};
template<class T> struct Same3 : Same2<T> {
    using C = T;
};

template<class T> struct Add : Same2<T> {
    KW_INLINE static T apply(T a, T b) { return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b)); }
};
template<class T> struct Sub : Same2<T> {
    KW_INLINE static T apply(T a, T b) { return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b)); }
};
struct AddSat : Same2<s32> {
    KW_INLINE static s32 apply(s32 a, s32 b) {
        const s64 sum = static_cast<s64>(a) + b;
        return sum > 0x7fffffff      ? 0x7fffffff
               : sum < -0x80000000ll ? static_cast<s32>(0x80000000u)
                                     : static_cast<s32>(sum);
    }
};
struct SubSat : Same2<s32> {
    KW_INLINE static s32 apply(s32 a, s32 b) {
        const s64 sum = static_cast<s64>(a) - b;
        return sum > 0x7fffffff      ? 0x7fffffff
               : sum < -0x80000000ll ? static_cast<s32>(0x80000000u)
                                     : static_cast<s32>(sum);
    }
};
template<class T> struct Mul : Same2<T> {
    KW_INLINE static T apply(T a, T b) { return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)); }
};
template<class T> KW_INLINE T high_half(T a, T b) {
    if constexpr (sizeof(T) == 8) {
        using P = std::conditional_t<std::is_signed_v<T>, s128, u128>;
        return static_cast<T>(static_cast<P>(a) * static_cast<P>(b) >> 64);
    } else {
        using P = std::conditional_t<std::is_signed_v<T>, s64, u64>;
        return static_cast<T>(static_cast<P>(a) * static_cast<P>(b) >> (sizeof(T) * 8));
    }
}
template<class T> struct MulHi : Same2<T> {
    KW_INLINE static T apply(T a, T b) { return high_half(a, b); }
};
template<class T, class W> struct MulWide {
    using D = W;
    using A = T;
    using B = T;
    KW_INLINE static W apply(T a, T b) { return static_cast<W>(static_cast<W>(a) * static_cast<W>(b)); }
};
template<class T> struct Mad : Same3<T> {
    KW_INLINE static T apply(T a, T b, T c) {
        return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b) + static_cast<Wide<T>>(c));
    }
};
template<class T> struct MadHi : Same3<T> {
    KW_INLINE static T apply(T a, T b, T c) {
        return static_cast<T>(static_cast<Wide<T>>(high_half(a, b)) + static_cast<Wide<T>>(c));
    }
};
struct MadHiSat : Same3<s32> {
    KW_INLINE static s32 apply(s32 a, s32 b, s32 c) { return AddSat::apply(high_half(a, b), c); }
};
template<class T, class W> struct MadWide {
    using D = W;
    using A = T;
    using B = T;
    using C = W;
    KW_INLINE static W apply(T a, T b, W c) {
        return static_cast<W>(static_cast<Unsigned<W>>(static_cast<W>(a) * static_cast<W>(b))
                              + static_cast<Unsigned<W>>(c));
    }
};

template<class T> KW_INLINE s64 low24(T value) {
    if constexpr (std::is_signed_v<T>)
        return static_cast<s32>(static_cast<u32>(value) << 8) >> 8;
    else
        return value & 0xffffff;
}
/// Bits 31…0 (low) or 47…16 (high) of the 48-bit product.
template<class T, bool High> struct Mul24 : Same2<T> {
    KW_INLINE static T apply(T a, T b) {
        const s64 product = low24(a) * low24(b);
        return static_cast<T>(High ? product >> 16 : product);
    }
};
template<class T, bool High> struct Mad24 : Same3<T> {
    KW_INLINE static T apply(T a, T b, T c) { return Add<T>::apply(Mul24<T, High>::apply(a, b), c); }
};
struct Mad24HiSat : Same3<s32> {
    KW_INLINE static s32 apply(s32 a, s32 b, s32 c) { return AddSat::apply(Mul24<s32, true>::apply(a, b), c); }
};
template<class T> struct Sad : Same3<T> {
    KW_INLINE static T apply(T a, T b, T c) {
        const Wide<T> distance = a < b ? static_cast<Wide<T>>(b) - static_cast<Wide<T>>(a)
                                       : static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b);
        return static_cast<T>(static_cast<Wide<T>>(c) + distance);
    }
};
/// Division by zero gives all ones, a remainder by zero the dividend; the ISA leaves both open.
template<class T> struct Div : Same2<T> {
    KW_INLINE static T apply(T a, T b) {
        if (b == 0) return static_cast<T>(-1);
        if constexpr (std::is_signed_v<T>) {
            if (b == -1) return static_cast<T>(0 - static_cast<Wide<T>>(a));
        }
        return static_cast<T>(a / b);
    }
};
template<class T> struct Rem : Same2<T> {
    KW_INLINE static T apply(T a, T b) {
        if (b == 0) return static_cast<T>(-1); // PTX leaves it open; this is what GPUs give
        if constexpr (std::is_signed_v<T>) {
            if (b == -1) return 0;
        }
        return static_cast<T>(a % b);
    }
};
template<class T> struct Abs : Same1<T> {
    KW_INLINE static T apply(T a) { return a < 0 ? static_cast<T>(0 - static_cast<Wide<T>>(a)) : a; }
};
template<class T> struct Neg : Same1<T> {
    KW_INLINE static T apply(T a) { return static_cast<T>(0 - static_cast<Wide<T>>(a)); }
};
template<class T, bool Relu = false> struct Min : Same2<T> {
    KW_INLINE static T apply(T a, T b) {
        const T low = a < b ? a : b;
        return Relu && low < 0 ? T{0} : low;
    }
};
template<class T, bool Relu = false> struct Max : Same2<T> {
    KW_INLINE static T apply(T a, T b) {
        const T high = a < b ? b : a;
        return Relu && high < 0 ? T{0} : high;
    }
};

template<class F> const Step* scalar_binary(Warp& warp, const Step* step) {
    using T = typename F::D;
    const T* a = row<const T>(warp, step->a);
    const T* b = row<const T>(warp, step->b);
    each_active(warp, row<T>(warp, step->d), [=](int lane) { return F::apply(a[lane], b[lane]); });
    return step + 1;
}

// Extended precision: the carry is a predicate row. operands: d, carry out, a, b[, c][, carry in].
enum class CarryOp { add, sub, mad_lo, mad_hi };

/// H is T, or the signed type of its size: only the upper half of a product tells them apart.
template<class T, class H, CarryOp Kind, bool In> const Step* carry(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    T* d = row<T>(warp, operand[0]);
    const T* a = row<const T>(warp, operand[2]);
    const T* b = row<const T>(warp, operand[3]);
    constexpr bool mad = Kind == CarryOp::mad_lo || Kind == CarryOp::mad_hi;
    const T* c = mad ? row<const T>(warp, operand[4]) : nullptr;
    const u32 carry_in = In ? predicate(warp, operand[mad ? 5 : 4]) : 0;
    u32 out = 0;
    for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        const T in = carry_in >> lane & 1;
        T x = a[lane];
        T y = b[lane];
        if constexpr (mad) {
            x = Kind == CarryOp::mad_lo ? static_cast<T>(x * y)
                                        : static_cast<T>(high_half(static_cast<H>(x), static_cast<H>(y)));
            y = c[lane];
        }
        T result;
        bool overflow;
        if constexpr (Kind == CarryOp::sub) {
            // CC holds the borrow
            T partial;
            overflow = __builtin_sub_overflow(x, y, &partial);
            overflow |= __builtin_sub_overflow(partial, in, &result);
        } else {
            T partial;
            overflow = __builtin_add_overflow(x, y, &partial);
            overflow |= __builtin_add_overflow(partial, in, &result);
        }
        d[lane] = result;
        out |= static_cast<u32>(overflow) << lane;
    }
    if (operand[1] != kNoValue) set_predicate(warp, operand[1], out);
    return step + 1;
}

template<class T, class H> Handler bind_carry(Op op) {
    switch (op) {
    case Op::add_cc: return carry<T, H, CarryOp::add, false>;
    case Op::addc: return carry<T, H, CarryOp::add, true>;
    case Op::sub_cc: return carry<T, H, CarryOp::sub, false>;
    case Op::subc: return carry<T, H, CarryOp::sub, true>;
    case Op::mad_lo_cc: return carry<T, H, CarryOp::mad_lo, false>;
    case Op::madc_lo: return carry<T, H, CarryOp::mad_lo, true>;
    case Op::mad_hi_cc: return carry<T, H, CarryOp::mad_hi, false>;
    case Op::madc_hi: return carry<T, H, CarryOp::mad_hi, true>;
    default: return nullptr;
    }
}

template<class T> Handler bind_common(const Instr& instr) {
    switch (instr.op) {
    case Op::add: return binary<Add<T>>;
    case Op::sub: return binary<Sub<T>>;
    case Op::mul: return binary<Mul<T>>;
    case Op::mul_hi: return binary<MulHi<T>>;
    case Op::mad: return ternary<Mad<T>>;
    case Op::mad_hi: return ternary<MadHi<T>>;
    case Op::sad: return ternary<Sad<T>>;
    case Op::div: return scalar_binary<Div<T>>;
    case Op::rem: return scalar_binary<Rem<T>>;
    case Op::neg: return unary<Neg<T>>;
    case Op::abs:
        if constexpr (std::is_signed_v<T>)
            return unary<Abs<T>>;
        else
            return nullptr;
    case Op::min:
        if constexpr (std::is_signed_v<T>) {
            if (instr.has(kRelu)) return binary<Min<T, true>>;
        }
        return binary<Min<T>>;
    case Op::max:
        if constexpr (std::is_signed_v<T>) {
            if (instr.has(kRelu)) return binary<Max<T, true>>;
        }
        return binary<Max<T>>;
    default: return nullptr;
    }
}

template<class T> Handler bind_24(Op op) {
    switch (op) {
    case Op::mul24_lo: return binary<Mul24<T, false>>;
    case Op::mul24_hi: return binary<Mul24<T, true>>;
    case Op::mad24_lo: return ternary<Mad24<T, false>>;
    case Op::mad24_hi: return ternary<Mad24<T, true>>;
    default: return nullptr;
    }
}

} // namespace

Handler bind_integer(const Instr& instr, Step&) {
    if (instr.has(kSat)) {
        if (instr.type != Type::s32) return nullptr;
        switch (instr.op) {
        case Op::add: return binary<AddSat>;
        case Op::sub: return binary<SubSat>;
        case Op::mad_hi: return ternary<MadHiSat>;
        case Op::mad24_hi: return ternary<Mad24HiSat>;
        default: return nullptr;
        }
    }
    if (instr.op >= Op::add_cc && instr.op <= Op::madc_hi) switch (instr.type) {
        case Type::s64: return bind_carry<u64, s64>(instr.op);
        case Type::s32: return bind_carry<u32, s32>(instr.op);
        default: return size_of(instr.type) == 8 ? bind_carry<u64, u64>(instr.op) : bind_carry<u32, u32>(instr.op);
        }
    if (instr.op == Op::mul_wide || instr.op == Op::mad_wide) {
        const bool mad = instr.op == Op::mad_wide;
        switch (instr.type) {
        case Type::s16: return mad ? ternary<MadWide<s16, s32>> : binary<MulWide<s16, s32>>;
        case Type::u16: return mad ? ternary<MadWide<u16, u32>> : binary<MulWide<u16, u32>>;
        case Type::s32: return mad ? ternary<MadWide<s32, s64>> : binary<MulWide<s32, s64>>;
        case Type::u32: return mad ? ternary<MadWide<u32, u64>> : binary<MulWide<u32, u64>>;
        default: return nullptr;
        }
    }
    if (instr.op >= Op::mul24_lo && instr.op <= Op::mad24_hi)
        return instr.type == Type::s32 ? bind_24<s32>(instr.op) : bind_24<u32>(instr.op);
    switch (instr.type) {
    case Type::s16: return bind_common<s16>(instr);
    case Type::u16:
    case Type::b16: return bind_common<u16>(instr);
    case Type::s32: return bind_common<s32>(instr);
    case Type::u32:
    case Type::b32: return bind_common<u32>(instr);
    case Type::s64: return bind_common<s64>(instr);
    case Type::u64:
    case Type::b64: return bind_common<u64>(instr);
    default: return nullptr;
    }
}

} // namespace kw::sim::KW_ISA
