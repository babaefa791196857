// What the mouse and the keys do on the canvas.
#include "profiler_views/timeline/canvas.h"
#include "profiler_views/timeline/time_text.h"
#include "widgets/numbers.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace kw::profiler_views {
namespace {

using timeline::EventId;
using timeline::kNoEvent;

constexpr double kZoomPerNotch = 0.8;
constexpr double kPanStep = 0.15; // of the width
constexpr double kDragThreshold = 4;
constexpr double kPickSlack = 3; // pixels beside a narrow event that still mean it

QString text_of(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

} // namespace

TimelineCanvas::Hit TimelineCanvas::hit(QPointF position) const {
    Hit result;
    const auto p = parts();
    result.time = time_of(scene_.view, position.x() - p.label_width);
    if (!scene_.store || position.y() < SceneParts::kRulerHeight) return result;
    const int y = static_cast<int>(position.y()) - SceneParts::kRulerHeight + scene_.scroll;
    result.band = scene_.layout.band_at(y);
    if (!result.band || result.band->kind != Band::Kind::lane || position.x() < p.label_width) return result;
    const int row = row_at(*result.band, y);
    if (row < 0) return result;
    const double at = std::clamp(result.time, 0.0, static_cast<double>(scene_.store->end()));
    result.event = timeline::event_at(*scene_.store, result.band->index, static_cast<std::uint32_t>(row),
                                      static_cast<timeline::Ns>(at),
                                      static_cast<timeline::Ns>(kPickSlack * scene_.view.ns_per_pixel));
    return result;
}

QString TimelineCanvas::tip(const Hit& found) const {
    if (!scene_.store || !found.band) return {};
    const auto& store = *scene_.store;
    if (found.event != kNoEvent) {
        QString text = text_of(store.name(found.event)).left(300);
        if (text.isEmpty()) text = tr("(no name)");
        text += QLatin1Char('\n')
                % (store.duration(found.event) > 0 ? exact_text(store.duration(found.event)) : tr("an instant"));
        text += QLatin1Char('\n') % tr("from %1").arg(exact_text(store.start(found.event)));
        if (const auto category = store.category(found.event); !category.empty())
            text += QLatin1Char('\n') % text_of(category);
        return text;
    }
    if (found.band->kind == Band::Kind::counter) {
        const auto& counter = store.counters()[found.band->index];
        QStringList lines{QString::fromStdString(counter.label)};
        for (const auto& series : counter.series)
            if (const auto value = timeline::value_at(series, static_cast<timeline::Ns>(found.time)))
                lines << tr("%1: %2 %3")
                             .arg(QString::fromStdString(series.label), QString::number(*value, 'g', 12),
                                  QString::fromStdString(counter.unit));
        return lines.join(QLatin1Char('\n'));
    }
    if (found.band->kind == Band::Kind::lane) return QString::fromStdString(store.lanes()[found.band->index].label);
    return QString::fromStdString(store.groups()[found.band->index].label);
}

bool TimelineCanvas::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString text = tip(hit(help->pos()));
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return QWidget::event(event);
}

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
    const QPoint delta = event->angleDelta();
    const double notches = (delta.y() != 0 ? delta.y() : delta.x()) / 120.0;
    const double x = event->position().x() - parts().label_width;
    if (event->modifiers() & Qt::ControlModifier || x < 0)
        scroll_to(scene_.scroll - static_cast<int>(notches * 3 * kRowHeight));
    else if (event->modifiers() & Qt::ShiftModifier || delta.y() == 0)
        set_view(panned(scene_.view, -notches * kPanStep * scene_.view.width));
    else
        set_view(zoomed(scene_.view, x, std::pow(kZoomPerNotch, notches)));
    event->accept();
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !scene_.store) return;
    press_ = event->position();
    view_at_press_ = scene_.view;
    scroll_at_press_ = scene_.scroll;
    const auto found = hit(press_);
    if (found.band && found.band->kind == Band::Kind::group && press_.x() < parts().label_width) {
        const auto group = found.band->index;
        set_collapsed(group, !collapsed_.contains(scene_.store->groups()[group].label));
        return;
    }
    drag_ = event->modifiers() & Qt::ShiftModifier ? Drag::select : Drag::undecided;
    if (drag_ == Drag::select) update_selection_from_drag(press_);
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (!scene_.store) return;
    const QPointF moved = event->position() - press_;
    if (drag_ == Drag::undecided && moved.manhattanLength() > kDragThreshold) {
        drag_ = Drag::pan;
        setCursor(Qt::ClosedHandCursor);
    }
    if (drag_ == Drag::pan) {
        scroll_to(scroll_at_press_ - static_cast<int>(moved.y()));
        set_view(panned(view_at_press_, -moved.x()));
        return;
    }
    if (drag_ == Drag::select) return update_selection_from_drag(event->position());
    const auto found = hit(event->position());
    scene_.hovered = found.event;
    scene_.pointer_time = found.time;
    update();
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    unsetCursor();
    const Drag was = std::exchange(drag_, Drag::none);
    if (was == Drag::undecided) {
        if (scene_.selection) set_selection({});
        select(hit(event->position()).event, false);
    } else if (was == Drag::select && scene_.selection && scene_.selection->begin == scene_.selection->end) {
        set_selection({});
    }
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !scene_.store) return;
    const auto found = hit(event->position());
    if (event->position().x() < parts().label_width) return;
    drag_ = Drag::none;
    if (found.event != kNoEvent && scene_.store->duration(found.event) > 0)
        fit_to(static_cast<double>(scene_.store->start(found.event)),
               static_cast<double>(scene_.store->end(found.event)));
    else
        fit_to(0, static_cast<double>(scene_.store->end()));
}

void TimelineCanvas::leaveEvent(QEvent*) {
    scene_.hovered = kNoEvent;
    scene_.pointer_time.reset();
    update();
}

void TimelineCanvas::update_selection_from_drag(QPointF to) {
    const auto p = parts();
    const auto time = [&](double x) {
        return static_cast<timeline::Ns>(
            std::clamp(time_of(scene_.view, x - p.label_width), 0.0, static_cast<double>(scene_.store->end())));
    };
    const auto y = [&](double at) { return static_cast<int>(at) - SceneParts::kRulerHeight + scene_.scroll; };
    TimeSelection selection{
        .begin = time(std::min(press_.x(), to.x())), .end = time(std::max(press_.x(), to.x())), .lanes = {}};
    const auto [first, last] =
        scene_.layout.bands_in(y(std::min(press_.y(), to.y())), y(std::max(press_.y(), to.y())) + 1);
    for (std::size_t i = first; i < last; ++i)
        if (scene_.layout.bands()[i].kind == Band::Kind::lane)
            selection.lanes.push_back(scene_.layout.bands()[i].index);
    set_selection(std::move(selection));
}

void TimelineCanvas::zoom_at_center(double factor) { set_view(zoomed(scene_.view, scene_.view.width / 2, factor)); }

void TimelineCanvas::step_in_lane(int direction) {
    if (scene_.selected == kNoEvent) return select_near_center();
    const auto& store = *scene_.store;
    const auto& row = store.lanes()[store.lane_of(scene_.selected)].rows[store.row_of(scene_.selected)];
    const auto next = static_cast<std::int64_t>(scene_.selected) + direction;
    if (next >= row.first && next < static_cast<std::int64_t>(row.first) + row.count)
        select(static_cast<EventId>(next), true);
}

void TimelineCanvas::step_along_flow(bool forward) {
    if (scene_.selected == kNoEvent) return;
    if (forward) {
        if (const auto flows = scene_.store->flows_from(scene_.selected); !flows.empty())
            select(flows.front().to, true);
    } else if (const auto flows = scene_.store->flows_to(scene_.selected); !flows.empty()) {
        select(flows.front().from, true);
    }
}

/// The event nearest the middle of the view, on the topmost lane that is in sight and has one in the view.
void TimelineCanvas::select_near_center() {
    const auto& store = *scene_.store;
    const double middle = time_of(scene_.view, scene_.view.width / 2);
    const auto at = static_cast<timeline::Ns>(std::clamp(middle, 0.0, static_cast<double>(store.end())));
    const auto slack = static_cast<timeline::Ns>(scene_.view.width / 2 * scene_.view.ns_per_pixel);
    const auto [first, last] = scene_.layout.bands_in(scene_.scroll, scene_.scroll + parts().tracks_height());
    for (std::size_t i = first; i < last; ++i) {
        const Band& band = scene_.layout.bands()[i];
        if (band.kind != Band::Kind::lane) continue;
        if (const EventId event = timeline::event_at(store, band.index, 0, at, slack); event != kNoEvent)
            return select(event, true);
    }
}

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
    if (!scene_.store) return QWidget::keyPressEvent(event);
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return QWidget::keyPressEvent(event);
    const double page = event->modifiers() & Qt::ShiftModifier ? 0.9 : kPanStep;
    const auto pan = [&](double direction) { set_view(panned(scene_.view, direction * page * scene_.view.width)); };
    switch (event->key()) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoom_at_center(kZoomPerNotch);
    case Qt::Key_S:
    case Qt::Key_Minus: return zoom_at_center(1 / kZoomPerNotch);
    case Qt::Key_A:
    case Qt::Key_Left: return pan(-1);
    case Qt::Key_D:
    case Qt::Key_Right: return pan(1);
    case Qt::Key_Up: return scroll_to(scene_.scroll - 2 * kRowHeight);
    case Qt::Key_Down: return scroll_to(scene_.scroll + 2 * kRowHeight);
    case Qt::Key_PageUp: return scroll_to(scene_.scroll - parts().tracks_height());
    case Qt::Key_PageDown: return scroll_to(scene_.scroll + parts().tracks_height());
    case Qt::Key_Home: {
        Viewport view = scene_.view;
        view.start = -end_of(view);
        return set_view(view);
    }
    case Qt::Key_End: {
        Viewport view = scene_.view;
        view.start = static_cast<double>(scene_.store->end());
        return set_view(view);
    }
    case Qt::Key_F:
    case Qt::Key_0: return fit();
    case Qt::Key_Slash: Q_EMIT search_requested(); return;
    case Qt::Key_N: Q_EMIT step_requested(!(event->modifiers() & Qt::ShiftModifier)); return;
    case Qt::Key_Comma: return step_in_lane(-1);
    case Qt::Key_Period: return step_in_lane(1);
    case Qt::Key_BracketLeft: return step_along_flow(false);
    case Qt::Key_BracketRight: return step_along_flow(true);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (scene_.selected == kNoEvent)
            select_near_center();
        else
            select(scene_.selected, true);
        return;
    case Qt::Key_Space: {
        // The group of what is selected, else the topmost one in sight.
        std::uint32_t group = 0;
        if (scene_.selected != kNoEvent) {
            group = scene_.store->lanes()[scene_.store->lane_of(scene_.selected)].group;
        } else if (const Band* band = scene_.layout.band_at(scene_.scroll)) {
            group = band->kind == Band::Kind::group  ? band->index
                    : band->kind == Band::Kind::lane ? scene_.store->lanes()[band->index].group
                                                     : scene_.store->counters()[band->index].group;
        }
        if (group < scene_.store->groups().size())
            set_collapsed(group, !collapsed_.contains(scene_.store->groups()[group].label));
        return;
    }
    case Qt::Key_Escape:
        set_selection({});
        select(kNoEvent, false);
        Q_EMIT clear_requested();
        return;
    default: QWidget::keyPressEvent(event);
    }
}

void TimelineCanvas::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void TimelineCanvas::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

} // namespace kw::profiler_views
