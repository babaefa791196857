// f16, bf16 and their packed forms. Sums, products and quotients of two are computed in f32, whose precision is more
// than twice theirs, so that the second rounding changes nothing; fused products have their own single rounding.
#include "engine/device/sim/exec/approx.h"
#include "engine/device/sim/exec/half.h"

namespace kw::sim::KW_ISA {
namespace {

enum class Half2 { add, sub, mul, min, max, min_nan, max_nan, min_xor, max_xor, min_nan_xor, max_nan_xor };
enum class Half1 { abs, neg, abs_ftz, neg_ftz, ex2, tanh };

template<class F> KW_INLINE u16 flush_half(F, u16 value) {
    constexpr u16 exponent = static_cast<u16>(((2 * F::kBias + 1) << F::kFraction));
    return (value & exponent) == 0 ? static_cast<u16>(value & 0x8000) : value;
}
template<class F> KW_INLINE bool is_nan(F, u16 value) {
    constexpr u16 infinity = static_cast<u16>(((2 * F::kBias + 1) << F::kFraction));
    return (value & 0x7fff) > infinity;
}
/// [0, 1], NaN to +0.
template<class F> KW_INLINE u16 saturate_half(F format, u16 value) {
    constexpr u16 one = static_cast<u16>(F::kBias << F::kFraction);
    return is_nan(format, value) || (value & 0x8000) ? u16{0} : value > one ? one : value;
}
template<class F> KW_INLINE u16 extreme(F format, u16 a, u16 b, bool max, bool nan_wins) {
    const float x = widen(format, a), y = widen(format, b);
    const u16 tie = max ? a & b : a | b;
    const u16 chosen = x < y ? (max ? b : a) : y < x ? (max ? a : b) : tie;
    const bool nan_a = x != x, nan_b = y != y;
    if (nan_wins) return nan_a || nan_b ? kHalfNan : chosen;
    return nan_a ? (nan_b ? kHalfNan : b) : nan_b ? a : chosen;
}

template<class F, Half2 Kind, bool Ftz, bool Sat> KW_INLINE u16 compute2(u16 a, u16 b) {
    constexpr F format{};
    if constexpr (Ftz) {
        a = flush_half(format, a);
        b = flush_half(format, b);
    }
    u16 result = 0;
    if constexpr (Kind == Half2::add)
        result = narrow(format, widen(format, a) + widen(format, b));
    else if constexpr (Kind == Half2::sub)
        result = narrow(format, widen(format, a) - widen(format, b));
    else if constexpr (Kind == Half2::mul)
        result = narrow(format, widen(format, a) * widen(format, b));
    else {
        constexpr bool max =
            Kind == Half2::max || Kind == Half2::max_nan || Kind == Half2::max_xor || Kind == Half2::max_nan_xor;
        constexpr bool nan = Kind == Half2::min_nan || Kind == Half2::max_nan || Kind == Half2::min_nan_xor
                             || Kind == Half2::max_nan_xor;
        constexpr bool sign = Kind == Half2::min_xor || Kind == Half2::max_xor || Kind == Half2::min_nan_xor
                              || Kind == Half2::max_nan_xor;
        if constexpr (sign) {
            result = extreme(format, static_cast<u16>(a & 0x7fff), static_cast<u16>(b & 0x7fff), max, nan);
            if (!is_nan(format, result)) result = static_cast<u16>(result | ((a ^ b) & 0x8000));
        } else {
            result = extreme(format, a, b, max, nan);
        }
    }
    if constexpr (Ftz) result = flush_half(format, result);
    if constexpr (Sat) result = saturate_half(format, result);
    return result;
}
template<class F, Half1 Kind> KW_INLINE u16 compute1(u16 a) {
    constexpr F format{};
    if constexpr (Kind == Half1::abs)
        return is_nan(format, a) ? kHalfNan : static_cast<u16>(a & 0x7fff);
    else if constexpr (Kind == Half1::neg)
        return is_nan(format, a) ? kHalfNan : static_cast<u16>(a ^ 0x8000);
    else if constexpr (Kind == Half1::abs_ftz)
        return compute1<F, Half1::abs>(flush_half(format, a));
    else if constexpr (Kind == Half1::neg_ftz)
        return compute1<F, Half1::neg>(flush_half(format, a));
    else if constexpr (Kind == Half1::ex2)
        return narrow(format, approx_ex2(widen(format, a)));
    else
        return narrow(format, approx_tanh(widen(format, a)));
}
template<class F, bool Ftz, bool Sat, bool Relu> KW_INLINE u16 compute3(u16 a, u16 b, u16 c) {
    constexpr F format{};
    if constexpr (Ftz) {
        a = flush_half(format, a);
        b = flush_half(format, b);
        c = flush_half(format, c);
    }
    u16 result = fused(format, a, b, c);
    if constexpr (Ftz) result = flush_half(format, result);
    if constexpr (Sat) result = saturate_half(format, result);
    if constexpr (Relu) result = !is_nan(format, result) && (result & 0x8000) ? u16{0} : result;
    return result;
}

/// One value per register, or two: the packed row is read as 64 lanes of 16 bits.
template<bool Packed, class F> KW_INLINE void halves(const Warp& warp, u16* d, F f) {
    if constexpr (!Packed) {
        each(warp, d, f);
    } else if (warp.mask == kFullMask) {
#pragma GCC ivdep
        for (int lane = 0; lane < 64; ++lane) d[lane] = f(lane);
    } else {
        for (int lane = 0; lane < 64; ++lane) {
            if (warp.mask >> (lane >> 1) & 1) d[lane] = f(lane);
        }
    }
}

template<class F, bool Packed, Half2 Kind, bool Ftz, bool Sat> const Step* half2(Warp& warp, const Step* step) {
    const u16* a = row<const u16>(warp, step->a);
    const u16* b = row<const u16>(warp, step->b);
    halves<Packed>(warp, row<u16>(warp, step->d),
                   [=](int lane) { return compute2<F, Kind, Ftz, Sat>(a[lane], b[lane]); });
    return step + 1;
}
template<class F, bool Packed, Half1 Kind> const Step* half1(Warp& warp, const Step* step) {
    const u16* a = row<const u16>(warp, step->a);
    halves<Packed>(warp, row<u16>(warp, step->d), [=](int lane) { return compute1<F, Kind>(a[lane]); });
    return step + 1;
}
template<class F, bool Packed, bool Ftz, bool Sat, bool Relu> const Step* half3(Warp& warp, const Step* step) {
    const u16* a = row<const u16>(warp, step->a);
    const u16* b = row<const u16>(warp, step->b);
    const u16* c = row<const u16>(warp, step->c);
    halves<Packed>(warp, row<u16>(warp, step->d),
                   [=](int lane) { return compute3<F, Ftz, Sat, Relu>(a[lane], b[lane], c[lane]); });
    return step + 1;
}

template<class F, bool Packed, Half2 Kind> Handler bind_half2(const Instr& instr) {
    if (instr.has(kFtz))
        return instr.has(kSat) ? half2<F, Packed, Kind, true, true> : half2<F, Packed, Kind, true, false>;
    return instr.has(kSat) ? half2<F, Packed, Kind, false, true> : half2<F, Packed, Kind, false, false>;
}
template<class F, bool Packed> Handler bind_format(const Instr& instr) {
    const bool nan = instr.has(kNan), sign = instr.has(kXorsignAbs);
    if (instr.rounding != Rounding::none && instr.rounding != Rounding::rn) return nullptr;
    if (instr.has(kRelu) && instr.op != Op::fma) return nullptr;
    switch (instr.op) {
    case Op::add: return bind_half2<F, Packed, Half2::add>(instr);
    case Op::sub: return bind_half2<F, Packed, Half2::sub>(instr);
    case Op::mul: return bind_half2<F, Packed, Half2::mul>(instr);
    case Op::min:
        if (sign)
            return nan ? bind_half2<F, Packed, Half2::min_nan_xor>(instr)
                       : bind_half2<F, Packed, Half2::min_xor>(instr);
        return nan ? bind_half2<F, Packed, Half2::min_nan>(instr) : bind_half2<F, Packed, Half2::min>(instr);
    case Op::max:
        if (sign)
            return nan ? bind_half2<F, Packed, Half2::max_nan_xor>(instr)
                       : bind_half2<F, Packed, Half2::max_xor>(instr);
        return nan ? bind_half2<F, Packed, Half2::max_nan>(instr) : bind_half2<F, Packed, Half2::max>(instr);
    case Op::fma:
        if (instr.has(kRelu))
            return instr.has(kFtz) ? half3<F, Packed, true, false, true> : half3<F, Packed, false, false, true>;
        if (instr.has(kFtz))
            return instr.has(kSat) ? half3<F, Packed, true, true, false> : half3<F, Packed, true, false, false>;
        return instr.has(kSat) ? half3<F, Packed, false, true, false> : half3<F, Packed, false, false, false>;
    case Op::abs: return instr.has(kFtz) ? half1<F, Packed, Half1::abs_ftz> : half1<F, Packed, Half1::abs>;
    case Op::neg: return instr.has(kFtz) ? half1<F, Packed, Half1::neg_ftz> : half1<F, Packed, Half1::neg>;
    case Op::ex2: return half1<F, Packed, Half1::ex2>;
    case Op::tanh: return half1<F, Packed, Half1::tanh>;
    default: return nullptr;
    }
}

} // namespace

Handler bind_half(const Instr& instr, Step&) {
    switch (instr.type) {
    case Type::f16: return bind_format<Half, false>(instr);
    case Type::f16x2: return bind_format<Half, true>(instr);
    case Type::bf16: return bind_format<Bfloat, false>(instr);
    case Type::bf16x2: return bind_format<Bfloat, true>(instr);
    default: return nullptr;
    }
}

} // namespace kw::sim::KW_ISA
