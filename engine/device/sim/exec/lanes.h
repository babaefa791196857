// Helpers of the handlers. This header is compiled once per instruction set, in a namespace of its own (KW_ISA).
#pragma once

#include "engine/device/sim/exec/isa.h"

#include <cstring>
#include <type_traits>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#ifndef KW_ISA
#define KW_ISA isa_v2
#endif

#define KW_INLINE [[gnu::always_inline]] inline

namespace kw::sim::KW_ISA {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

template<class To, class From> KW_INLINE To bits(From value) {
    static_assert(sizeof(To) == sizeof(From));
    return __builtin_bit_cast(To, value);
}

/// The row at `offset` of the running frame. Rows are aligned to 64 bytes.
template<class T> KW_INLINE T* row(const Warp& warp, u32 offset) {
    return static_cast<T*>(__builtin_assume_aligned(warp.regs + offset, 64));
}
KW_INLINE u32& predicate(const Warp& warp, u32 offset) { return *reinterpret_cast<u32*>(warp.regs + offset); }
KW_INLINE void set_predicate(const Warp& warp, u32 offset, u32 value) {
    u32& target = predicate(warp, offset);
    target = (target & ~warp.mask) | (value & warp.mask);
}

/// d[lane] = f(lane) in the active lanes. d may be the same row as an operand, never a partial overlap.
template<class D, class F> KW_INLINE void each(const Warp& warp, D* d, F f) {
    if (warp.mask == kFullMask) [[likely]] {
#pragma GCC ivdep
        for (int lane = 0; lane < 32; ++lane) d[lane] = f(lane);
    } else {
        const s32* active = warp.lanes;
#pragma GCC ivdep
        for (int lane = 0; lane < 32; ++lane) d[lane] = active[lane] ? f(lane) : d[lane];
    }
}

/// As `each`, lane by lane without vectorisation: for operations whose evaluation in an inactive lane would be costly.
template<class D, class F> KW_INLINE void each_active(const Warp& warp, D* d, F f) {
    for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        d[lane] = f(lane);
    }
}

/// One bit per lane from a row of 0 / −1.
KW_INLINE u32 pack_bits(const s32* lanes) {
#if defined(__AVX512DQ__)
    const u32 low = _mm512_movepi32_mask(_mm512_load_si512(lanes));
    const u32 high = _mm512_movepi32_mask(_mm512_load_si512(lanes + 16));
    return low | high << 16;
#elif defined(__AVX2__)
    u32 out = 0;
    for (int part = 0; part < 4; ++part)
        out |= static_cast<u32>(_mm256_movemask_ps(_mm256_load_ps(reinterpret_cast<const float*>(lanes + 8 * part))))
               << (8 * part);
    return out;
#elif defined(__SSE2__)
    u32 out = 0;
    for (int part = 0; part < 8; ++part)
        out |= static_cast<u32>(_mm_movemask_ps(_mm_load_ps(reinterpret_cast<const float*>(lanes + 4 * part))))
               << (4 * part);
    return out;
#else
    u32 out = 0;
    for (int lane = 0; lane < 32; ++lane) out |= static_cast<u32>(lanes[lane] & 1) << lane;
    return out;
#endif
}

/// One bit per lane of f(lane), over all lanes.
template<class F> KW_INLINE u32 each_bit(F f) {
    alignas(64) s32 result[32];
#pragma GCC ivdep
    for (int lane = 0; lane < 32; ++lane) result[lane] = f(lane) ? -1 : 0;
    return pack_bits(result);
}

constexpr u32 kCanonicalNan = 0x7fffffff; ///< PTX ISA, "Floating-point instructions": every NaN result in f32

KW_INLINE float canonical(float value) { return value != value ? bits<float>(kCanonicalNan) : value; }
/// The payload of a NaN operand is kept in f64; which operand's is fixed here so that all instruction sets agree.
KW_INLINE double quiet(double value) { return bits<double>(bits<u64>(value) | 0x0008000000000000ull); }
KW_INLINE double pick_nan(double result, double a, double b) {
    return result == result ? result : b != b ? quiet(b) : a != a ? quiet(a) : bits<double>(u64{0xfff8000000000000ull});
}
KW_INLINE double pick_nan(double result, double a, double b, double c) {
    return result == result ? result
           : b != b         ? quiet(b)
           : c != c         ? quiet(c)
           : a != a         ? quiet(a)
                            : bits<double>(u64{0xfff8000000000000ull});
}

/// Subnormals become zero of the same sign.
KW_INLINE float flush(float value) {
    const u32 raw = bits<u32>(value);
    return bits<float>((raw & 0x7f800000u) == 0 ? raw & 0x80000000u : raw);
}
template<bool Ftz> KW_INLINE float flush_if(float value) {
    if constexpr (Ftz)
        return flush(value);
    else
        return value;
}
/// [0, 1], NaN to +0.
KW_INLINE float saturate(float value) { return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f; }
KW_INLINE double saturate(double value) { return value > 0.0 ? (value < 1.0 ? value : 1.0) : 0.0; }

/// A handler from a functor with `D`, `A` and `static D apply(A)`, and so on for two and three sources.
template<class F> const Step* unary(Warp& warp, const Step* step) {
    using D = typename F::D;
    using A = typename F::A;
    const A* a = row<const A>(warp, step->a);
    each(warp, row<D>(warp, step->d), [=](int lane) { return F::apply(a[lane]); });
    return step + 1;
}
template<class F> const Step* binary(Warp& warp, const Step* step) {
    using D = typename F::D;
    using A = typename F::A;
    using B = typename F::B;
    const A* a = row<const A>(warp, step->a);
    const B* b = row<const B>(warp, step->b);
    each(warp, row<D>(warp, step->d), [=](int lane) { return F::apply(a[lane], b[lane]); });
    return step + 1;
}
template<class F> const Step* ternary(Warp& warp, const Step* step) {
    using D = typename F::D;
    using A = typename F::A;
    using B = typename F::B;
    using C = typename F::C;
    const A* a = row<const A>(warp, step->a);
    const B* b = row<const B>(warp, step->b);
    const C* c = row<const C>(warp, step->c);
    each(warp, row<D>(warp, step->d), [=](int lane) { return F::apply(a[lane], b[lane], c[lane]); });
    return step + 1;
}

/// Runs H in another rounding mode of the x86 unit: 1 down, 2 up, 3 to zero.
template<Handler H, u32 Mode> const Step* with_rounding(Warp& warp, const Step* step) {
#if defined(__SSE2__)
    const u32 saved = _mm_getcsr();
    _mm_setcsr((saved & ~0x6000u) | Mode << 13);
    asm volatile("" ::: "memory");
    const Step* next = H(warp, step);
    asm volatile("" ::: "memory");
    _mm_setcsr(saved);
    return next;
#else
    return H(warp, step);
#endif
}
template<Handler H> Handler rounded(Rounding rounding) {
    switch (rounding) {
    case Rounding::none:
    case Rounding::rn: return H;
    case Rounding::rm: return with_rounding<H, 1>;
    case Rounding::rp: return with_rounding<H, 2>;
    case Rounding::rz: return with_rounding<H, 3>;
    default: return nullptr;
    }
}

// Each file of handlers offers one of these; null when the instruction is not its own or not supported.
Handler bind_integer(const Instr& instr, Step& step);
Handler bind_bits(const Instr& instr, Step& step);
Handler bind_float(const Instr& instr, Step& step);
Handler bind_half(const Instr& instr, Step& step);
Handler bind_convert(const Instr& instr, Step& step);
Handler bind_compare(const Instr& instr, Step& step);
Handler bind_memory(const Instr& instr, Step& step);
Handler bind_atomic(const Instr& instr, Step& step);
Handler bind_warp(const Instr& instr, Step& step);
Handler bind_control(const Instr& instr, Step& step);
Handler bind_matrix(const Instr& instr, Step& step);
Handler bind_async(const Instr& instr, Step& step);

} // namespace kw::sim::KW_ISA
