// Logic, shifts, bit fields, byte permutation, small dot products, moves.
#include "engine/device/sim/exec/lanes.h"

namespace kw::sim::KW_ISA {
namespace {

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

template<class T> struct And : Same2<T> {
    KW_INLINE static T apply(T a, T b) { return a & b; }
};
template<class T> struct Or : Same2<T> {
    KW_INLINE static T apply(T a, T b) { return a | b; }
};
template<class T> struct Xor : Same2<T> {
    KW_INLINE static T apply(T a, T b) { return a ^ b; }
};
template<class T> struct Not : Same1<T> {
    KW_INLINE static T apply(T a) { return static_cast<T>(~a); }
};
template<class T> struct Cnot : Same1<T> {
    KW_INLINE static T apply(T a) { return a == 0 ? T{1} : T{0}; }
};
template<class T> struct Mov : Same1<T> {
    KW_INLINE static T apply(T a) { return a; }
};

/// Shift amounts at or above the width give 0, or the sign for arithmetic shifts.
template<class T> struct Shl {
    using D = T;
    using A = T;
    using B = u32;
    KW_INLINE static T apply(T a, u32 b) {
        constexpr u32 width = sizeof(T) * 8;
        return b < width ? static_cast<T>(a << (b & (width - 1))) : T{0};
    }
};
template<class T> struct Shr {
    using D = T;
    using A = T;
    using B = u32;
    KW_INLINE static T apply(T a, u32 b) {
        constexpr u32 width = sizeof(T) * 8;
        if constexpr (std::is_signed_v<T>)
            return static_cast<T>(a >> (b < width ? b : width - 1));
        else
            return b < width ? static_cast<T>(a >> (b & (width - 1))) : T{0};
    }
};
/// The upper (left) or lower (right) 32 bits of [b:a] shifted; a is the low word.
template<bool Left, bool Wrap> struct Funnel : Same3<u32> {
    KW_INLINE static u32 apply(u32 a, u32 b, u32 c) {
        const u32 n = Wrap ? c & 31 : c < 32 ? c : 32;
        const u64 both = static_cast<u64>(b) << 32 | a;
        return static_cast<u32>(Left ? (both << n) >> 32 : both >> n);
    }
};

template<class T> struct Popc {
    using D = u32;
    using A = T;
    KW_INLINE static u32 apply(T a) {
        T x = a;
        x = x - ((x >> 1) & static_cast<T>(0x5555555555555555ull));
        x = (x & static_cast<T>(0x3333333333333333ull)) + ((x >> 2) & static_cast<T>(0x3333333333333333ull));
        x = (x + (x >> 4)) & static_cast<T>(0x0f0f0f0f0f0f0f0full);
        return static_cast<u32>((x * static_cast<T>(0x0101010101010101ull)) >> (sizeof(T) * 8 - 8));
    }
};
KW_INLINE u32 leading_zeros(u32 a) { return a == 0 ? 32u : static_cast<u32>(__builtin_clz(a)); }
KW_INLINE u32 leading_zeros(u64 a) { return a == 0 ? 64u : static_cast<u32>(__builtin_clzll(a)); }
template<class T> struct Clz {
    using D = u32;
    using A = T;
    KW_INLINE static u32 apply(T a) { return leading_zeros(a); }
};
/// Position of the highest bit that differs from the sign, from bit 0 or (shift) as a left shift amount; −1 when none.
template<class T, bool Shift> struct Bfind {
    using D = u32;
    using A = T;
    KW_INLINE static u32 apply(T a) {
        using U = std::make_unsigned_t<T>;
        U value = static_cast<U>(a);
        if constexpr (std::is_signed_v<T>) value = a < 0 ? static_cast<U>(~value) : value;
        const u32 zeros = leading_zeros(value);
        constexpr u32 width = sizeof(T) * 8;
        return zeros == width ? 0xffffffffu : Shift ? zeros : width - 1 - zeros;
    }
};
template<class T> struct Brev : Same1<T> {
    KW_INLINE static T apply(T x) {
        x = ((x >> 1) & static_cast<T>(0x5555555555555555ull)) | ((x & static_cast<T>(0x5555555555555555ull)) << 1);
        x = ((x >> 2) & static_cast<T>(0x3333333333333333ull)) | ((x & static_cast<T>(0x3333333333333333ull)) << 2);
        x = ((x >> 4) & static_cast<T>(0x0f0f0f0f0f0f0f0full)) | ((x & static_cast<T>(0x0f0f0f0f0f0f0f0full)) << 4);
        return sizeof(T) == 8 ? static_cast<T>(__builtin_bswap64(x))
                              : static_cast<T>(__builtin_bswap32(static_cast<u32>(x)));
    }
};
/// PTX ISA, "fns": the position of the offset-th set bit at or after base (before, for negative offsets).
struct Fns : Same3<u32> {
    KW_INLINE static u32 apply(u32 mask, u32 base, u32 raw) {
        const s32 offset = static_cast<s32>(raw);
        if (raw == 0x80000000u) return 0; // as an H200 does; PTX says nothing of it
        if (base > 31) return 0xffffffffu;
        if (offset == 0) return mask >> base & 1 ? base : 0xffffffffu;
        s32 left = offset > 0 ? offset : -offset;
        for (s32 position = static_cast<s32>(base); position >= 0 && position < 32; position += offset > 0 ? 1 : -1) {
            if (mask >> position & 1 && --left == 0) return static_cast<u32>(position);
        }
        return 0xffffffffu;
    }
};
template<bool Wrap> struct Bmsk : Same2<u32> {
    KW_INLINE static u32 apply(u32 a, u32 b) {
        const u32 start = Wrap ? a & 31 : a;
        const u32 length = Wrap ? b & 31 : b;
        if (start >= 32 || length == 0) return 0;
        const u32 ones = length >= 32 ? 0xffffffffu : (1u << length) - 1;
        return ones << start;
    }
};
template<class T, bool Wrap> struct Szext : Same2<T> {
    KW_INLINE static T apply(T a, T b) {
        const u32 n = Wrap ? static_cast<u32>(b) & 31 : static_cast<u32>(b);
        if (n >= 32) return a;
        if (n == 0) return 0;
        const u32 up = static_cast<u32>(a) << (32 - n);
        if constexpr (std::is_signed_v<T>)
            return static_cast<T>(static_cast<s32>(up) >> (32 - n));
        else
            return static_cast<T>(up >> (32 - n));
    }
};
/// PTX ISA, "bfe" and "bfi": position and length are from 0 to 255. Of more, GPUs take the low 8 bits for 32-bit values
/// and all of it for 64-bit ones.
template<class T> KW_INLINE u32 place(u32 given) { return sizeof(T) == 8 ? given : given & 255; }

/// Missing bits are the field's (or value's) sign.
template<class T> struct Bfe {
    using D = T;
    using A = T;
    using B = u32;
    using C = u32;
    KW_INLINE static T apply(T a, u32 b, u32 c) {
        using U = std::make_unsigned_t<T>;
        constexpr u32 width = sizeof(T) * 8;
        const u32 position = place<T>(b) < width ? place<T>(b) : width;
        const u32 length = place<T>(c) < width ? place<T>(c) : width;
        if (length == 0) return 0;
        const U value = static_cast<U>(a);
        const U shifted = position < width ? value >> position : 0;
        const U field = length < width ? shifted & ((U{1} << length) - 1) : shifted;
        if constexpr (std::is_signed_v<T>) {
            const u32 top = position + length - 1 < width - 1 ? position + length - 1 : width - 1;
            const bool negative = value >> top & 1;
            const u32 have = position < width ? (length < width - position ? length : width - position) : 0;
            if (negative && have < width) return static_cast<T>(field | (~U{0} << have));
            return static_cast<T>(field);
        } else {
            return field;
        }
    }
};

/// operands: d, a, b, position, length
template<class T> const Step* insert_field(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    const T* a = row<const T>(warp, operand[1]);
    const T* b = row<const T>(warp, operand[2]);
    const u32* position = row<const u32>(warp, operand[3]);
    const u32* length = row<const u32>(warp, operand[4]);
    constexpr u32 width = sizeof(T) * 8;
    each_active(warp, row<T>(warp, operand[0]), [=](int lane) {
        const u32 at = place<T>(position[lane]);
        const u32 count = place<T>(length[lane]);
        if (count == 0 || at >= width) return b[lane];
        const T ones = count >= width ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << count) - 1);
        const T mask = static_cast<T>(ones << at);
        return static_cast<T>((b[lane] & ~mask) | ((a[lane] << at) & mask));
    });
    return step + 1;
}

const Step* lop3(Warp& warp, const Step* step) {
    const u32* a = row<const u32>(warp, step->a);
    const u32* b = row<const u32>(warp, step->b);
    const u32* c = row<const u32>(warp, step->c);
    u32* d = row<u32>(warp, step->d);
    u32 term[8];
    for (int index = 0; index < 8; ++index) term[index] = step->imm >> index & 1 ? 0xffffffffu : 0;
    each(warp, d, [=](int lane) {
        const u32 x = a[lane], y = b[lane], z = c[lane];
        return (term[0] & ~x & ~y & ~z) | (term[1] & ~x & ~y & z) | (term[2] & ~x & y & ~z) | (term[3] & ~x & y & z)
               | (term[4] & x & ~y & ~z) | (term[5] & x & ~y & z) | (term[6] & x & y & ~z) | (term[7] & x & y & z);
    });
    return step + 1;
}

template<int Mode> struct Prmt : Same3<u32> {
    KW_INLINE static u32 byte(u64 both, u32 selector) {
        const u32 value = static_cast<u32>(both >> (8 * (selector & 7))) & 255;
        return selector & 8 ? (value & 128 ? 255u : 0u) : value;
    }
    KW_INLINE static u32 apply(u32 a, u32 b, u32 c) {
        const u64 both = static_cast<u64>(b) << 32 | a;
        u32 out = 0;
        for (u32 index = 0; index < 4; ++index) {
            const u32 n = c & 3;
            u32 selector = 0;
            if constexpr (Mode == 0)
                selector = c >> (4 * index) & 15;
            else if constexpr (Mode == 1)
                selector = (n + index) & 7;
            else if constexpr (Mode == 2)
                selector = (n - index) & 7;
            else if constexpr (Mode == 3)
                selector = n;
            else if constexpr (Mode == 4)
                selector = index > n ? index : n;
            else if constexpr (Mode == 5)
                selector = index < n ? index : n;
            else
                selector = (n & 1) * 2 + (index & 1);
            out |= byte(both, selector) << (8 * index);
        }
        return out;
    }
};

template<bool Signed1, bool Signed2, int Part> struct Dot : Same3<u32> {
    KW_INLINE static u32 apply(u32 a, u32 b, u32 c) {
        u32 sum = c;
        constexpr int count = Part == 0 ? 4 : 2;
        for (int index = 0; index < count; ++index) {
            s32 x = 0;
            if constexpr (Part == 0) {
                const u32 raw = a >> (8 * index) & 255;
                x = Signed1 ? static_cast<s8>(raw) : static_cast<s32>(raw);
            } else {
                const u32 raw = a >> (16 * index) & 0xffff;
                x = Signed1 ? static_cast<s16>(raw) : static_cast<s32>(raw);
            }
            const u32 raw = b >> (8 * (index + (Part == 2 ? 2 : 0))) & 255;
            const s32 y = Signed2 ? static_cast<s8>(raw) : static_cast<s32>(raw);
            sum += static_cast<u32>(x * y);
        }
        return sum;
    }
};
template<int Part> Handler bind_dot(const Instr& instr) {
    const bool first = instr.has(kSigned1), second = instr.has(kSigned2);
    if (first && second) return ternary<Dot<true, true, Part>>;
    if (first) return ternary<Dot<true, false, Part>>;
    if (second) return ternary<Dot<false, true, Part>>;
    return ternary<Dot<false, false, Part>>;
}

/// Logic on predicates: bits of one word.
template<Op Kind> const Step* predicate_logic(Warp& warp, const Step* step) {
    const u32 a = predicate(warp, step->a);
    u32 result = 0;
    if constexpr (Kind == Op::bit_not)
        result = ~a;
    else if constexpr (Kind == Op::mov)
        result = a;
    else {
        const u32 b = predicate(warp, step->b);
        result = Kind == Op::bit_and ? a & b : Kind == Op::bit_or ? a | b : a ^ b;
    }
    set_predicate(warp, step->d, result);
    return step + 1;
}

const Step* move128(Warp& warp, const Step* step) {
    u128* d = row<u128>(warp, step->d);
    const u128* a = row<const u128>(warp, step->a);
    each_active(warp, d, [=](int lane) { return a[lane]; });
    return step + 1;
}

/// operands: d, parts… (pack) or parts…, a (unpack). Part 0 is the least significant.
template<class W, class P, bool Pack> const Step* regroup(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    constexpr u32 count = sizeof(W) / sizeof(P);
    if constexpr (Pack) {
        W* d = row<W>(warp, operand[0]);
        const P* part[count];
        for (u32 index = 0; index < count; ++index) part[index] = row<const P>(warp, operand[1 + index]);
        for (int lane = 0; lane < 32; ++lane) {
            if (!(warp.mask >> lane & 1)) continue;
            W value = 0;
            for (u32 index = 0; index < count; ++index)
                value |= static_cast<W>(static_cast<W>(static_cast<P>(part[index][lane])) << (index * sizeof(P) * 8));
            d[lane] = value;
        }
    } else {
        const W* a = row<const W>(warp, operand[count]);
        for (u32 index = 0; index < count; ++index) {
            if (operand[index] == kNoValue) continue;
            P* d = row<P>(warp, operand[index]);
            each(warp, d, [=](int lane) { return static_cast<P>(a[lane] >> (index * sizeof(P) * 8)); });
        }
    }
    return step + 1;
}
template<bool Pack> Handler bind_regroup(const Instr& instr) {
    const u32 whole = size_of(instr.type);
    const u32 part = size_of(instr.type2);
    if (whole == 4 && part == 2) return regroup<u32, u16, Pack>;
    if (whole == 8 && part == 4) return regroup<u64, u32, Pack>;
    if (whole == 8 && part == 2) return regroup<u64, u16, Pack>;
    if (whole == 16 && part == 8) return regroup<u128, u64, Pack>;
    if (whole == 16 && part == 4) return regroup<u128, u32, Pack>;
    return nullptr;
}
/// Bytes live in rows of 16 bits.
template<class W> const Step* pack_bytes(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    W* d = row<W>(warp, operand[0]);
    each_active(warp, d, [&](int lane) {
        W value = 0;
        for (u32 index = 0; index < sizeof(W); ++index)
            value = static_cast<W>(
                value | static_cast<W>(row<const u16>(warp, operand[1 + index])[lane] & 255) << (8 * index));
        return value;
    });
    return step + 1;
}
template<class W> const Step* unpack_bytes(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    const W* a = row<const W>(warp, operand[sizeof(W)]);
    for (u32 index = 0; index < sizeof(W); ++index) {
        if (operand[index] == kNoValue) continue;
        each_active(warp, row<u16>(warp, operand[index]),
                    [=](int lane) { return static_cast<u16>(a[lane] >> (8 * index) & 255); });
    }
    return step + 1;
}

template<u64 Window, bool To> struct Cvta : Same1<u64> {
    KW_INLINE static u64 apply(u64 a) { return To ? a - Window : a + Window; }
};
constexpr u64 kShared = 0x6f00'0000'0000, kLocal = 0x6e00'0000'0000, kWindow = u64{1} << 24;

template<Space S> const Step* isspacep(Warp& warp, const Step* step) {
    const u64* a = row<const u64>(warp, step->a);
    set_predicate(warp, step->d, each_bit([=](int lane) {
                      const bool shared = a[lane] - kShared < 17 * kWindow; // and the cluster's
                      const bool local = a[lane] - kLocal < kWindow;
                      return S == Space::shared ? shared : S == Space::local ? local : !shared && !local;
                  }));
    return step + 1;
}

template<class T> Handler bind_logic(Op op) {
    switch (op) {
    case Op::bit_and: return binary<And<T>>;
    case Op::bit_or: return binary<Or<T>>;
    case Op::bit_xor: return binary<Xor<T>>;
    case Op::bit_not: return unary<Not<T>>;
    case Op::cnot: return unary<Cnot<T>>;
    case Op::shl: return binary<Shl<T>>;
    case Op::shr: return binary<Shr<T>>;
    case Op::mov: return unary<Mov<T>>;
    default: return nullptr;
    }
}
template<class T> Handler bind_count(Op op) {
    switch (op) {
    case Op::popc: return unary<Popc<T>>;
    case Op::clz: return unary<Clz<T>>;
    case Op::brev: return unary<Brev<T>>;
    default: return nullptr;
    }
}

} // namespace

Handler bind_bits(const Instr& instr, Step& step) {
    const u32 size = size_of(instr.type);
    step.imm = instr.imm;
    switch (instr.op) {
    case Op::mov:
        if (instr.type == Type::pred) return predicate_logic<Op::mov>;
        if (size == 16) return move128;
        [[fallthrough]];
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::bit_not:
    case Op::cnot:
    case Op::shl:
    case Op::shr:
        if (instr.type == Type::pred) {
            switch (instr.op) {
            case Op::bit_and: return predicate_logic<Op::bit_and>;
            case Op::bit_or: return predicate_logic<Op::bit_or>;
            case Op::bit_xor: return predicate_logic<Op::bit_xor>;
            case Op::bit_not: return predicate_logic<Op::bit_not>;
            default: return nullptr;
            }
        }
        if (instr.op == Op::shr && is_signed(instr.type))
            return size == 2 ? binary<Shr<s16>> : size == 4 ? binary<Shr<s32>> : size == 8 ? binary<Shr<s64>> : nullptr;
        return size <= 2   ? bind_logic<u16>(instr.op)
               : size == 4 ? bind_logic<u32>(instr.op)
               : size == 8 ? bind_logic<u64>(instr.op)
                           : nullptr;
    case Op::shf_l: return instr.has(kWrap) ? ternary<Funnel<true, true>> : ternary<Funnel<true, false>>;
    case Op::shf_r: return instr.has(kWrap) ? ternary<Funnel<false, true>> : ternary<Funnel<false, false>>;
    case Op::popc:
    case Op::clz:
    case Op::brev: return size == 4 ? bind_count<u32>(instr.op) : size == 8 ? bind_count<u64>(instr.op) : nullptr;
    case Op::bfind:
        return size == 4 ? (is_signed(instr.type) ? unary<Bfind<s32, false>> : unary<Bfind<u32, false>>)
                         : (is_signed(instr.type) ? unary<Bfind<s64, false>> : unary<Bfind<u64, false>>);
    case Op::bfind_shift:
        return size == 4 ? (is_signed(instr.type) ? unary<Bfind<s32, true>> : unary<Bfind<u32, true>>)
                         : (is_signed(instr.type) ? unary<Bfind<s64, true>> : unary<Bfind<u64, true>>);
    case Op::fns: return ternary<Fns>;
    case Op::bmsk: return instr.has(kWrap) ? binary<Bmsk<true>> : binary<Bmsk<false>>;
    case Op::szext:
        if (size != 4) return nullptr;
        if (is_signed(instr.type)) return instr.has(kWrap) ? binary<Szext<s32, true>> : binary<Szext<s32, false>>;
        return instr.has(kWrap) ? binary<Szext<u32, true>> : binary<Szext<u32, false>>;
    case Op::bfe:
        return size == 4 ? (is_signed(instr.type) ? ternary<Bfe<s32>> : ternary<Bfe<u32>>)
                         : (is_signed(instr.type) ? ternary<Bfe<s64>> : ternary<Bfe<u64>>);
    case Op::bfi: return size == 4 ? insert_field<u32> : insert_field<u64>;
    case Op::lop3: return lop3;
    case Op::prmt:
        switch (instr.mode) {
        case 0: return ternary<Prmt<0>>;
        case 1: return ternary<Prmt<1>>;
        case 2: return ternary<Prmt<2>>;
        case 3: return ternary<Prmt<3>>;
        case 4: return ternary<Prmt<4>>;
        case 5: return ternary<Prmt<5>>;
        default: return ternary<Prmt<6>>;
        }
    case Op::dp4a: return bind_dot<0>(instr);
    case Op::dp2a_lo: return bind_dot<1>(instr);
    case Op::dp2a_hi: return bind_dot<2>(instr);
    case Op::pack:
        if (instr.type2 == Type::b8)
            return size == 4 ? pack_bytes<u32> : size == 8 ? pack_bytes<u64> : size == 2 ? pack_bytes<u16> : nullptr;
        return bind_regroup<true>(instr);
    case Op::unpack:
        if (instr.type2 == Type::b8)
            return size == 4   ? unpack_bytes<u32>
                   : size == 8 ? unpack_bytes<u64>
                   : size == 2 ? unpack_bytes<u16>
                               : nullptr;
        return bind_regroup<false>(instr);
    case Op::cvta_to_shared: return unary<Cvta<kShared, true>>;
    case Op::cvta_from_shared: return unary<Cvta<kShared, false>>;
    case Op::cvta_to_local: return unary<Cvta<kLocal, true>>;
    case Op::cvta_from_local: return unary<Cvta<kLocal, false>>;
    case Op::isspacep:
        switch (instr.space) {
        case Space::shared: return isspacep<Space::shared>;
        case Space::local: return isspacep<Space::local>;
        case Space::global: return isspacep<Space::global>;
        default: return nullptr;
        }
    default: return nullptr;
    }
}

} // namespace kw::sim::KW_ISA
