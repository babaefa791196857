#pragma once

#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QSizeF>

#include <optional>
#include <vector>

/// Where texts stand on a plot, so that none covers another. All in pixels.
namespace kw::widgets {

class LabelPlacer {
public:
    explicit LabelPlacer(const QRectF& area) : area_(area) {}

    /// Nothing may stand here.
    void take(const QRectF& rect) { taken_.push_back(QPolygonF(rect)); }
    void take_line(const QPointF& from, const QPointF& to);

    struct Placed {
        QPointF corner;   ///< the text's top left, around which it is turned
        double angle = 0; ///< degrees, clockwise
    };
    /// Beside a point: right of it, else above, below or left.
    [[nodiscard]] std::optional<Placed> beside(const QPointF& at, const QSizeF& text, double gap);
    /// Along a line, above it or else below, near its right end where it is level and its left where it rises; nothing
    /// when no place is left.
    [[nodiscard]] std::optional<Placed> along(QPointF from, QPointF to, const QSizeF& text);

private:
    [[nodiscard]] bool take_if_free(const QPolygonF& shape);

    QRectF area_;
    std::vector<QPolygonF> taken_;
};

/// The part of a line within a rectangle.
[[nodiscard]] std::optional<std::pair<QPointF, QPointF>> clipped(const QRectF& area, QPointF from, QPointF to);

} // namespace kw::widgets
