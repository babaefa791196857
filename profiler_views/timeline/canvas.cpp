#include "profiler_views/timeline/canvas.h"

#include "profiler_views/timeline/time_text.h"

#include <QAccessible>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace kw::profiler_views {

using timeline::EventId;
using timeline::kNoEvent;

std::vector<std::uint8_t> name_colors_of(const timeline::Store& store) {
    std::vector<std::uint8_t> colors(store.names().size());
    for (std::uint32_t i = 0; i < colors.size(); ++i) colors[i] = SliceColors::index_of(store.names()[i]);
    return colors;
}

TimelineCanvas::TimelineCanvas(QWidget* parent)
    : QWidget(parent), painter_(std::make_unique<ScenePainter>()), scroll_bar_(new QScrollBar(Qt::Vertical, this)) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(320, 120);
    setAccessibleName(tr("Timeline"));
    scroll_bar_->setAccessibleName(tr("Lanes"));
    scroll_bar_->setSingleStep(kRowHeight);
    connect(scroll_bar_, &QScrollBar::valueChanged, this, [this](int value) {
        scene_.scroll = value;
        update();
    });
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, [this] {
        painter_ = std::make_unique<ScenePainter>();
        update();
    });
}

SceneParts TimelineCanvas::parts() const { return scene_parts(width(), height()); }

bool TimelineCanvas::at_end() const {
    return scene_.store && end_of(scene_.view) >= static_cast<double>(scene_.store->end());
}

void TimelineCanvas::set_store(std::shared_ptr<const timeline::Store> store, std::vector<std::uint8_t> name_colors,
                               bool keep_place) {
    const bool had_store = scene_.store && !scene_.store->empty();
    const bool follow = at_end();
    const Viewport before = scene_.view;
    const bool showed_all =
        had_store
        && before.ns_per_pixel >= fitted(before, 0, static_cast<double>(scene_.store->end())).ns_per_pixel * 0.999;
    scene_.store = std::move(store);
    scene_.name_colors = std::move(name_colors);
    scene_.hovered = kNoEvent;
    scene_.matches.reset();
    painter_->forget_names();
    if (!keep_place || !had_store) {
        scene_.selected = kNoEvent;
        scene_.selection.reset();
        scene_.scroll = 0;
        collapsed_.clear();
    }
    relayout();
    if (!scene_.store) return update();
    const auto end = static_cast<double>(scene_.store->end());
    if (!keep_place || !had_store || showed_all) {
        fit_to(0, end);
    } else if (follow) {
        Viewport moved = before;
        moved.start = end; // too far to the right, which set_view() mends
        set_view(moved);
    } else {
        set_view(before);
    }
    announce();
}

void TimelineCanvas::relayout() {
    if (scene_.store)
        scene_.layout.build(*scene_.store, collapsed_);
    else
        scene_.layout = {};
    place_scroll_bar();
    update();
}

void TimelineCanvas::place_scroll_bar() {
    const auto p = parts();
    const int hidden = std::max(0, scene_.layout.height() - p.tracks_height());
    const int bar_width = scroll_bar_->sizeHint().width();
    scroll_bar_->setGeometry(width() - bar_width, SceneParts::kRulerHeight, bar_width, p.tracks_height());
    scroll_bar_->setRange(0, hidden);
    scroll_bar_->setPageStep(p.tracks_height());
    scroll_bar_->setVisible(hidden > 0);
    scene_.scroll = scroll_bar_->value();
}

void TimelineCanvas::scroll_to(int top) { scroll_bar_->setValue(top); }

void TimelineCanvas::resizeEvent(QResizeEvent*) {
    const double tracks = parts().tracks_width();
    const bool whole = scene_.store && scene_.view.width > 1
                       && scene_.view.ns_per_pixel
                              >= fitted(scene_.view, 0, static_cast<double>(scene_.store->end())).ns_per_pixel * 0.999;
    scene_.view = resized(scene_.view, tracks);
    place_scroll_bar();
    if (!scene_.store) return;
    if (whole)
        fit_to(0, static_cast<double>(scene_.store->end()));
    else
        set_view(scene_.view);
}

void TimelineCanvas::set_view(const Viewport& view) {
    scene_.view = resized(view, parts().tracks_width());
    if (scene_.store) scene_.view = bounded(scene_.view, static_cast<double>(scene_.store->end()));
    update();
    Q_EMIT view_changed();
}

void TimelineCanvas::fit_to(double begin, double end) {
    set_view(fitted(resized(scene_.view, parts().tracks_width()), begin, end));
}

void TimelineCanvas::fit() {
    if (!scene_.store) return;
    double begin = 0, end = static_cast<double>(scene_.store->end());
    const auto narrower = [&](double b, double e) {
        const Viewport goal = bounded(fitted(scene_.view, b, e), end);
        // Pressed again, it shows all.
        if (std::abs(goal.start - scene_.view.start) < scene_.view.ns_per_pixel
            && std::abs(goal.ns_per_pixel / scene_.view.ns_per_pixel - 1) < 1e-3)
            return;
        begin = b;
        end = e;
    };
    if (scene_.selection)
        narrower(static_cast<double>(scene_.selection->begin), static_cast<double>(scene_.selection->end));
    else if (scene_.selected != kNoEvent)
        narrower(static_cast<double>(scene_.store->start(scene_.selected)),
                 static_cast<double>(scene_.store->end(scene_.selected)));
    fit_to(begin, end);
}

void TimelineCanvas::set_matches(std::optional<timeline::NameSet> matches) {
    scene_.matches = std::move(matches);
    update();
}

void TimelineCanvas::set_collapsed(std::uint32_t group, bool collapsed) {
    const std::string& label = scene_.store->groups()[group].label;
    if (collapsed)
        collapsed_.insert(label);
    else
        collapsed_.erase(label);
    relayout();
}

void TimelineCanvas::select(EventId event, bool bring_into_view) {
    if (!scene_.store) return;
    scene_.selected = event;
    if (event != kNoEvent && bring_into_view) {
        const auto& store = *scene_.store;
        const std::uint32_t lane = store.lane_of(event);
        if (!scene_.layout.band_of_lane(lane)) set_collapsed(store.lanes()[lane].group, false);
        if (const Band* band = scene_.layout.band_of_lane(lane)) {
            const int top = row_top(*band, store.row_of(event)), shown = parts().tracks_height();
            if (top < scene_.scroll || top + kRowHeight > scene_.scroll + shown) scroll_to(top - shown / 2);
        }
        const auto begin = static_cast<double>(store.start(event)), end = static_cast<double>(store.end(event));
        const double least_pixels = 8;
        Viewport view = scene_.view;
        // Near enough to be seen, and not so near that it fills the view.
        if (end > begin && (end - begin) / view.ns_per_pixel < least_pixels)
            view = zoomed(view, 0, (end - begin) / least_pixels / view.ns_per_pixel);
        if (begin < view.start || begin > end_of(view) - view.width * 0.05 * view.ns_per_pixel)
            view.start = begin - view.width * 0.3 * view.ns_per_pixel;
        set_view(view);
    }
    update();
    announce();
    Q_EMIT selected_changed(event);
}

void TimelineCanvas::set_selection(std::optional<TimeSelection> selection) {
    scene_.selection = std::move(selection);
    update();
    Q_EMIT selection_changed();
}

void TimelineCanvas::announce() {
    QString text;
    if (scene_.store) {
        text = tr("%1 events on %2 lanes over %3")
                   .arg(scene_.store->size())
                   .arg(scene_.store->lanes().size())
                   .arg(duration_text(scene_.store->end()));
        if (scene_.selected != kNoEvent) {
            const auto name = scene_.store->name(scene_.selected);
            text =
                tr("Selected: %1, %2, on %3")
                    .arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())),
                         duration_text(scene_.store->duration(scene_.selected)),
                         QString::fromStdString(scene_.store->lanes()[scene_.store->lane_of(scene_.selected)].label));
        }
    }
    setAccessibleDescription(text);
    QAccessibleEvent change(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&change);
}

void TimelineCanvas::draw(QPainter& painter, bool as_vectors) { painter_->paint(painter, scene_, parts(), as_vectors); }

void TimelineCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    draw(painter, false);
    if (hasFocus()) {
        painter.setPen(widgets::Theme::instance().tokens().accent);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

} // namespace kw::profiler_views
