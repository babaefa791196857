#include "engine/verify/value.h"

#include "engine/task/half.h"
#include "engine/verify/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace kw::verify {
namespace {

using task::ScalarType;

constexpr std::uint64_t kFarthest = std::numeric_limits<std::uint64_t>::max();

template<class T> T load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

template<class T> Value read_as(const std::byte* from) {
    const T value = load<T>(from);
    if constexpr (sizeof(T) == 1)
        return {static_cast<double>(value), fmt::format("{}", static_cast<int>(value))};
    else
        return {static_cast<double>(value), fmt::format("{}", value)};
}

Value read_half(const std::byte* from, float (*widen)(std::uint16_t)) {
    const float value = widen(load<std::uint16_t>(from));
    return {static_cast<double>(value), fmt::format("{}", value)};
}

template<class T> std::uint64_t between_integers(const std::byte* expected, const std::byte* actual) {
    using U = std::make_unsigned_t<T>;
    const T e = load<T>(expected), a = load<T>(actual);
    return static_cast<U>(a > e ? static_cast<U>(a) - static_cast<U>(e) : static_cast<U>(e) - static_cast<U>(a));
}

/// `Bits` of a floating type whose infinity is `infinity`.
template<class Bits> std::uint64_t between_floats(const std::byte* expected, const std::byte* actual, Bits infinity) {
    constexpr Bits kMagnitude = static_cast<Bits>(std::numeric_limits<Bits>::max() >> 1);
    const Bits e = load<Bits>(expected), a = load<Bits>(actual);
    const Bits em = e & kMagnitude, am = a & kMagnitude;
    const bool negative_e = e > kMagnitude, negative_a = a > kMagnitude;
    if (em > infinity || am > infinity) return kFarthest;
    if (negative_e == negative_a || (em == 0 && am == 0)) {
        const std::uint64_t apart = em > am ? em - am : am - em;
        return apart != 0 && (em == infinity || am == infinity) ? kFarthest : apart;
    }
    if (em == infinity || am == infinity) return kFarthest;
    return std::uint64_t{em} + am;
}

} // namespace

Value read_value(const std::byte* from, ScalarType type) {
    switch (type) {
    case ScalarType::f16: return read_half(from, task::from_f16);
    case ScalarType::bf16: return read_half(from, task::from_bf16);
    case ScalarType::f32: return read_as<float>(from);
    case ScalarType::f64: return read_as<double>(from);
    case ScalarType::i8: return read_as<std::int8_t>(from);
    case ScalarType::u8:
    case ScalarType::boolean: return read_as<std::uint8_t>(from);
    case ScalarType::i16: return read_as<std::int16_t>(from);
    case ScalarType::u16: return read_as<std::uint16_t>(from);
    case ScalarType::i32: return read_as<std::int32_t>(from);
    case ScalarType::u32: return read_as<std::uint32_t>(from);
    case ScalarType::i64: return read_as<std::int64_t>(from);
    case ScalarType::u64: return read_as<std::uint64_t>(from);
    }
    std::unreachable();
}

std::uint64_t distance(const std::byte* expected, const std::byte* actual, ScalarType type) {
    switch (type) {
    case ScalarType::f16: return between_floats<std::uint16_t>(expected, actual, 0x7C00);
    case ScalarType::bf16: return between_floats<std::uint16_t>(expected, actual, 0x7F80);
    case ScalarType::f32: return between_floats<std::uint32_t>(expected, actual, 0x7F800000);
    case ScalarType::f64: return between_floats<std::uint64_t>(expected, actual, 0x7FF0000000000000);
    case ScalarType::i8: return between_integers<std::int8_t>(expected, actual);
    case ScalarType::u8:
    case ScalarType::boolean: return between_integers<std::uint8_t>(expected, actual);
    case ScalarType::i16: return between_integers<std::int16_t>(expected, actual);
    case ScalarType::u16: return between_integers<std::uint16_t>(expected, actual);
    case ScalarType::i32: return between_integers<std::int32_t>(expected, actual);
    case ScalarType::u32: return between_integers<std::uint32_t>(expected, actual);
    case ScalarType::i64: return between_integers<std::int64_t>(expected, actual);
    case ScalarType::u64: return between_integers<std::uint64_t>(expected, actual);
    }
    std::unreachable();
}

std::vector<std::uint64_t> coordinates_of(std::uint64_t index, std::span<const std::int64_t> shape) {
    std::vector<std::uint64_t> coordinates(shape.size());
    for (std::size_t d = shape.size(); d-- > 0;) {
        const auto extent = static_cast<std::uint64_t>(std::max<std::int64_t>(shape[d], 1));
        coordinates[d] = index % extent;
        index /= extent;
    }
    return coordinates;
}

ElementError describe_element(const std::byte* expected, const std::byte* actual, ScalarType type,
                              const task::Tolerance& tolerance) {
    ElementError error{.expected = read_value(expected, type), .actual = read_value(actual, type)};
    error.ulp = distance(expected, actual, type);
    // Equal infinities are not NaN apart; large integers differ where their doubles do not.
    if (task::is_floating(type))
        error.absolute =
            error.expected.number == error.actual.number ? 0 : std::abs(error.actual.number - error.expected.number);
    else
        error.absolute = static_cast<double>(error.ulp);
    error.relative = error.absolute == 0 ? 0 : error.absolute / std::abs(error.expected.number);
    error.ratio = misfit_for(type)(expected, actual, 1, tolerance).worst;
    return error;
}

} // namespace kw::verify
