// f32 and f64 arithmetic. Correctly rounded where PTX says so; what PTX calls approximate is in approx.h.
#include "engine/device/sim/exec/approx.h"

#include <cmath>

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

enum class Arithmetic { add, sub, mul, div };

template<Arithmetic Kind, class T> KW_INLINE T compute(T a, T b) {
    if constexpr (Kind == Arithmetic::add)
        return a + b;
    else if constexpr (Kind == Arithmetic::sub)
        return a - b;
    else if constexpr (Kind == Arithmetic::mul)
        return a * b;
    else
        return a / b;
}

template<Arithmetic Kind, bool Ftz, bool Sat> struct Float2 : Same2<float> {
    KW_INLINE static float apply(float a, float b) {
        const float result = flush_if<Ftz>(compute<Kind>(flush_if<Ftz>(a), flush_if<Ftz>(b)));
        return Sat ? saturate(result) : canonical(result);
    }
};
/// PTX ISA, "div": .approx by more than 2¹²⁶ gives zero, and NaN where the dividend is infinite.
template<bool Ftz, bool Sat> struct FloatDivApprox : Same2<float> {
    KW_INLINE static float apply(float a, float b) {
        const u32 magnitude = bits<u32>(b) & 0x7fffffffu;
        const bool far = magnitude > 0x7e800000u && magnitude < 0x7f800000u;
        const float by = bits<float>(bits<u32>(b) & 0x80000000u);
        const float result = far ? flush_if<Ftz>(a) * by : flush_if<Ftz>(flush_if<Ftz>(a) / flush_if<Ftz>(b));
        return Sat ? saturate(result) : canonical(result);
    }
};
template<Arithmetic Kind> struct Double2 : Same2<double> {
    KW_INLINE static double apply(double a, double b) {
        const double result = compute<Kind>(a, b);
        // Division, which GPUs do by many instructions, goes by the other operand first.
        return Kind == Arithmetic::div ? pick_nan(result, b, a) : pick_nan(result, a, b);
    }
};
template<bool Ftz, bool Sat> struct FloatFma : Same3<float> {
    KW_INLINE static float apply(float a, float b, float c) {
        const float result = flush_if<Ftz>(__builtin_fmaf(flush_if<Ftz>(a), flush_if<Ftz>(b), flush_if<Ftz>(c)));
        return Sat ? saturate(result) : canonical(result);
    }
};
struct DoubleFma : Same3<double> {
    KW_INLINE static double apply(double a, double b, double c) { return pick_nan(__builtin_fma(a, b, c), a, b, c); }
};

template<bool Ftz> struct FloatSqrt : Same1<float> {
    KW_INLINE static float apply(float a) { return canonical(__builtin_sqrtf(flush_if<Ftz>(a))); }
};
template<bool Ftz> struct FloatRcp : Same1<float> {
    KW_INLINE static float apply(float a) { return canonical(flush_if<Ftz>(1.0f / flush_if<Ftz>(a))); }
};
/// 1/√x in double, then one rounding: within 1 ULP.
template<bool Ftz> struct FloatRsqrt : Same1<float> {
    KW_INLINE static float apply(float a) {
        return canonical(static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(flush_if<Ftz>(a)))));
    }
};
template<bool Ftz> struct FloatEx2 : Same1<float> {
    KW_INLINE static float apply(float a) { return flush_if<Ftz>(approx_ex2(flush_if<Ftz>(a))); }
};
template<bool Ftz> struct FloatLg2 : Same1<float> {
    KW_INLINE static float apply(float a) { return approx_lg2(flush_if<Ftz>(a)); }
};
struct FloatTanh : Same1<float> {
    KW_INLINE static float apply(float a) { return approx_tanh(a); }
};
struct DoubleSqrt : Same1<double> {
    KW_INLINE static double apply(double a) { return pick_nan(__builtin_sqrt(a), a, a); }
};
struct DoubleRcp : Same1<double> {
    KW_INLINE static double apply(double a) { return pick_nan(1.0 / a, a, a); }
};
/// The approximations of f64 give and take the upper 32 bits only, without subnormal numbers.
KW_INLINE double upper_half(double a) {
    const u64 raw = bits<u64>(a) & 0xffffffff00000000ull;
    return bits<double>((raw & 0x7ff0000000000000ull) == 0 ? raw & 0x8000000000000000ull : raw);
}
struct DoubleRcpUpper : Same1<double> {
    KW_INLINE static double apply(double a) {
        const double x = upper_half(a);
        return upper_half(pick_nan(1.0 / x, x, x));
    }
};
template<bool Upper> struct DoubleRsqrt : Same1<double> {
    KW_INLINE static double apply(double a) {
        const double x = Upper ? upper_half(a) : a;
        const double result = pick_nan(1.0 / __builtin_sqrt(x), x, x);
        return Upper ? upper_half(result) : result;
    }
};

template<int Quarter, bool Ftz> const Step* sine(Warp& warp, const Step* step) {
    const float* a = row<const float>(warp, step->a);
    float* d = row<float>(warp, step->d);
    const u32 large =
        each_bit([=](int lane) { return !(a[lane] >= -kSineRange && a[lane] <= kSineRange); }) & warp.mask;
    if (large == 0) [[likely]] {
        each(warp, d, [=](int lane) { return flush_if<Ftz>(approx_sine<Quarter>(flush_if<Ftz>(a[lane]))); });
    } else {
        each_active(warp, d, [=](int lane) {
            if (!(large >> lane & 1)) return flush_if<Ftz>(approx_sine<Quarter>(flush_if<Ftz>(a[lane])));
            const double x = a[lane];
            return canonical(static_cast<float>(Quarter ? ::cos(x) : ::sin(x)));
        });
    }
    return step + 1;
}

template<bool Ftz> struct FloatAbs : Same1<float> {
    KW_INLINE static float apply(float a) { return canonical(bits<float>(bits<u32>(flush_if<Ftz>(a)) & 0x7fffffffu)); }
};
template<bool Ftz> struct FloatNeg : Same1<float> {
    KW_INLINE static float apply(float a) { return canonical(bits<float>(bits<u32>(flush_if<Ftz>(a)) ^ 0x80000000u)); }
};
/// GPUs do both by an addition, which only makes a NaN quiet.
struct DoubleAbs : Same1<double> {
    KW_INLINE static double apply(double a) {
        return a != a ? quiet(a) : bits<double>(bits<u64>(a) & 0x7fffffffffffffffull);
    }
};
struct DoubleNeg : Same1<double> {
    KW_INLINE static double apply(double a) {
        return a != a ? quiet(a) : bits<double>(bits<u64>(a) ^ 0x8000000000000000ull);
    }
};
/// copysign d, a, b: the magnitude of b with the sign of a.
struct FloatCopysign : Same2<float> {
    KW_INLINE static float apply(float a, float b) {
        return bits<float>((bits<u32>(a) & 0x80000000u) | (bits<u32>(b) & 0x7fffffffu));
    }
};
struct DoubleCopysign : Same2<double> {
    KW_INLINE static double apply(double a, double b) {
        return bits<double>((bits<u64>(a) & 0x8000000000000000ull) | (bits<u64>(b) & 0x7fffffffffffffffull));
    }
};

/// −0 is below +0; a NaN gives way to a number unless NanWins.
template<bool Max, bool NanWins> KW_INLINE float float_extreme(float a, float b) {
    const u32 x = bits<u32>(a), y = bits<u32>(b);
    const float tie = bits<float>(Max ? x & y : x | y);
    const float chosen = a < b ? (Max ? b : a) : b < a ? (Max ? a : b) : tie;
    const float nan = bits<float>(kCanonicalNan);
    if constexpr (NanWins)
        return a != a || b != b ? nan : chosen;
    else
        return a != a ? (b != b ? nan : b) : b != b ? a : chosen;
}
template<bool Max, bool Ftz, bool NanWins, bool XorSign> struct FloatExtreme : Same2<float> {
    KW_INLINE static float apply(float a, float b) {
        const float x = flush_if<Ftz>(a), y = flush_if<Ftz>(b);
        if constexpr (XorSign) {
            const u32 sign = (bits<u32>(x) ^ bits<u32>(y)) & 0x80000000u;
            const float result = float_extreme<Max, NanWins>(bits<float>(bits<u32>(x) & 0x7fffffffu),
                                                             bits<float>(bits<u32>(y) & 0x7fffffffu));
            return result != result ? result : bits<float>(bits<u32>(result) | sign);
        } else {
            return float_extreme<Max, NanWins>(x, y);
        }
    }
};
template<bool Max, bool Ftz, bool NanWins> struct FloatExtreme3 : Same3<float> {
    KW_INLINE static float apply(float a, float b, float c) {
        return float_extreme<Max, NanWins>(float_extreme<Max, NanWins>(flush_if<Ftz>(a), flush_if<Ftz>(b)),
                                           flush_if<Ftz>(c));
    }
};
template<bool Max> struct DoubleExtreme : Same2<double> {
    KW_INLINE static double apply(double a, double b) {
        const u64 x = bits<u64>(a), y = bits<u64>(b);
        const double tie = bits<double>(Max ? x & y : x | y);
        const double chosen = a < b ? (Max ? b : a) : b < a ? (Max ? a : b) : tie;
        return a != a ? (b != b ? pick_nan(a, a, b) : b) : b != b ? a : chosen;
    }
};

template<class T> struct FloatShape;
template<> struct FloatShape<float> {
    using U = u32;
    static constexpr U exponent = 0x7f800000u, fraction = 0x007fffffu;
};
template<> struct FloatShape<double> {
    using U = u64;
    static constexpr U exponent = 0x7ff0000000000000ull, fraction = 0x000fffffffffffffull;
};

template<class T> const Step* testp(Warp& warp, const Step* step) {
    using S = FloatShape<T>;
    const auto* a = row<const typename S::U>(warp, step->a);
    const int kind = step->count;
    u32 result = 0;
    for (int lane = 0; lane < 32; ++lane) {
        const auto exponent = a[lane] & S::exponent;
        const auto fraction = a[lane] & S::fraction;
        bool holds = false;
        switch (kind) {
        case 0: holds = exponent != S::exponent; break;
        case 1: holds = exponent == S::exponent && fraction == 0; break;
        case 2: holds = exponent != S::exponent || fraction == 0; break;
        case 3: holds = exponent == S::exponent && fraction != 0; break;
        // PTX ISA, "testp": zeros are normal numbers.
        case 4: holds = exponent != S::exponent && (exponent != 0 || fraction == 0); break;
        default: holds = exponent == 0 && fraction != 0; break;
        }
        result |= static_cast<u32>(holds) << lane;
    }
    set_predicate(warp, step->d, result);
    return step + 1;
}

template<Arithmetic Kind> Handler bind_float2(const Instr& instr) {
    const bool ftz = instr.has(kFtz), sat = instr.has(kSat);
    if (ftz)
        return sat ? rounded<binary<Float2<Kind, true, true>>>(instr.rounding)
                   : rounded<binary<Float2<Kind, true, false>>>(instr.rounding);
    return sat ? rounded<binary<Float2<Kind, false, true>>>(instr.rounding)
               : rounded<binary<Float2<Kind, false, false>>>(instr.rounding);
}

template<bool Max> Handler bind_extreme(const Instr& instr) {
    const bool ftz = instr.has(kFtz), nan = instr.has(kNan), sign = instr.has(kXorsignAbs);
    if (ftz) {
        if (nan)
            return sign ? binary<FloatExtreme<Max, true, true, true>> : binary<FloatExtreme<Max, true, true, false>>;
        return sign ? binary<FloatExtreme<Max, true, false, true>> : binary<FloatExtreme<Max, true, false, false>>;
    }
    if (nan) return sign ? binary<FloatExtreme<Max, false, true, true>> : binary<FloatExtreme<Max, false, true, false>>;
    return sign ? binary<FloatExtreme<Max, false, false, true>> : binary<FloatExtreme<Max, false, false, false>>;
}
template<bool Max> Handler bind_extreme3(const Instr& instr) {
    if (instr.has(kXorsignAbs)) return nullptr;
    if (instr.has(kFtz))
        return instr.has(kNan) ? ternary<FloatExtreme3<Max, true, true>> : ternary<FloatExtreme3<Max, true, false>>;
    return instr.has(kNan) ? ternary<FloatExtreme3<Max, false, true>> : ternary<FloatExtreme3<Max, false, false>>;
}

Handler bind_f32(const Instr& instr) {
    const bool ftz = instr.has(kFtz);
    if (instr.has(kRelu)) return nullptr;
    switch (instr.op) {
    case Op::add: return bind_float2<Arithmetic::add>(instr);
    case Op::sub: return bind_float2<Arithmetic::sub>(instr);
    case Op::mul: return bind_float2<Arithmetic::mul>(instr);
    case Op::div:
        if (!instr.has(kApprox)) return bind_float2<Arithmetic::div>(instr);
        if (ftz) return instr.has(kSat) ? binary<FloatDivApprox<true, true>> : binary<FloatDivApprox<true, false>>;
        return instr.has(kSat) ? binary<FloatDivApprox<false, true>> : binary<FloatDivApprox<false, false>>;
    case Op::fma:
        if (ftz)
            return instr.has(kSat) ? rounded<ternary<FloatFma<true, true>>>(instr.rounding)
                                   : rounded<ternary<FloatFma<true, false>>>(instr.rounding);
        return instr.has(kSat) ? rounded<ternary<FloatFma<false, true>>>(instr.rounding)
                               : rounded<ternary<FloatFma<false, false>>>(instr.rounding);
    case Op::rcp:
        return ftz ? rounded<unary<FloatRcp<true>>>(instr.rounding) : rounded<unary<FloatRcp<false>>>(instr.rounding);
    case Op::sqrt:
        return ftz ? rounded<unary<FloatSqrt<true>>>(instr.rounding) : rounded<unary<FloatSqrt<false>>>(instr.rounding);
    case Op::rsqrt: return ftz ? unary<FloatRsqrt<true>> : unary<FloatRsqrt<false>>;
    case Op::ex2: return ftz ? unary<FloatEx2<true>> : unary<FloatEx2<false>>;
    case Op::lg2: return ftz ? unary<FloatLg2<true>> : unary<FloatLg2<false>>;
    case Op::sin: return ftz ? sine<0, true> : sine<0, false>;
    case Op::cos: return ftz ? sine<1, true> : sine<1, false>;
    case Op::tanh: return unary<FloatTanh>;
    case Op::abs: return ftz ? unary<FloatAbs<true>> : unary<FloatAbs<false>>;
    case Op::neg: return ftz ? unary<FloatNeg<true>> : unary<FloatNeg<false>>;
    case Op::copysign: return binary<FloatCopysign>;
    case Op::min: return bind_extreme<false>(instr);
    case Op::max: return bind_extreme<true>(instr);
    case Op::min3: return bind_extreme3<false>(instr);
    case Op::max3: return bind_extreme3<true>(instr);
    case Op::testp: return testp<float>;
    default: return nullptr;
    }
}

Handler bind_f64(const Instr& instr) {
    if (instr.has(kSat) || instr.has(kRelu) || instr.has(kNan) || instr.has(kXorsignAbs)) return nullptr;
    switch (instr.op) {
    case Op::add: return rounded<binary<Double2<Arithmetic::add>>>(instr.rounding);
    case Op::sub: return rounded<binary<Double2<Arithmetic::sub>>>(instr.rounding);
    case Op::mul: return rounded<binary<Double2<Arithmetic::mul>>>(instr.rounding);
    case Op::div: return rounded<binary<Double2<Arithmetic::div>>>(instr.rounding);
    case Op::fma: return rounded<ternary<DoubleFma>>(instr.rounding);
    case Op::sqrt: return rounded<unary<DoubleSqrt>>(instr.rounding);
    case Op::rcp: return instr.has(kApprox) ? unary<DoubleRcpUpper> : rounded<unary<DoubleRcp>>(instr.rounding);
    case Op::rsqrt: return instr.has(kFtz) ? unary<DoubleRsqrt<true>> : unary<DoubleRsqrt<false>>;
    case Op::abs: return unary<DoubleAbs>;
    case Op::neg: return unary<DoubleNeg>;
    case Op::copysign: return binary<DoubleCopysign>;
    case Op::min: return binary<DoubleExtreme<false>>;
    case Op::max: return binary<DoubleExtreme<true>>;
    case Op::testp: return testp<double>;
    default: return nullptr;
    }
}

} // namespace

Handler bind_float(const Instr& instr, Step& step) {
    if (instr.op == Op::testp) step.count = instr.mode;
    if (instr.type == Type::f32) return bind_f32(instr);
    if (instr.type == Type::f64) return bind_f64(instr);
    return nullptr;
}

} // namespace kw::sim::KW_ISA
