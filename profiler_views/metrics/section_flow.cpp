#include "profiler_views/metrics/section_flow.h"

#include <QEvent>
#include <QLayout>
#include <QResizeEvent>

#include <algorithm>

namespace kw::profiler_views {
namespace {

constexpr int kMargin = 12;
constexpr int kGap = 20;

int height_for(QWidget& widget, int width) {
    if (widget.layout() && widget.layout()->hasHeightForWidth()) return widget.layout()->heightForWidth(width);
    return widget.hasHeightForWidth() ? widget.heightForWidth(width) : widget.sizeHint().height();
}

} // namespace

SectionFlow::SectionFlow(int least_column_width, QWidget* parent)
    : QWidget(parent), least_column_width_(least_column_width) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void SectionFlow::add(QWidget* section, bool wide) {
    section->setParent(this);
    section->show();
    sections_.push_back({section, wide});
}

void SectionFlow::arrange() {
    const int inner = std::max(1, width() - 2 * kMargin);
    const int columns = std::max(1, (inner + kGap) / (least_column_width_ + kGap));
    const int column_width = (inner - (columns - 1) * kGap) / columns;
    int top = kMargin;
    for (const Section& section : sections_) {
        if (!section.wide || section.widget->isHidden()) continue;
        const int height = height_for(*section.widget, inner);
        section.widget->setGeometry(kMargin, top, inner, height);
        top += height + kGap;
    }
    std::vector<int> bottoms(static_cast<std::size_t>(columns), top);
    for (const Section& section : sections_) {
        if (section.wide || section.widget->isHidden()) continue;
        const auto lowest = std::ranges::min_element(bottoms);
        const int height = height_for(*section.widget, column_width);
        section.widget->setGeometry(kMargin + static_cast<int>(lowest - bottoms.begin()) * (column_width + kGap),
                                    *lowest, column_width, height);
        *lowest += height + kGap;
    }
    const int wanted = std::ranges::max(bottoms) - kGap + kMargin;
    if (minimumHeight() != wanted) setFixedHeight(std::max(1, wanted));
}

void SectionFlow::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (event->oldSize().width() != event->size().width()) arrange();
}

bool SectionFlow::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) arrange();
    return QWidget::event(event);
}

} // namespace kw::profiler_views
