#pragma once

#include "engine/task/task.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kw::verify {

/// One element as it is read and written.
struct Value {
    double number = 0; ///< 64-bit integers beyond 2⁵³ lose digits here; the text does not
    std::string text;
};
[[nodiscard]] Value read_value(const std::byte* from, task::ScalarType type);

/// Units in the last place of the type between two values, which for integers is their difference; the largest number
/// where exactly one is infinite or one is NaN.
[[nodiscard]] std::uint64_t distance(const std::byte* expected, const std::byte* actual, task::ScalarType type);

/// Row-major coordinates of element `index`; empty for rank 0.
[[nodiscard]] std::vector<std::uint64_t> coordinates_of(std::uint64_t index, std::span<const std::int64_t> shape);

/// An element of a result beside what it should be.
struct ElementError {
    Value expected{}, actual{};
    double absolute = 0;   ///< NaN where a value is
    double relative = 0;   ///< ÷ |expected|; infinite where that is 0
    std::uint64_t ulp = 0; ///< as distance()
    float ratio = 0;       ///< to the tolerance; above 1 it fails, infinite for NaN
};
[[nodiscard]] ElementError describe_element(const std::byte* expected, const std::byte* actual, task::ScalarType type,
                                            const task::Tolerance& tolerance);

} // namespace kw::verify
