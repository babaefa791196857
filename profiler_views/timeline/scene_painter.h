#pragma once

#include "profiler_views/timeline/label_cache.h"
#include "profiler_views/timeline/scene.h"
#include "profiler_views/timeline/slice_colors.h"

#include <QImage>
#include <QPainter>

#include <array>
#include <vector>

namespace kw::profiler_views {

/// Draws scenes in the theme's colours. Slices are written into an image row by row, which is what makes a frame of
/// millions cheap; for SVG they are drawn as rectangles.
class ScenePainter {
public:
    ScenePainter();

    /// The whole picture, at (0, 0).
    void paint(QPainter& painter, const Scene& scene, const SceneParts& parts, bool as_vectors = false);
    /// Names are numbered anew.
    void forget_names() { labels_.clear(); }

private:
    struct Target;
    struct VisibleRow {
        const timeline::Row* row;
        double top; ///< in the tracks
        std::vector<timeline::RowItem> items;
    };
    void paint_ruler(QPainter& painter, const Scene& scene, const SceneParts& parts);
    void paint_headings(QPainter& painter, const Scene& scene, const SceneParts& parts);
    void paint_background(QPainter& painter, const Scene& scene, const SceneParts& parts);
    void paint_rows(Target& target, const Scene& scene);
    void paint_items(const Target& target, const Scene& scene, const VisibleRow& row) const;
    void paint_names(Target& target, const Scene& scene, const VisibleRow& row);
    void paint_counter(Target& target, const Scene& scene, const Band& band);
    void paint_marks(QPainter& painter, const Scene& scene, const SceneParts& parts);
    void paint_flow(QPainter& painter, const Scene& scene, const timeline::Flow& flow);
    [[nodiscard]] QRgb color_of(const Scene& scene, const timeline::RowItem& item) const;

    static constexpr int kShades = 16;
    const widgets::Tokens& tokens_;
    SliceColors colors_;
    LabelCache labels_;
    /// By colour, then by how much of a pixel is covered; the second set is for what a search leaves out.
    std::array<std::array<QRgb, kShades + 1>, SliceColors::kCount> shades_{}, dimmed_{};
    QImage image_;
    std::vector<VisibleRow> rows_; ///< the first visible_ of them; the others keep their memory
    std::size_t visible_ = 0;
    std::vector<timeline::SeriesItem> samples_;
};

/// The rectangle of an event in the tracks, clipped to them sideways; nothing while its group is collapsed.
[[nodiscard]] std::optional<QRectF> rect_of(const Scene& scene, timeline::EventId event);

} // namespace kw::profiler_views
