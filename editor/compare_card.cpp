#include "editor/compare_card.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

namespace kw::editor {

CompareCard::CompareCard(QWidget* parent)
    : QFrame(parent),
      title_(new QLabel),
      note_(new QLabel),
      measure_text_(new QLabel),
      accept_(new QPushButton(tr("Accept"))),
      measure_(new QPushButton(tr("Measure"))),
      reject_(new QPushButton(tr("Reject"))),
      reason_(new QLineEdit) {
    setObjectName(QStringLiteral("card"));
    setAccessibleName(tr("Change"));
    setCursor(Qt::ArrowCursor);
    title_->setProperty("tone", QStringLiteral("quiet"));
    note_->setWordWrap(true);
    note_->setTextFormat(Qt::PlainText);
    measure_text_->setWordWrap(true);
    measure_text_->setTextFormat(Qt::PlainText);
    accept_->setObjectName(QStringLiteral("compare.accept"));
    accept_->setProperty("role", QStringLiteral("primary"));
    accept_->setToolTip(tr("Take this change, or its selected lines, into my text (Ctrl+Return)"));
    measure_->setObjectName(QStringLiteral("compare.measure"));
    measure_->setToolTip(tr("Evaluate my text with this change (Ctrl+M)"));
    reject_->setObjectName(QStringLiteral("compare.reject"));
    reject_->setToolTip(tr("Turn it down with a reason that the agent gets to read (Ctrl+Backspace)"));
    for (auto* button : {accept_, measure_, reject_}) {
        button->setAccessibleName(button->text());
        button->setAutoDefault(false);
    }
    reason_->setObjectName(QStringLiteral("compare.reason"));
    reason_->setAccessibleName(tr("Why this change is rejected"));
    reason_->setPlaceholderText(tr("Why? Return rejects, Esc keeps it"));
    reason_->installEventFilter(this);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(4);
    buttons->addWidget(accept_);
    buttons->addWidget(measure_);
    buttons->addWidget(reject_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 6, 8, 6);
    layout->setSpacing(4);
    layout->addWidget(title_);
    layout->addLayout(buttons);
    layout->addWidget(note_);
    layout->addWidget(measure_text_);
    layout->addWidget(reason_);
    note_->hide();
    measure_text_->hide();
    reason_->hide();
    connect(accept_, &QPushButton::clicked, this, &CompareCard::accept_chosen);
    connect(measure_, &QPushButton::clicked, this, &CompareCard::measure_chosen);
    connect(reject_, &QPushButton::clicked, this, &CompareCard::ask_reason);
    connect(reason_, &QLineEdit::returnPressed, this, [this] {
        const QString reason = reason_->text().trimmed();
        reason_->hide();
        Q_EMIT reject_chosen(reason);
    });
}

void CompareCard::show_hunk(const CompareHunk& hunk, std::size_t number, std::size_t count, int selected) {
    title_->setText(tr("Change %1 of %2").arg(number).arg(count));
    accept_->setText(selected > 0 ? tr("Accept %n line(s)", nullptr, selected) : tr("Accept"));
    accept_->setAccessibleName(accept_->text());
    const bool can = hunk.state == HunkState::open || hunk.state == HunkState::rejected;
    accept_->setEnabled(can);
    measure_->setEnabled(can);
    reject_->setEnabled(hunk.state == HunkState::open || hunk.state == HunkState::stale);
    note_->setText(hunk.note);
    note_->setVisible(!hunk.note.isEmpty());
    note_->setProperty("tone", hunk.state == HunkState::stale ? QStringLiteral("warn") : QStringLiteral("quiet"));
    note_->style()->unpolish(note_);
    note_->style()->polish(note_);
}

void CompareCard::show_measure(const QString& text, const QString& tone, bool running) {
    measure_->setText(running ? tr("Stop") : tr("Measure"));
    measure_->setAccessibleName(running ? tr("Stop measuring") : tr("Measure"));
    measure_text_->setText(text);
    measure_text_->setProperty("tone", tone);
    measure_text_->style()->unpolish(measure_text_);
    measure_text_->style()->polish(measure_text_);
    measure_text_->setVisible(!text.isEmpty());
}

void CompareCard::ask_reason() {
    if (!reject_->isEnabled()) return;
    reason_->clear();
    reason_->show();
    Q_EMIT resized();
    reason_->setFocus();
}

bool CompareCard::eventFilter(QObject* object, QEvent* event) {
    if (object == reason_ && event->type() == QEvent::KeyPress
        && static_cast<const QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        reason_->hide();
        Q_EMIT left();
        return true;
    }
    return QFrame::eventFilter(object, event);
}

} // namespace kw::editor
