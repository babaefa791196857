// The functions that PTX calls approximate, evaluated in double precision with exactly rounded operations only, so that
// every instruction set gives the same bits. Error bounds against the true value, after rounding to f32: 1 ULP.
// Compiled once per instruction set, in a namespace of its own.
#pragma once

#include "engine/device/sim/exec/lanes.h"

namespace kw::sim::KW_ISA {

/// 1.5 · 2^52: adding and subtracting it rounds to the nearest integer, ties to even, below 2^51.
constexpr double kRoundMagic = 6755399441055744.0;
KW_INLINE double nearest_integer(double x) { return (x + kRoundMagic) - kRoundMagic; }

/// 2^x for x in [-1000, 1000]; Taylor series of 2^f on |f| ≤ 1/2, truncated at relative error 2e-13.
KW_INLINE double exp2_double(double x) {
    const double n = nearest_integer(x);
    const double t = (x - n) * 0.69314718055994530942;
    double p = 1.0 / 3628800.0;
    p = p * t + 1.0 / 362880.0;
    p = p * t + 1.0 / 40320.0;
    p = p * t + 1.0 / 5040.0;
    p = p * t + 1.0 / 720.0;
    p = p * t + 1.0 / 120.0;
    p = p * t + 1.0 / 24.0;
    p = p * t + 1.0 / 6.0;
    p = p * t + 0.5;
    p = p * t + 1.0;
    p = p * t + 1.0;
    // n + 1.5·2^52 holds n in its low bits.
    const u64 exponent = (bits<u64>(n + kRoundMagic) + 1023) << 52;
    return p * bits<double>(exponent);
}

KW_INLINE float approx_ex2(float a) {
    const double x = a;
    const double clamped = x < -300.0 ? -300.0 : x > 300.0 ? 300.0 : x;
    return a != a ? bits<float>(kCanonicalNan) : static_cast<float>(exp2_double(a != a ? 0.0 : clamped));
}

/// log2 through the series of atanh; |t| ≤ 0.172, truncated at relative error 1e-12.
KW_INLINE float approx_lg2(float a) {
    const double x = a;
    const u64 raw = bits<u64>(x);
    const u64 mantissa = raw & 0x000fffffffffffffull;
    const bool upper = mantissa > 0x6a09e667f3bcdull; // √2
    const double m = bits<double>(mantissa | (upper ? 0x3fe0000000000000ull : 0x3ff0000000000000ull));
    // The biased exponent as a double, without an integer conversion: 2^52 + e.
    const double e =
        bits<double>((raw >> 52 & 0x7ff) | 0x4330000000000000ull) - 4503599627370496.0 - (upper ? 1022.0 : 1023.0);
    const double t = (m - 1.0) / (m + 1.0);
    const double s = t * t;
    double p = 1.0 / 15.0;
    p = p * s + 1.0 / 13.0;
    p = p * s + 1.0 / 11.0;
    p = p * s + 1.0 / 9.0;
    p = p * s + 1.0 / 7.0;
    p = p * s + 1.0 / 5.0;
    p = p * s + 1.0 / 3.0;
    p = p * s + 1.0;
    const float result = static_cast<float>(e + p * t * 2.88539008177792681472);
    const float infinity = bits<float>(u32{0x7f800000});
    return a != a || a < 0.0f ? bits<float>(kCanonicalNan) : a == 0.0f ? -infinity : a == infinity ? infinity : result;
}

/// sin (Quarter 0) or cos (Quarter 1) for |x| ≤ 2^19: reduction by π/2 in two parts, Taylor series on |r| ≤ π/4.
template<int Quarter> KW_INLINE float approx_sine(float a) {
    const double x = a;
    const double k = nearest_integer(x * 0.63661977236758134308);
    const double r = (x - k * 1.57079632673412561417) - k * 6.07710050650619224932e-11;
    const double s = r * r;
    double sine = -1.0 / 1307674368000.0;
    sine = sine * s + 1.0 / 6227020800.0;
    sine = sine * s - 1.0 / 39916800.0;
    sine = sine * s + 1.0 / 362880.0;
    sine = sine * s - 1.0 / 5040.0;
    sine = sine * s + 1.0 / 120.0;
    sine = sine * s - 1.0 / 6.0;
    sine = sine * s * r + r;
    double cosine = 1.0 / 20922789888000.0;
    cosine = cosine * s - 1.0 / 87178291200.0;
    cosine = cosine * s + 1.0 / 479001600.0;
    cosine = cosine * s - 1.0 / 3628800.0;
    cosine = cosine * s + 1.0 / 40320.0;
    cosine = cosine * s - 1.0 / 720.0;
    cosine = cosine * s + 1.0 / 24.0;
    cosine = cosine * s - 0.5;
    cosine = cosine * s + 1.0;
    const u64 quarter = bits<u64>(k + kRoundMagic) + Quarter;
    const double value = quarter & 1 ? cosine : sine;
    return static_cast<float>(quarter & 2 ? -value : value);
}
constexpr float kSineRange = 524288.0f;

KW_INLINE float approx_tanh(float a) {
    const double x = a;
    const double clamped = x < -40.0 ? -40.0 : x > 40.0 ? 40.0 : a != a ? 0.0 : x;
    const double e = exp2_double(clamped * 2.88539008177792681472);
    const double small = x - x * x * x * (1.0 / 3.0);
    const double value = x > -0.000244140625 && x < 0.000244140625 ? small : 1.0 - 2.0 / (e + 1.0);
    return a != a ? bits<float>(kCanonicalNan) : a == 0.0f ? a : static_cast<float>(value);
}

} // namespace kw::sim::KW_ISA
