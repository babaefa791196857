#pragma once

#include "engine/verify/output_source.h"
#include "profiler_views/correctness/error_colors.h"
#include "widgets/answer_poster.h"

#include <QImage>
#include <QObject>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kw::profiler_views {

/// What is packed into a text, from a byte on.
inline const std::byte* bytes(const std::string& text, std::size_t at) {
    return reinterpret_cast<const std::byte*>(text.data()) + at;
}

/// One tile: kCells × kCells cells of row_step × column_step elements.
struct TileKey {
    std::uint64_t row_step = 1, column_step = 1;
    std::uint64_t row = 0, column = 0; ///< of tiles, at these steps
    auto operator<=>(const TileKey&) const = default;
};

/// Pieces of a tensor's map as pictures. Asks the source for those that are wanted, a few at a time; what is wanted
/// last is asked first, and what is no longer wanted never.
class CellTiles : public QObject {
    Q_OBJECT
public:
    static constexpr std::uint64_t kCells = 128;
    /// Kept beside those in sight, some 450 KB each.
    static constexpr std::size_t kMostTiles = 96;

    explicit CellTiles(QObject* parent = nullptr);

    void set_source(std::shared_ptr<verify::OutputSource> source, std::size_t tensor, verify::TensorOutput about);
    void clear();
    void set_colors(std::shared_ptr<const ErrorColors> colors);
    /// Cells that are here are rated anew at once, by their worst element; with `exact`, they are also asked for again.
    void set_tolerance(const task::Tolerance& tolerance, bool exact);
    [[nodiscard]] const task::Tolerance& tolerance() const { return tolerance_; }

    /// Those in sight, the most wanted first. Drops what was wanted before.
    void want(std::vector<TileKey> keys);
    /// Null while it is not here.
    [[nodiscard]] const QImage* picture(const TileKey& key);
    [[nodiscard]] const verify::Cells* cells(const TileKey& key) const;
    /// Whether an element fails, as far as a tile of single elements says; false where there is none.
    [[nodiscard]] bool fails(std::uint64_t row, std::uint64_t column) const;
    [[nodiscard]] verify::Region region_of(const TileKey& key) const;
    [[nodiscard]] static TileKey key_at(std::uint64_t row_step, std::uint64_t column_step, std::uint64_t row,
                                        std::uint64_t column);
    /// Nothing that was wanted is on its way.
    [[nodiscard]] bool idle() const { return wanted_.empty() && asked_.empty(); }

Q_SIGNALS:
    void changed();
    void failed(const kw::Error& error);

private:
    struct Tile {
        verify::Cells cells;
        task::Tolerance rated{}; ///< what `cells` were rated under
        QImage picture{};
        std::uint64_t painted = 0; ///< generation of the colours
        std::uint64_t used = 0;
        bool stale = false; ///< rated under another tolerance than is wanted exactly
    };
    void ask_next();
    void received(const TileKey& key, std::uint64_t generation, const task::Tolerance& tolerance,
                  Result<verify::Cells> cells);
    void paint(Tile& tile) const;
    void drop_oldest();

    std::shared_ptr<verify::OutputSource> source_;
    std::size_t tensor_ = 0;
    verify::TensorOutput about_;
    task::Tolerance tolerance_{};
    std::shared_ptr<const ErrorColors> colors_;
    std::map<TileKey, Tile> tiles_;
    std::map<TileKey, std::uint64_t> asked_; ///< on their way, with the generation they belong to
    std::vector<TileKey> wanted_;            ///< not asked for yet, the most wanted last
    std::size_t in_sight_ = 0;               ///< that were wanted at last, here or not
    std::uint64_t generation_ = 0;           ///< of source and tensor
    std::uint64_t colors_generation_ = 1;
    std::uint64_t clock_ = 0;
    widgets::AnswerPoster poster_;
};

} // namespace kw::profiler_views
