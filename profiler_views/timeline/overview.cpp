#include "profiler_views/timeline/overview.h"

#include "profiler_views/timeline/slice_colors.h"
#include "widgets/theme.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace kw::profiler_views {

TimelineOverview::TimelineOverview(QWidget* parent) : QWidget(parent) {
    setFixedHeight(sizeHint().height());
    setAccessibleName(tr("Overview"));
    setToolTip(tr("The whole trace; drag to move the part that is shown"));
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, [this] {
        density_ = {};
        update();
    });
}

void TimelineOverview::set_store(std::shared_ptr<const timeline::Store> store) {
    store_ = std::move(store);
    density_ = {};
    update();
}

void TimelineOverview::set_shown(const Viewport& shown, int left) {
    shown_ = shown;
    left_ = left;
    update();
}

Viewport TimelineOverview::whole() const {
    const Viewport empty{0, 1, static_cast<double>(std::max(1, width() - left_))};
    return fitted(empty, 0, store_ ? static_cast<double>(store_->end()) : 1);
}

/// One line of pixels per lane, as busy as its outermost row is there.
void TimelineOverview::draw_density() {
    const auto& tokens = widgets::Theme::instance().tokens();
    const Viewport view = whole();
    const int columns = static_cast<int>(view.width);
    const auto& lanes = store_->lanes();
    const int lines = std::max(1, static_cast<int>(lanes.size()));
    density_ = QImage(columns, lines, QImage::Format_RGB32);
    density_.fill(tokens.surface1);
    std::vector<timeline::RowItem> items;
    for (int lane = 0; lane < static_cast<int>(lanes.size()); ++lane) {
        if (lanes[static_cast<std::size_t>(lane)].rows.empty()) continue;
        items.clear();
        timeline::row_items(*store_, lanes[static_cast<std::size_t>(lane)].rows.front(), view, items);
        auto* line = reinterpret_cast<QRgb*>(density_.scanLine(lane));
        for (const auto& item : items) {
            const int begin = std::clamp(static_cast<int>(std::floor(item.begin)), 0, columns);
            const int end = std::clamp(std::max(static_cast<int>(std::floor(item.end)), begin + 1), 0, columns);
            std::fill(line + begin, line + end,
                      mixed(tokens.surface1, tokens.accent, 0.25 + 0.5 * static_cast<double>(item.coverage)).rgb());
        }
    }
}

void TimelineOverview::paintEvent(QPaintEvent*) {
    const auto& tokens = widgets::Theme::instance().tokens();
    QPainter painter(this);
    painter.fillRect(rect(), tokens.surface1);
    if (!store_ || store_->empty()) return;
    const Viewport view = whole();
    if (density_.width() != static_cast<int>(view.width)) draw_density();
    const QRect strip(left_, 3, width() - left_, height() - 7);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, density_.height() > strip.height());
    painter.drawImage(strip, density_);
    const double begin = std::clamp(x_of(view, shown_.start), 0.0, view.width);
    const double end = std::clamp(x_of(view, end_of(shown_)), 0.0, view.width);
    QColor veil = tokens.surface1;
    veil.setAlphaF(0.65f);
    painter.fillRect(QRectF(left_, strip.top(), begin, strip.height()), veil);
    painter.fillRect(QRectF(left_ + end, strip.top(), view.width - end, strip.height()), veil);
    painter.setPen(tokens.accent);
    painter.drawRect(QRectF(left_ + begin, strip.top() - 0.5, std::max(3.0, end - begin - 1), strip.height()));
    painter.fillRect(QRect(0, height() - 1, width(), 1), tokens.line);
}

void TimelineOverview::move_to(double x) {
    if (!store_) return;
    Viewport shown = shown_;
    shown.start = time_of(whole(), x - left_) - shown.width * shown.ns_per_pixel / 2;
    Q_EMIT moved(shown);
}

void TimelineOverview::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) move_to(event->position().x());
}

void TimelineOverview::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) move_to(event->position().x());
}

void TimelineOverview::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) density_ = {};
    QWidget::changeEvent(event);
}

} // namespace kw::profiler_views
