#include "widgets/plot_labels.h"

#include <QTransform>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace kw::widgets {

std::optional<std::pair<QPointF, QPointF>> clipped(const QRectF& area, QPointF from, QPointF to) {
    // Liang and Barsky: the parameters at which the line crosses the four edges.
    double first = 0, last = 1;
    const QPointF d = to - from;
    const std::array<std::pair<double, double>, 4> edges{{{-d.x(), from.x() - area.left()},
                                                          {d.x(), area.right() - from.x()},
                                                          {-d.y(), from.y() - area.top()},
                                                          {d.y(), area.bottom() - from.y()}}};
    for (const auto& [direction, distance] : edges) {
        if (direction == 0) {
            if (distance < 0) return {};
            continue;
        }
        const double at = distance / direction;
        if (direction < 0)
            first = std::max(first, at);
        else
            last = std::min(last, at);
    }
    if (first >= last) return {};
    return std::pair{from + d * first, from + d * last};
}

void LabelPlacer::take_line(const QPointF& from, const QPointF& to) {
    const QPointF d = to - from;
    const double length = std::hypot(d.x(), d.y());
    if (length == 0) return;
    const QPointF half = QPointF(-d.y(), d.x()) / length * 0.5; // half a pixel to each side
    taken_.push_back(QPolygonF({from + half, to + half, to - half, from - half, from + half}));
}

bool LabelPlacer::take_if_free(const QPolygonF& shape) {
    const QRectF bounds = shape.boundingRect();
    if (!area_.contains(bounds)) return false;
    const auto overlaps = [&](const QPolygonF& other) {
        return other.boundingRect().intersects(bounds) && other.intersects(shape);
    };
    if (std::ranges::any_of(taken_, overlaps)) return false;
    taken_.push_back(shape);
    return true;
}

std::optional<LabelPlacer::Placed> LabelPlacer::beside(const QPointF& at, const QSizeF& text, double gap) {
    const double w = text.width(), h = text.height();
    const std::array<QPointF, 6> corners{at + QPointF(gap, -h / 2),   at + QPointF(-w / 2, -gap - h),
                                         at + QPointF(-w / 2, gap),   at + QPointF(-gap - w, -h / 2),
                                         at + QPointF(gap, -gap - h), at + QPointF(-gap - w, -gap - h)};
    for (const QPointF& corner : corners)
        if (take_if_free(QPolygonF(QRectF(corner, text)))) return Placed{corner, 0};
    return {};
}

std::optional<LabelPlacer::Placed> LabelPlacer::along(QPointF from, QPointF to, const QSizeF& text) {
    const auto part = clipped(area_, from, to);
    if (!part) return {};
    std::tie(from, to) = *part;
    if (from.x() > to.x()) std::swap(from, to);
    const QPointF d = to - from;
    const double length = std::hypot(d.x(), d.y());
    if (length < text.width() * 1.2) return {};
    const QPointF unit = d / length;
    const QPointF up = QPointF(unit.y(), -unit.x()); // of the text, which reads from left to right
    const double angle = std::atan2(d.y(), d.x()) * 180 / M_PI;
    constexpr double kMargin = 10, kGap = 2;
    const bool level = std::abs(angle) < 10;
    for (const double share : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
        const double along = kMargin + (length - text.width() - 2 * kMargin) * (level ? 1 - share : share);
        for (const double away : {text.height() + kGap, -kGap}) {
            const QPointF corner = from + unit * along + up * away;
            QTransform turn;
            turn.translate(corner.x(), corner.y());
            turn.rotate(angle);
            if (take_if_free(turn.map(QPolygonF(QRectF(QPointF(), text))))) return Placed{corner, angle};
        }
    }
    return {};
}

} // namespace kw::widgets
