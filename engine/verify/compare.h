#pragma once

#include "engine/base/json.h"
#include "engine/task/task.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Comparing a result with what it should be, at memory speed.
namespace kw::verify {

/// Errors by tile over the last two dimensions (leading dimensions are folded into rows): at most 64 × 64 tiles,
/// row-major. `worst` is max |actual − expected| ÷ (atol + rtol·|expected|), above 1 where the tile fails; infinite for
/// NaN.
struct ErrorMap {
    std::uint64_t rows = 0, columns = 0;           ///< elements
    std::uint64_t tile_rows = 1, tile_columns = 1; ///< elements in a tile
    std::uint64_t grid_rows = 0, grid_columns = 0; ///< tiles
    std::vector<float> worst;
    std::vector<std::uint32_t> mismatches;
};

struct Mismatch {
    std::uint64_t index = 0;
    std::vector<std::uint64_t> coordinates;
    double expected = 0; ///< 64-bit integers beyond 2⁵³ lose digits here; the texts do not
    double actual = 0;
    std::string expected_text;
    std::string actual_text;
};

struct Comparison {
    std::uint64_t elements = 0;
    std::uint64_t mismatches = 0;
    std::uint64_t nan = 0;     ///< in the actual values; NaN never passes
    double max_abs = 0;        ///< over elements where both values are finite
    double max_rel = 0;        ///< |actual − expected| ÷ |expected|, over elements with expected ≠ 0
    std::uint64_t max_ulp = 0; ///< units in the last place of the tensor's type; 0 for integers
    std::optional<Mismatch> first_mismatch{};
    /// Elements by their error: [0] exact, [k] up to 10^(k−1) ULP (relative to the type), the last one for more or NaN.
    std::vector<std::uint64_t> ulp_histogram;
    std::optional<ErrorMap> map{}; ///< only where something mismatches
    [[nodiscard]] bool ok() const { return mismatches == 0; }
};
[[nodiscard]] Json to_json(const Comparison& comparison);
[[nodiscard]] Comparison comparison_from_json(const Json& json);

/// Both spans hold `product(shape)` elements of `type`. Integers and bool must be equal.
[[nodiscard]] Comparison compare(std::span<const std::byte> expected, std::span<const std::byte> actual,
                                 task::ScalarType type, std::span<const std::int64_t> shape,
                                 const task::Tolerance& tolerance);

/// A sentence when `expected` is such that a candidate which writes nothing (poison or zeros) would pass, or it holds
/// NaN.
[[nodiscard]] std::optional<std::string> too_lenient(std::span<const std::byte> expected, task::ScalarType type,
                                                     const task::Tolerance& tolerance, std::byte poison);

} // namespace kw::verify
