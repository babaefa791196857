#pragma once

#include "engine/base/result.h"
#include "engine/task/task.h"
#include "engine/verify/block.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// A result as a map that is looked at from far away and from close by.
namespace kw::verify {

/// How a tensor lies in a map: element i at row i ÷ columns, column i mod columns. The last row may be short.
struct MapShape {
    std::uint64_t elements = 0;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    bool operator==(const MapShape&) const = default;
};
/// The last dimension makes the columns and all others the rows; a vector of more than 64 is folded into rows of a
/// power of two near its square root.
[[nodiscard]] MapShape map_shape(std::span<const std::int64_t> shape);

/// Elements from `row` and `column` up to, and without, the ends.
struct Region {
    std::uint64_t row = 0, row_end = 0, column = 0, column_end = 0;
    bool operator==(const Region&) const = default;
    [[nodiscard]] std::uint64_t rows() const { return row_end - row; }
    [[nodiscard]] std::uint64_t columns() const { return column_end - column; }
};

/// A region in cells of row_step × column_step elements, row-major. Cells hang over the map's edges; what would lie
/// beyond is in none of them.
struct Cells {
    Region region;
    std::uint64_t row_step = 1, column_step = 1;
    std::uint64_t rows = 0, columns = 0; ///< cells
    std::vector<Cell> cells;
};

/// Two results of one tensor, owned by others.
struct OutputData {
    std::span<const std::byte> expected, actual;
    task::ScalarType type = task::ScalarType::f32;
    MapShape map;
};

/// The most cells of one answer.
inline constexpr std::uint64_t kMostCells = std::uint64_t{1} << 18;

/// Cells at every power of two, made once on all cores. Holds 24 bytes for every tile of 16 × 16 elements and a third
/// of that again: an eighth of a byte for an element. A map that is narrower than a tile costs at most 3 bytes.
class Pyramid {
public:
    Pyramid(const OutputData& data, const task::Tolerance& tolerance);

    /// Steps are powers of two, and the region begins at multiples of them; its ends are moved to the next multiples,
    /// then cut to the map. Refused with a sentence: anything else, an empty region, more than kMostCells. Where a step
    /// is below 16 the elements themselves are looked at.
    [[nodiscard]] Result<Cells> cells(const Region& region, std::uint64_t row_step, std::uint64_t column_step) const;
    [[nodiscard]] const task::Tolerance& tolerance() const { return tolerance_; }
    /// All elements together.
    [[nodiscard]] const Cell& total() const { return levels_.back().cells.front(); }
    [[nodiscard]] std::size_t bytes() const;

private:
    struct Level {
        std::uint64_t rows = 0, columns = 0;
        std::vector<Cell> cells;
    };
    void from_elements(Cells& answer) const;
    void from_level(const Level& level, std::uint64_t tile, Cells& answer) const;

    OutputData data_;
    task::Tolerance tolerance_;
    Summarize summarize_;
    std::vector<Level> levels_; ///< the first of tiles, each further one of 2 × 2 cells of the one before
};

} // namespace kw::verify
