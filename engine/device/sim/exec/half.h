// f16 and bf16 as bit patterns. Compiled once per instruction set, in a namespace of its own.
#pragma once

#include "engine/device/sim/exec/lanes.h"

namespace kw::sim::KW_ISA {

struct Half {
    static constexpr int kFraction = 10;
    static constexpr int kBias = 15;
};
struct Bfloat {
    static constexpr int kFraction = 7;
    static constexpr int kBias = 127;
};
constexpr u16 kHalfNan = 0x7fff; ///< the canonical NaN of both formats

KW_INLINE float widen(Half, u16 value) {
    const u32 sign = static_cast<u32>(value & 0x8000u) << 16;
    const u32 magnitude = value & 0x7fffu;
    const u32 normal = (magnitude << 13) + (112u << 23);
    const u32 special = (magnitude << 13) + (224u << 23);
    const u32 subnormal =
        bits<u32>(static_cast<float>(static_cast<s32>(magnitude)) * bits<float>(u32{0x33800000})); // · 2^−24
    return bits<float>(sign | (magnitude >= 0x7c00u ? special : magnitude < 0x400u ? subnormal : normal));
}
KW_INLINE float widen(Bfloat, u16 value) { return bits<float>(static_cast<u32>(value) << 16); }

/// Rounds to nearest even.
KW_INLINE u16 narrow(Half, float value) {
    const u32 raw = bits<u32>(value);
    const u32 sign = raw >> 16 & 0x8000u;
    const u32 magnitude = raw & 0x7fffffffu;
    // Adding 0.5 aligns the last bit of a subnormal result with that of the float, which then rounds it.
    const u32 subnormal = bits<u32>(bits<float>(magnitude) + 0.5f) - 0x3f000000u;
    const u32 normal = (magnitude + 0xfffu + (magnitude >> 13 & 1u) - (112u << 23)) >> 13;
    const u32 finite = magnitude < 0x38800000u ? subnormal : magnitude >= 0x47800000u ? 0x7c00u : normal;
    return static_cast<u16>(magnitude > 0x7f800000u ? u32{kHalfNan} : sign | finite);
}
KW_INLINE u16 narrow(Bfloat, float value) {
    const u32 raw = bits<u32>(value);
    const u32 rounded = (raw + 0x7fffu + (raw >> 16 & 1u)) >> 16;
    return static_cast<u16>((raw & 0x7fffffffu) > 0x7f800000u ? u32{kHalfNan} : rounded);
}
/// Towards zero.
KW_INLINE u16 truncate(Half, float value) {
    const u32 raw = bits<u32>(value);
    const u32 sign = raw >> 16 & 0x8000u;
    const u32 magnitude = raw & 0x7fffffffu;
    // Subnormal results: |value| · 2^24 as an integer, cut off.
    const u32 subnormal =
        static_cast<u32>(static_cast<s32>(bits<float>(magnitude < 0x38800000u ? magnitude : 0u) * 16777216.0f));
    const u32 normal = (magnitude - (112u << 23)) >> 13;
    const u32 finite = magnitude < 0x38800000u ? subnormal : magnitude >= 0x47800000u ? 0x7bffu : normal;
    return static_cast<u16>(magnitude > 0x7f800000u ? u32{kHalfNan}
                                                    : sign | (magnitude == 0x7f800000u ? 0x7c00u : finite));
}
KW_INLINE u16 truncate(Bfloat, float value) {
    const u32 raw = bits<u32>(value);
    return static_cast<u16>((raw & 0x7fffffffu) > 0x7f800000u ? u32{kHalfNan} : raw >> 16);
}

/// Rounds a double to nearest even in one step; subnormals by adding a number whose last bit is theirs.
template<class F> KW_INLINE u16 narrow_double(F, double value) {
    const u64 raw = bits<u64>(value);
    const u32 sign = static_cast<u32>(raw >> 48) & 0x8000u;
    const u64 magnitude = raw & 0x7fffffffffffffffull;
    constexpr int drop = 52 - F::kFraction;
    constexpr u64 least_normal = static_cast<u64>(1023 - F::kBias + 1) << 52;
    constexpr u64 magic = static_cast<u64>(1023 - F::kBias + 1 - F::kFraction + 52) << 52;
    const u64 subnormal = bits<u64>(bits<double>(magnitude) + bits<double>(magic)) - magic;
    const u64 normal =
        (magnitude + ((u64{1} << (drop - 1)) - 1) + (magnitude >> drop & 1) - (static_cast<u64>(1023 - F::kBias) << 52))
        >> drop;
    constexpr u64 infinity = static_cast<u64>(2 * F::kBias + 1) << F::kFraction;
    constexpr u64 overflow = static_cast<u64>(1023 + F::kBias + 1) << 52;
    const u64 finite = magnitude < least_normal ? subnormal : magnitude >= overflow ? infinity : normal;
    return static_cast<u16>(magnitude > 0x7ff0000000000000ull ? u32{kHalfNan} : sign | static_cast<u32>(finite));
}

/// a · b + c with one rounding. The product is exact in double; the sum is rounded to odd, so that rounding it again is
/// right.
template<class F> KW_INLINE u16 fused(F format, u16 a, u16 b, u16 c) {
    const double product = static_cast<double>(widen(format, a)) * static_cast<double>(widen(format, b));
    const double addend = widen(format, c);
    const double sum = product + addend;
    const double back = sum - product;
    const double error = (product - (sum - back)) + (addend - back);
    const u64 raw = bits<u64>(sum);
    // Inexact with an even last bit: step towards the error. Infinities and NaNs have no error to speak of.
    const bool inexact = error > 0.0 || error < 0.0;
    const bool grows = (error > 0.0) == (sum > 0.0);
    const u64 odd = (raw & 1) == 0 && inexact ? (grows ? raw + 1 : raw - 1) : raw;
    return narrow_double(format, bits<double>(odd));
}

} // namespace kw::sim::KW_ISA
