#include "engine/verify/error_map.h"

#include "engine/base/parallel.h"
#include "engine/verify/block.h"

#include <algorithm>

namespace kw::verify {
namespace {

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

} // namespace

ErrorMap make_error_map(std::span<const std::byte> expected, std::span<const std::byte> actual, task::ScalarType type,
                        std::span<const std::int64_t> shape, const task::Tolerance& tolerance) {
    ErrorMap map;
    const std::size_t width = task::size_of(type);
    const std::uint64_t elements = std::min(expected.size(), actual.size()) / width;
    map.columns = shape.empty() ? elements : static_cast<std::uint64_t>(shape.back());
    if (elements == 0 || map.columns == 0) return map;
    map.rows = elements / map.columns;
    map.tile_rows = ceil_div(map.rows, kMostMapTiles);
    map.tile_columns = ceil_div(map.columns, kMostMapTiles);
    map.grid_rows = ceil_div(map.rows, map.tile_rows);
    map.grid_columns = ceil_div(map.columns, map.tile_columns);
    map.worst.assign(map.grid_rows * map.grid_columns, 0);
    map.mismatches.assign(map.grid_rows * map.grid_columns, 0);
    const MisfitOf misfit = misfit_for(type);
    parallel_for(map.grid_rows * map.grid_columns, 1, [&](std::uint64_t tile, std::uint64_t) {
        const std::uint64_t row = tile / map.grid_columns * map.tile_rows,
                            column = tile % map.grid_columns * map.tile_columns;
        const std::uint64_t last_row = std::min(row + map.tile_rows, map.rows);
        const std::uint64_t last_column = std::min(column + map.tile_columns, map.columns);
        float worst = 0;
        std::uint32_t mismatches = 0;
        for (std::uint64_t r = row; r < last_row; ++r) {
            const std::size_t at = (r * map.columns + column) * width;
            const Misfit found = misfit(expected.data() + at, actual.data() + at, last_column - column, tolerance);
            worst = std::max(worst, found.worst);
            mismatches += found.mismatches;
        }
        map.worst[tile] = worst;
        map.mismatches[tile] = mismatches;
    });
    return map;
}

} // namespace kw::verify
