#include "profiler_views/correctness/error_legend.h"

#include "profiler_views/correctness/error_colors.h"
#include "widgets/theme.h"

#include <QPainter>

#include <cmath>

namespace kw::profiler_views {

ErrorLegend::ErrorLegend(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Colors: exact, within tolerance, beyond tolerance by decades, not a number"));
    setToolTip(tr("The error of an element divided by what the tolerance allows it: above 1 it fails. A tile shows its "
                  "worst element. Up close, a cut corner marks those that fail."));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, qOverload<>(&QWidget::update));
}

void ErrorLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const auto& tokens = widgets::Theme::instance().tokens();
    const ErrorColors colors(tokens);
    auto font = widgets::Theme::instance().interface_font();
    font.setPixelSize(11);
    painter.setFont(font);
    const QString special = tr("NaN, ∞");
    const double box = 12, end = painter.fontMetrics().horizontalAdvance(special) + 8;
    const QRectF bar(box + 4, 1, std::max(40.0, width() - 2 * box - end - 12), box);
    const auto outlined = [&](const QRectF& place, QRgb color) {
        painter.fillRect(place, QColor(color));
        painter.setPen(tokens.line);
        painter.drawRect(place);
    };
    outlined(QRectF(0, 1, box, box), colors.of(0.0f));
    for (int x = 0; x < static_cast<int>(bar.width()); ++x) {
        const double decade = (x / bar.width() * 2 - 1) * ErrorColors::kDecades;
        painter.fillRect(QRectF(bar.left() + x, bar.top(), 1, bar.height()),
                         QColor(colors.of(static_cast<float>(std::pow(10.0, decade)))));
    }
    const double last = bar.right() + 8;
    outlined(QRectF(last, 1, box, box), colors.special());
    painter.setPen(tokens.text2);
    const auto label = [&](double center, const QString& text) {
        const double wide = painter.fontMetrics().horizontalAdvance(text);
        painter.drawText(QPointF(std::max(0.0, center - wide / 2), height() - 3), text);
    };
    label(0, QStringLiteral("0"));
    label(bar.left() + bar.width() / 4, QStringLiteral("10⁻²"));
    label(bar.center().x(), tr("1 × tolerance"));
    label(bar.left() + bar.width() * 3 / 4, QStringLiteral("10²"));
    painter.drawText(QPointF(last + box + 4, box - 1), special);
    painter.setPen(tokens.text1);
    painter.drawLine(QPointF(bar.center().x(), 0), QPointF(bar.center().x(), box + 3));
}

} // namespace kw::profiler_views
