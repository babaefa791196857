#include "agent/review/agent_fold.h"

#include "widgets/icons.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QStyle>
#include <QTextBlock>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace kw::review {
namespace {

/// Of an open text; longer ones scroll.
constexpr int kMostLines = 18;
/// A line is laid out at once, however much of it is seen, so longer ones are broken.
constexpr qsizetype kLongestLine = 2000;

/// `column`: how long the line already is that `text` goes on with.
QString broken_up(const QString& text, qsizetype column = 0) {
    QString out;
    qsizetype begin = 0;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] == u'\n') {
            column = 0;
        } else if (++column >= kLongestLine && !text[i].isHighSurrogate()) {
            out += QStringView(text).mid(begin, i + 1 - begin);
            out += u'\n';
            begin = i + 1;
            column = 0;
        }
    }
    return begin == 0 ? text : out + QStringView(text).mid(begin);
}

void set_tone(QWidget& widget, const QString& tone) {
    if (widget.property("tone").toString() == tone) return;
    widget.setProperty("tone", tone);
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
}

} // namespace

AgentFold::AgentFold(QWidget* parent)
    : QWidget(parent), arrow_(new QToolButton), title_(new QLabel), summary_(new QLabel), note_(new QLabel) {
    for (auto* label : {title_, summary_, note_}) label->setTextFormat(Qt::PlainText);
    summary_->setProperty("tone", QStringLiteral("quiet"));
    note_->setProperty("tone", QStringLiteral("quiet"));
    summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    arrow_->setProperty("size", QStringLiteral("small"));
    arrow_->setAutoRaise(true);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(arrow_);
    row->addWidget(title_);
    row->addWidget(summary_, 1);
    row->addWidget(note_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addLayout(row);
    connect(arrow_, &QToolButton::clicked, this, [this] { set_open(!open_); });
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, &AgentFold::draw);
}

void AgentFold::set(Content content) {
    content_ = std::move(content);
    title_->setText(content_.title);
    note_->setText(content_.note);
    set_tone(*title_, content_.tone);
    const bool opens = static_cast<bool>(content_.text);
    arrow_->setVisible(opens);
    arrow_->setAccessibleName(tr("Open or close: %1").arg(content_.title));
    elide();
    if (body_) body_->clear();
    open_ = false;
    set_open(opens && content_.open);
    draw();
}

void AgentFold::set_growing(const QString& text) {
    content_.text = [text] { return text; };
    arrow_->show();
    if (!open_) return set_open(true);
    if (text.startsWith(shown_)) {
        const bool at_end = body_->verticalScrollBar()->value() >= body_->verticalScrollBar()->maximum() - 4;
        QTextCursor cursor(body_->document());
        cursor.movePosition(QTextCursor::End);
        cursor.insertText(broken_up(text.mid(shown_.size()), body_->document()->lastBlock().length()));
        shown_ = text;
        fit();
        if (at_end) body_->verticalScrollBar()->setValue(body_->verticalScrollBar()->maximum());
    } else {
        fill();
    }
}

void AgentFold::set_open(bool open) {
    open_ = open && content_.text;
    if (open_ && !body_) {
        body_ = new QPlainTextEdit;
        body_->setReadOnly(true);
        body_->setFrameShape(QFrame::NoFrame);
        body_->setTabChangesFocus(true);
        body_->setUndoRedoEnabled(false);
        layout()->addWidget(body_);
    }
    if (open_) fill();
    if (body_) body_->setVisible(open_);
    draw();
}

QString AgentFold::shown_text() const { return open_ ? shown_ : QString(); }

QString AgentFold::title() const { return title_->text(); }

void AgentFold::fill() {
    const auto& theme = widgets::Theme::instance();
    body_->setFont(content_.code ? theme.code_font() : theme.interface_font());
    body_->setLineWrapMode(content_.code ? QPlainTextEdit::NoWrap : QPlainTextEdit::WidgetWidth);
    body_->setAccessibleName(content_.title);
    shown_ = content_.text();
    body_->setPlainText(broken_up(shown_));
    fit();
}

void AgentFold::fit() {
    // Lines as they are laid out; a few blocks are enough to know that there are too many.
    int lines = 0;
    const int across = std::max(20, body_->viewport()->width() / std::max(1, body_->fontMetrics().averageCharWidth()));
    for (auto block = body_->document()->begin(); block.isValid() && lines < kMostLines; block = block.next())
        lines += content_.code ? 1 : 1 + block.length() / across;
    body_->setFixedHeight(std::clamp(lines, 1, kMostLines) * body_->fontMetrics().lineSpacing() + 16);
}

void AgentFold::draw() { arrow_->setIcon(widgets::icon(open_ ? QStringLiteral("down") : QStringLiteral("next"))); }

void AgentFold::elide() {
    summary_->setText(fontMetrics().elidedText(content_.summary, Qt::ElideRight, std::max(40, summary_->width() - 2)));
}

void AgentFold::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && content_.text) set_open(!open_);
    QWidget::mousePressEvent(event);
}

void AgentFold::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    elide();
    if (open_ && body_) fit();
}

} // namespace kw::review
