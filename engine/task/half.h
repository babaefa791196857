#pragma once

#include <bit>
#include <cstdint>

/// The 16-bit floating types in software, the same on every machine.
namespace kw::task {

/// Rounds to nearest even into a format of `Exponent` and `Mantissa` bits beside the sign; too large becomes infinity.
template<int Exponent, int Mantissa> [[nodiscard]] constexpr std::uint16_t narrow(double value) {
    static_assert(Exponent + Mantissa == 15);
    constexpr int kBias = (1 << (Exponent - 1)) - 1;
    constexpr std::uint64_t kInfinity = ((std::uint64_t{1} << Exponent) - 1) << Mantissa;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 63 << 15);
    const int raw = static_cast<int>(bits >> 52 & 0x7FF);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    if (raw == 0x7FF)
        return static_cast<std::uint16_t>(sign | kInfinity | (fraction != 0 ? std::uint64_t{1} << (Mantissa - 1) : 0));
    const int exponent = raw - 1023;
    const bool subnormal = exponent < 1 - kBias;
    const int shift = 52 - Mantissa + (subnormal ? 1 - kBias - exponent : 0);
    // Less than half of the smallest value; doubles below their own normal range are among them.
    if (shift > 53) return sign;
    const std::uint64_t significand = fraction | std::uint64_t{1} << 52;
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const std::uint64_t rest = significand & (2 * half - 1);
    std::uint64_t rounded = significand >> shift;
    if (rest > half || (rest == half && (rounded & 1) != 0)) ++rounded;
    // Adding lets a carry out of the fraction raise the exponent, and a subnormal become normal.
    if (!subnormal) rounded += static_cast<std::uint64_t>(exponent + kBias - 1) << Mantissa;
    return static_cast<std::uint16_t>(sign | (rounded < kInfinity ? rounded : kInfinity));
}

[[nodiscard]] constexpr std::uint16_t to_f16(double value) { return narrow<5, 10>(value); }
[[nodiscard]] constexpr std::uint16_t to_bf16(double value) { return narrow<8, 7>(value); }

[[nodiscard]] constexpr float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

/// Free of branches, so that loops over it vectorise.
[[nodiscard]] constexpr float from_f16(std::uint16_t bits) {
    // Shifting the exponent into place leaves it too small by 112; a multiplication by 2^112 mends it and normalises
    // subnormals.
    const std::uint32_t magnitude = std::uint32_t{bits & 0x7FFFu} << 13;
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
    const std::uint32_t special = magnitude | 0x7F800000u;
    const std::uint32_t finite = std::bit_cast<std::uint32_t>(scaled);
    return std::bit_cast<float>((magnitude >= 0x0F800000u ? special : finite) | std::uint32_t{bits & 0x8000u} << 16);
}

} // namespace kw::task
