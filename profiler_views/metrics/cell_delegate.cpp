#include "profiler_views/metrics/cell_delegate.h"

#include "profiler_views/metrics/cell_model.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace kw::profiler_views {
namespace {

constexpr int kPadding = 8;
constexpr int kRightPadding = 16; ///< as titles have, where their sort indicator is
constexpr int kBarHeight = 8;
constexpr int kLeastBar = 90;
const QString kWidestShare = QStringLiteral("0.00000 %");

} // namespace

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem view = option;
    initStyleOption(&view, index);
    const widgets::Tokens& t = widgets::Theme::instance().tokens();
    const QString text = std::exchange(view.text, QString());
    const QStyle* style = view.widget ? view.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &view, painter, view.widget);

    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    QRect rect = view.rect.adjusted(kPadding, 0, -kRightPadding, 0);
    const double bar = index.data(CellModel::kBarRole).toDouble();
    if (bar >= 0) {
        const int text_width = view.fontMetrics.horizontalAdvance(kWidestShare) + kPadding;
        const QRectF track(rect.left(), rect.center().y() - kBarHeight / 2 + 0.5,
                           std::max(24, rect.width() - text_width), kBarHeight);
        painter->setPen(Qt::NoPen);
        painter->setBrush(t.surface3);
        painter->drawRoundedRect(track, 2, 2);
        QRectF filled = track;
        filled.setWidth(track.width() * std::min(1.0, bar));
        if (filled.width() >= 1) {
            painter->setBrush(
                t.data[static_cast<std::size_t>(index.data(CellModel::kBarColorRole).toInt()) % t.data.size()]);
            painter->drawRoundedRect(filled, 2, 2);
        }
        rect.setLeft(static_cast<int>(track.right()) + kPadding);
    }
    switch (static_cast<Cell::Tone>(index.data(CellModel::kToneRole).toInt())) {
    case Cell::Tone::plain: painter->setPen(t.text1); break;
    case Cell::Tone::quiet: painter->setPen(t.text2); break;
    case Cell::Tone::good: painter->setPen(t.good); break;
    case Cell::Tone::bad: painter->setPen(t.bad); break;
    }
    painter->setFont(view.font);
    painter->drawText(rect, static_cast<int>(view.displayAlignment),
                      view.fontMetrics.elidedText(text, Qt::ElideRight, rect.width()));
    painter->restore();
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem view = option;
    initStyleOption(&view, index);
    int width = view.fontMetrics.horizontalAdvance(view.text) + kPadding + kRightPadding + 2;
    if (index.data(CellModel::kBarRole).toDouble() >= 0)
        width = kLeastBar + view.fontMetrics.horizontalAdvance(kWidestShare) + 3 * kPadding;
    return {width, std::max(22, view.fontMetrics.height() + 6)};
}

} // namespace kw::profiler_views
