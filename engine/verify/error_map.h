#pragma once

#include "engine/verify/compare.h"

namespace kw::verify {

/// The tiles of two results; both spans hold product(shape) elements.
/// Along each side of the map.
inline constexpr std::uint64_t kMostMapTiles = 64;

[[nodiscard]] ErrorMap make_error_map(std::span<const std::byte> expected, std::span<const std::byte> actual,
                                      task::ScalarType type, std::span<const std::int64_t> shape,
                                      const task::Tolerance& tolerance);

} // namespace kw::verify
