#include "editor/notice_bar.h"

#include "widgets/icons.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace kw::editor {

NoticeBar::NoticeBar(Tone tone, const QString& text, const QStringList& buttons, QWidget* parent)
    : QFrame(parent), tone_(tone), icon_(new QLabel) {
    setObjectName(QStringLiteral("notice"));
    setAccessibleName(tr("Notice"));
    setAccessibleDescription(text);
    auto* label = new QLabel(text);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setAccessibleName(text);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 4, 8, 4);
    layout->setSpacing(8);
    layout->addWidget(icon_);
    layout->addWidget(label, 1);
    for (int i = 0; i < buttons.size(); ++i) {
        auto* button = new QPushButton(buttons[i]);
        button->setAccessibleName(buttons[i]);
        if (i == 0) button->setProperty("role", QStringLiteral("primary"));
        connect(button, &QPushButton::clicked, this, [this, i] { Q_EMIT action(i); });
        layout->addWidget(button);
    }
    if (buttons.isEmpty()) {
        auto* close = new QToolButton;
        close->setIcon(widgets::icon(QStringLiteral("close")));
        close->setToolTip(tr("Dismiss"));
        close->setAccessibleName(tr("Dismiss"));
        connect(close, &QToolButton::clicked, this, &NoticeBar::dismissed);
        layout->addWidget(close);
    }
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, &NoticeBar::apply_theme);
    apply_theme();
}

void NoticeBar::apply_theme() {
    const auto& t = widgets::Theme::instance().tokens();
    const QColor color = tone_ == Tone::bad ? t.bad : tone_ == Tone::warn ? t.warn : t.info;
    const QString name = tone_ == Tone::bad    ? QStringLiteral("error")
                         : tone_ == Tone::warn ? QStringLiteral("warning")
                                               : QStringLiteral("idle");
    icon_->setPixmap(widgets::icon(name, color, color).pixmap(QSize(16, 16), devicePixelRatioF()));
}

} // namespace kw::editor
