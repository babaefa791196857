#include "widgets/empty_state.h"

#include <QLabel>
#include <QVBoxLayout>

namespace kw::widgets {

EmptyState::EmptyState(const QString& title, const QString& hint, QWidget* parent)
    : QWidget(parent), title_(new QLabel(title)), hint_(new QLabel(hint)) {
    title_->setProperty("kind", QStringLiteral("section"));
    hint_->setProperty("tone", QStringLiteral("quiet"));
    for (auto* label : {title_, hint_}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(4);
    layout->addStretch();
    layout->addWidget(title_);
    layout->addWidget(hint_);
    layout->addStretch();
}

void EmptyState::set(const QString& title, const QString& hint) {
    title_->setText(title);
    hint_->setText(hint);
}

} // namespace kw::widgets
