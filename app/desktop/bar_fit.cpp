#include "app/desktop/bar_fit.h"

#include <QEvent>
#include <QScopedValueRollback>
#include <QToolBar>

#include <utility>

namespace kw::desktop {

BarFit::BarFit(QToolBar& bar, std::vector<Way> ways) : QObject(&bar), bar_(bar), ways_(std::move(ways)) {
    bar_.installEventFilter(this);
}

void BarFit::fit() {
    if (fitting_) return;
    const QScopedValueRollback fitting(fitting_, true);
    for (const auto& way : ways_) way(false);
    shorter_ = 0;
    shorten();
}

void BarFit::shorten() {
    while (shorter_ < ways_.size() && bar_.sizeHint().width() > bar_.width()) ways_[shorter_++](true);
}

bool BarFit::eventFilter(QObject* object, QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::StyleChange) fit();
    // What is shown has grown. What has become less is for fit(): taking things back here would ask for this again.
    if (event->type() == QEvent::LayoutRequest && !fitting_) {
        const QScopedValueRollback fitting(fitting_, true);
        shorten();
    }
    return QObject::eventFilter(object, event);
}

} // namespace kw::desktop
