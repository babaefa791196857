#include "engine/verify/output_map.h"

#include "engine/base/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace kw::verify {
namespace {

constexpr std::uint64_t kTile = 16; ///< elements along each side of the first level's cells

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// Calls `add(cell column, element, n)` for each piece of row `row` that one cell of `step` columns holds.
template<class Add>
void split_row(const MapShape& map, std::uint64_t row, std::uint64_t column, std::uint64_t column_end,
               std::uint64_t step, Add add) {
    const std::uint64_t first = row * map.columns;
    const std::uint64_t end = std::min(column_end, map.elements - first);
    for (std::uint64_t at = column, cell = 0; at < end; at += step, ++cell)
        add(cell, first + at, static_cast<std::size_t>(std::min(step, end - at)));
}

} // namespace

MapShape map_shape(std::span<const std::int64_t> shape) {
    constexpr std::uint64_t kLongestLine = 64;
    MapShape map{.elements = 1, .rows = 0, .columns = 1};
    for (const auto extent : shape) map.elements *= static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 0));
    if (map.elements == 0) return {};
    if (!shape.empty()) map.columns = static_cast<std::uint64_t>(shape.back());
    if (shape.size() == 1 && map.elements > kLongestLine)
        map.columns = std::bit_ceil(static_cast<std::uint64_t>(std::sqrt(static_cast<double>(map.elements))));
    map.rows = ceil_div(map.elements, map.columns);
    return map;
}

Pyramid::Pyramid(const OutputData& data, const task::Tolerance& tolerance)
    : data_(data), tolerance_(tolerance), summarize_(summarize_for(data.type)) {
    const auto& map = data_.map;
    const std::size_t width = task::size_of(data_.type);
    Level tiles{.rows = ceil_div(map.rows, kTile), .columns = ceil_div(map.columns, kTile), .cells = {}};
    tiles.cells.resize(std::max<std::uint64_t>(tiles.rows * tiles.columns, 1));
    parallel_for(tiles.rows, 1, [&](std::uint64_t tile_row, std::uint64_t) {
        Cell* cells = tiles.cells.data() + tile_row * tiles.columns;
        const std::uint64_t end = std::min((tile_row + 1) * kTile, map.rows);
        for (std::uint64_t row = tile_row * kTile; row < end; ++row)
            split_row(map, row, 0, map.columns, kTile, [&](std::uint64_t cell, std::uint64_t at, std::size_t n) {
                summarize_(data_.expected.data() + at * width, data_.actual.data() + at * width, n, tolerance_,
                           cells[cell]);
            });
    });
    levels_.push_back(std::move(tiles));
    while (levels_.back().cells.size() > 1) {
        const Level& below = levels_.back();
        Level level{.rows = ceil_div(below.rows, 2), .columns = ceil_div(below.columns, 2), .cells = {}};
        level.cells.resize(level.rows * level.columns);
        for (std::uint64_t row = 0; row < below.rows; ++row)
            for (std::uint64_t column = 0; column < below.columns; ++column)
                level.cells[row / 2 * level.columns + column / 2].merge(below.cells[row * below.columns + column]);
        levels_.push_back(std::move(level));
    }
}

std::size_t Pyramid::bytes() const {
    std::size_t bytes = 0;
    for (const auto& level : levels_) bytes += level.cells.size() * sizeof(Cell);
    return bytes;
}

Result<Cells> Pyramid::cells(const Region& wanted, std::uint64_t row_step, std::uint64_t column_step) const {
    const auto refuse = [](std::string why) { return fail(Stage::verify, ErrorCode::invalid_input, std::move(why)); };
    if (!std::has_single_bit(row_step) || !std::has_single_bit(column_step))
        return refuse(fmt::format("cells of {} × {} elements cannot be had; both steps must be powers of two", row_step,
                                  column_step));
    if (wanted.row % row_step != 0 || wanted.column % column_step != 0)
        return refuse(fmt::format("the region begins at row {} and column {}, not at multiples of its steps {} and {}",
                                  wanted.row, wanted.column, row_step, column_step));
    Region region = wanted;
    // Whole cells, whatever a cell is made from.
    const auto whole = [](std::uint64_t end, std::uint64_t step, std::uint64_t most) {
        return std::min(ceil_div(std::min(end, most), step) * step, most);
    };
    region.row_end = whole(region.row_end, row_step, data_.map.rows);
    region.column_end = whole(region.column_end, column_step, data_.map.columns);
    if (region.row >= region.row_end || region.column >= region.column_end)
        return refuse(fmt::format("the region is empty or lies outside the map of {} × {} elements", data_.map.rows,
                                  data_.map.columns));
    Cells answer{.region = region, .row_step = row_step, .column_step = column_step, .cells = {}};
    answer.rows = ceil_div(region.rows(), row_step);
    answer.columns = ceil_div(region.columns(), column_step);
    if (answer.rows > kMostCells || answer.columns > kMostCells || answer.rows * answer.columns > kMostCells)
        return refuse(fmt::format("{} × {} cells are more than the {} of one answer; ask for larger steps", answer.rows,
                                  answer.columns, kMostCells));
    answer.cells.resize(answer.rows * answer.columns);
    const std::uint64_t step = std::min(row_step, column_step);
    if (step < kTile) {
        from_elements(answer);
    } else {
        const auto level =
            std::min<std::size_t>(static_cast<std::size_t>(std::countr_zero(step / kTile)), levels_.size() - 1);
        from_level(levels_[level], kTile << level, answer);
    }
    return answer;
}

void Pyramid::from_elements(Cells& answer) const {
    const std::size_t width = task::size_of(data_.type);
    const auto& region = answer.region;
    parallel_for(answer.rows, 1, [&](std::uint64_t cell_row, std::uint64_t) {
        Cell* cells = answer.cells.data() + cell_row * answer.columns;
        const std::uint64_t begin = region.row + cell_row * answer.row_step;
        const std::uint64_t end = std::min(begin + answer.row_step, region.row_end);
        for (std::uint64_t row = begin; row < end; ++row)
            split_row(data_.map, row, region.column, region.column_end, answer.column_step,
                      [&](std::uint64_t cell, std::uint64_t at, std::size_t n) {
                          summarize_(data_.expected.data() + at * width, data_.actual.data() + at * width, n,
                                     tolerance_, cells[cell]);
                      });
    });
}

void Pyramid::from_level(const Level& level, std::uint64_t tile, Cells& answer) const {
    // The last level may be a larger step's only cell: then it is taken whole.
    const auto& region = answer.region;
    for (std::uint64_t row = region.row / tile; row < std::min(ceil_div(region.row_end, tile), level.rows); ++row)
        for (std::uint64_t column = region.column / tile;
             column < std::min(ceil_div(region.column_end, tile), level.columns); ++column) {
            const std::uint64_t cell_row = (row * tile - region.row) / answer.row_step;
            const std::uint64_t cell_column = (column * tile - region.column) / answer.column_step;
            answer.cells[cell_row * answer.columns + cell_column].merge(level.cells[row * level.columns + column]);
        }
}

} // namespace kw::verify
