// What the mouse and the keys do to the map.
#include "profiler_views/correctness/map_canvas.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace kw::profiler_views {
namespace {

constexpr double kNotch = 1.35; ///< of the wheel, a key

} // namespace

void MapCanvas::wheelEvent(QWheelEvent* event) {
    const auto turned = event->angleDelta();
    if (event->modifiers() & Qt::ShiftModifier) {
        transform_.pan(QPointF(turned.y() + turned.x(), 0) / 2.0);
    } else {
        if (turned.y() == 0) return event->ignore();
        transform_.zoom(std::pow(kNotch, turned.y() / 120.0), event->position());
    }
    view_changed();
    Q_EMIT pointed(text_at(event->position()));
    event->accept();
}

void MapCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    pressed_at_ = dragged_to_ = event->position();
    if (minimap().contains(event->position())) {
        drag_ = Drag::minimap;
        follow_minimap(event->position());
    } else {
        drag_ = Drag::pressed;
    }
}

void MapCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (drag_ == Drag::minimap) return follow_minimap(event->position());
    if (drag_ == Drag::pressed
        && (event->position() - pressed_at_).manhattanLength() >= QApplication::startDragDistance()) {
        drag_ = Drag::panning;
        setCursor(Qt::ClosedHandCursor);
    }
    if (drag_ == Drag::panning) {
        transform_.pan(event->position() - dragged_to_);
        dragged_to_ = event->position();
        view_changed();
    }
    Q_EMIT pointed(text_at(event->position()));
}

void MapCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (drag_ == Drag::pressed)
        if (const auto index = element_at(event->position()); index && source_) select(*index);
    drag_ = Drag::none;
    unsetCursor();
}

void MapCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    drag_ = Drag::none;
    fit();
}

void MapCanvas::leaveEvent(QEvent*) { Q_EMIT pointed({}); }

void MapCanvas::follow_minimap(QPointF pixel) {
    const auto frame = minimap();
    const auto share = [](double at, double from, double size) { return std::clamp((at - from) / size, 0.0, 1.0); };
    transform_.center(share(pixel.y(), frame.top(), frame.height()) * transform_.rows,
                      share(pixel.x(), frame.left(), frame.width()) * transform_.columns);
    view_changed();
}

void MapCanvas::move_selection(std::int64_t rows, std::int64_t columns) {
    const auto& map = about_.map;
    if (!source_ || map.elements == 0) return;
    if (!selected_) {
        const auto middle = element_at(QPointF(width() / 2.0, height() / 2.0));
        return go_to_element(middle.value_or(0), false);
    }
    const auto row = static_cast<std::int64_t>(*selected_ / map.columns),
               column = static_cast<std::int64_t>(*selected_ % map.columns);
    const auto to_row = std::clamp<std::int64_t>(row + rows, 0, static_cast<std::int64_t>(map.rows) - 1);
    const auto to_column = std::clamp<std::int64_t>(column + columns, 0, static_cast<std::int64_t>(map.columns) - 1);
    const auto index = static_cast<std::uint64_t>(to_row) * map.columns + static_cast<std::uint64_t>(to_column);
    go_to_element(std::min(index, map.elements - 1), false);
}

void MapCanvas::keyPressEvent(QKeyEvent* event) {
    const bool pans = event->modifiers() & Qt::ControlModifier;
    const QPointF middle(width() / 2.0, height() / 2.0);
    const auto arrow = [&](int x, int y) {
        if (!pans) return move_selection(y, x);
        transform_.pan(QPointF(-x * width() / 8.0, -y * height() / 8.0));
        view_changed();
    };
    const auto zoom = [&](double factor) {
        auto at = middle;
        if (selected_ && about_.map.columns > 0) {
            const auto place = transform_.pixel_at(static_cast<double>(*selected_ / about_.map.columns),
                                                   static_cast<double>(*selected_ % about_.map.columns));
            if (QRectF(rect()).contains(place)) at = place;
        }
        transform_.zoom(factor, at);
        view_changed();
    };
    switch (event->key()) {
    case Qt::Key_Left: return arrow(-1, 0);
    case Qt::Key_Right: return arrow(1, 0);
    case Qt::Key_Up: return arrow(0, -1);
    case Qt::Key_Down: return arrow(0, 1);
    case Qt::Key_PageUp: return move_selection(-16, 0);
    case Qt::Key_PageDown: return move_selection(16, 0);
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoom(kNotch * kNotch);
    case Qt::Key_Minus: return zoom(1 / kNotch / kNotch);
    case Qt::Key_F:
    case Qt::Key_0:
    case Qt::Key_Home: return fit();
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (selected_) go_to_element(*selected_, true);
        return;
    case Qt::Key_N: Q_EMIT next_requested(!(event->modifiers() & Qt::ShiftModifier)); return;
    default: QWidget::keyPressEvent(event);
    }
}

} // namespace kw::profiler_views
