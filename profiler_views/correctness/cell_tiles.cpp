#include "profiler_views/correctness/cell_tiles.h"

#include <algorithm>
#include <utility>

namespace kw::profiler_views {
namespace {

constexpr std::size_t kMostAsked = 4; ///< at one time: the next one is chosen by what is in sight then

bool same(const task::Tolerance& a, const task::Tolerance& b) { return a.atol == b.atol && a.rtol == b.rtol; }

} // namespace

CellTiles::CellTiles(QObject* parent) : QObject(parent), poster_(this) {}

void CellTiles::clear() {
    source_.reset();
    ++generation_;
    tiles_.clear();
    asked_.clear();
    wanted_.clear();
}

void CellTiles::set_source(std::shared_ptr<verify::OutputSource> source, std::size_t tensor,
                           verify::TensorOutput about) {
    clear();
    source_ = std::move(source);
    tensor_ = tensor;
    tolerance_ = about.tolerance;
    about_ = std::move(about);
}

void CellTiles::set_colors(std::shared_ptr<const ErrorColors> colors) {
    colors_ = std::move(colors);
    ++colors_generation_;
}

void CellTiles::set_tolerance(const task::Tolerance& tolerance, bool exact) {
    if (!same(tolerance, tolerance_)) {
        tolerance_ = tolerance;
        ++colors_generation_;
    }
    if (!exact) return;
    for (auto& [key, tile] : tiles_) tile.stale = !same(tile.rated, tolerance_);
    Q_EMIT changed();
}

TileKey CellTiles::key_at(std::uint64_t row_step, std::uint64_t column_step, std::uint64_t row, std::uint64_t column) {
    return {row_step, column_step, row / row_step / kCells, column / column_step / kCells};
}

verify::Region CellTiles::region_of(const TileKey& key) const {
    const std::uint64_t rows = key.row_step * kCells, columns = key.column_step * kCells;
    return {key.row * rows, std::min((key.row + 1) * rows, about_.map.rows), key.column * columns,
            std::min((key.column + 1) * columns, about_.map.columns)};
}

void CellTiles::want(std::vector<TileKey> keys) {
    in_sight_ = keys.size();
    std::erase_if(keys, [this](const TileKey& key) {
        const auto tile = tiles_.find(key);
        return asked_.contains(key) || (tile != tiles_.end() && !tile->second.stale);
    });
    std::ranges::reverse(keys);
    wanted_ = std::move(keys);
    ask_next();
}

void CellTiles::ask_next() {
    while (source_ && !wanted_.empty() && asked_.size() < kMostAsked) {
        const TileKey key = wanted_.back();
        wanted_.pop_back();
        asked_[key] = generation_;
        const verify::CellQuery query{.tensor = tensor_,
                                      .region = region_of(key),
                                      .row_step = key.row_step,
                                      .column_step = key.column_step,
                                      .tolerance = tolerance_};
        source_->cells(query, poster_.deliver([this, key, generation = generation_,
                                               tolerance = tolerance_](Result<verify::Cells> cells) {
            received(key, generation, tolerance, std::move(cells));
        }));
    }
}

void CellTiles::received(const TileKey& key, std::uint64_t generation, const task::Tolerance& tolerance,
                         Result<verify::Cells> cells) {
    if (generation != generation_) return;
    asked_.erase(key);
    if (!cells) {
        wanted_.clear();
        Q_EMIT failed(cells.error());
        return;
    }
    auto& tile = tiles_[key];
    tile = {.cells = std::move(*cells), .rated = tolerance, .used = ++clock_};
    drop_oldest();
    ask_next();
    Q_EMIT changed();
}

void CellTiles::drop_oldest() {
    // What is in sight is painted all the time, so it is never the oldest.
    while (tiles_.size() > in_sight_ + kMostTiles) {
        const auto oldest = std::ranges::min_element(tiles_, {}, [](const auto& entry) { return entry.second.used; });
        tiles_.erase(oldest);
    }
}

const QImage* CellTiles::picture(const TileKey& key) {
    const auto found = tiles_.find(key);
    if (found == tiles_.end()) return nullptr;
    auto& tile = found->second;
    tile.used = ++clock_;
    if (tile.painted != colors_generation_) paint(tile);
    return &tile.picture;
}

const verify::Cells* CellTiles::cells(const TileKey& key) const {
    const auto found = tiles_.find(key);
    return found == tiles_.end() ? nullptr : &found->second.cells;
}

bool CellTiles::fails(std::uint64_t row, std::uint64_t column) const {
    const auto found = tiles_.find(key_at(1, 1, row, column));
    if (found == tiles_.end()) return false;
    const auto& [cells, rated, picture, painted, used, stale] = found->second;
    const auto& cell = cells.cells[(row - cells.region.row) * cells.columns + column - cells.region.column];
    if (!task::is_floating(about_.type) || same(rated, tolerance_)) return cell.mismatches > 0;
    return rerated(cell, rated, tolerance_) > 1;
}

void CellTiles::paint(Tile& tile) const {
    const auto rows = static_cast<int>(tile.cells.rows), columns = static_cast<int>(tile.cells.columns);
    if (tile.picture.size() != QSize(columns, rows)) tile.picture = QImage(columns, rows, QImage::Format_RGB32);
    const bool floating = task::is_floating(about_.type);
    const auto& map = about_.map;
    for (int row = 0; row < rows; ++row) {
        auto* line = reinterpret_cast<QRgb*>(tile.picture.scanLine(row));
        const auto* cells = tile.cells.cells.data() + static_cast<std::size_t>(row) * tile.cells.columns;
        const std::uint64_t first =
            (tile.cells.region.row + static_cast<std::uint64_t>(row) * tile.cells.row_step) * map.columns
            + tile.cells.region.column;
        for (int column = 0; column < columns; ++column) {
            const bool beyond = first + static_cast<std::uint64_t>(column) * tile.cells.column_step >= map.elements;
            line[column] = beyond ? colors_->none() : colors_->of(cells[column], floating, tile.rated, tolerance_);
        }
    }
}

} // namespace kw::profiler_views
