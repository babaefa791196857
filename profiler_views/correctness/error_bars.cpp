#include "profiler_views/correctness/error_bars.h"

#include "widgets/theme.h"

#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kw::profiler_views {

ErrorBars::ErrorBars(const QString& title, QWidget* parent) : QWidget(parent), title_(title) {
    setAccessibleName(title);
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(true);
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, qOverload<>(&QWidget::update));
}

void ErrorBars::set_bars(std::vector<Bar> bars) {
    bars_ = std::move(bars);
    point_at(-1);
    update();
}

QString ErrorBars::readout() const {
    if (pointed_ < 0 || pointed_ >= static_cast<int>(bars_.size())) return {};
    const auto& bar = bars_[static_cast<std::size_t>(pointed_)];
    return tr("%1: %2").arg(bar.range, QLocale().toString(static_cast<qulonglong>(bar.count)));
}

void ErrorBars::point_at(int bar) {
    pointed_ = bar;
    setAccessibleDescription(readout());
    update();
}

QRectF ErrorBars::area() const { return QRectF(rect()).adjusted(0, 20, 0, -16); }

void ErrorBars::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const auto& tokens = widgets::Theme::instance().tokens();
    auto font = widgets::Theme::instance().interface_font();
    font.setPixelSize(11);
    painter.setFont(font);
    painter.setPen(tokens.text2);
    const auto said = readout();
    painter.drawText(QRectF(0, 0, width(), 16), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(said.isEmpty() ? title_ : said, Qt::ElideRight, width()));
    const auto plot = area();
    painter.setPen(tokens.line);
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
    if (bars_.empty()) return;
    const auto most = std::ranges::max_element(bars_, {}, &Bar::count)->count;
    const double full = std::log10(static_cast<double>(most) + 1);
    const double step = plot.width() / static_cast<double>(bars_.size());
    double free_from = 0; // labels do not run into each other
    for (std::size_t i = 0; i < bars_.size(); ++i) {
        const auto& bar = bars_[i];
        const double left = plot.left() + static_cast<double>(i) * step;
        const bool pointed = static_cast<int>(i) == pointed_;
        if (bar.count > 0 && full > 0) {
            const double height = std::max(2.0, plot.height() * std::log10(static_cast<double>(bar.count) + 1) / full);
            const QRectF place(left + 0.5, plot.bottom() - height, std::max(step - 1, 1.0), height);
            painter.fillRect(place, pointed ? tokens.accent : bar.warm ? tokens.data[1] : tokens.data[0]);
        }
        if (pointed) painter.fillRect(QRectF(left, plot.bottom(), step, 2), tokens.accent);
        if (bar.tick.isEmpty() || left < free_from) continue;
        painter.setPen(tokens.text3);
        const double wide = painter.fontMetrics().horizontalAdvance(bar.tick);
        const double at = std::clamp(left + step / 2 - wide / 2, 0.0, std::max(0.0, width() - wide));
        painter.drawText(QPointF(at, height() - 3), bar.tick);
        free_from = at + wide + 8;
    }
    if (hasFocus()) {
        painter.setPen(tokens.accent);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void ErrorBars::mouseMoveEvent(QMouseEvent* event) {
    if (bars_.empty()) return;
    const double share = event->position().x() / std::max(1, width());
    point_at(
        std::clamp(static_cast<int>(share * static_cast<double>(bars_.size())), 0, static_cast<int>(bars_.size()) - 1));
}

void ErrorBars::leaveEvent(QEvent*) { point_at(-1); }

void ErrorBars::keyPressEvent(QKeyEvent* event) {
    const int last = static_cast<int>(bars_.size()) - 1;
    if (event->key() == Qt::Key_Right && last >= 0) return point_at(std::min(pointed_ + 1, last));
    if (event->key() == Qt::Key_Left && last >= 0) return point_at(std::max(pointed_ - 1, 0));
    QWidget::keyPressEvent(event);
}

} // namespace kw::profiler_views
