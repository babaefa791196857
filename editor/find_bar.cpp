#include "editor/find_bar.h"

#include "editor/cuda_editor.h"
#include "widgets/icons.h"
#include "widgets/theme.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QToolButton>

#include <algorithm>

namespace kw::editor {
namespace {

using S = QsciScintilla;
constexpr std::size_t kMostMarked = 20'000;
constexpr int kSettleMs = 120;

QToolButton* button(const QString& text, const QString& name, const QString& tip) {
    auto* made = new QToolButton;
    made->setText(text);
    made->setObjectName(name);
    made->setToolTip(tip);
    made->setAccessibleName(tip);
    made->setFocusPolicy(Qt::TabFocus);
    return made;
}

} // namespace

FindBar::FindBar(CudaEditor& editor, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      pattern_(new QLineEdit),
      replacement_(new QLineEdit),
      replace_row_(new QWidget),
      case_(button(QStringLiteral("Aa"), QStringLiteral("find.case"), tr("Match case"))),
      word_(button(QStringLiteral("ab"), QStringLiteral("find.word"), tr("Whole words"))),
      regex_(button(QStringLiteral(".*"), QStringLiteral("find.regex"), tr("Regular expression"))),
      previous_(button({}, QStringLiteral("find.previous"), tr("Previous match (Shift+F3)"))),
      next_(button({}, QStringLiteral("find.next"), tr("Next match (F3)"))),
      replace_(button(tr("Replace"), QStringLiteral("find.replace"), tr("Replace this match and go to the next"))),
      replace_all_(button(tr("Replace all"), QStringLiteral("find.replace_all"), tr("Replace every match"))),
      close_(button({}, QStringLiteral("find.close"), tr("Close (Esc)"))),
      count_(new QLabel),
      problem_(new QLabel) {
    setObjectName(QStringLiteral("paneHeader"));
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("Find and replace"));
    pattern_->setObjectName(QStringLiteral("find.pattern"));
    pattern_->setPlaceholderText(tr("Find"));
    pattern_->setAccessibleName(tr("Find"));
    replacement_->setObjectName(QStringLiteral("find.replacement"));
    replacement_->setPlaceholderText(tr("Replace with"));
    replacement_->setAccessibleName(tr("Replace with"));
    count_->setObjectName(QStringLiteral("find.count"));
    count_->setAccessibleName(tr("Matches"));
    problem_->setObjectName(QStringLiteral("find.problem"));
    problem_->setAccessibleName(tr("Problem with the pattern"));
    problem_->setProperty("tone", QStringLiteral("bad"));
    problem_->setWordWrap(true);
    problem_->hide();
    count_->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("50000 of 50000")));
    for (auto* toggle : {case_, word_, regex_}) {
        toggle->setCheckable(true);
        connect(toggle, &QToolButton::toggled, this, [this] {
            search();
            go(0);
        });
    }
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->setHorizontalSpacing(4);
    layout->setVerticalSpacing(4);
    layout->addWidget(pattern_, 0, 0);
    auto* right = new QHBoxLayout;
    right->setSpacing(2);
    for (QWidget* widget : std::initializer_list<QWidget*>{case_, word_, regex_, count_, previous_, next_, close_})
        right->addWidget(widget);
    layout->addLayout(right, 0, 1);
    layout->addWidget(replacement_, 1, 0);
    auto* below = new QHBoxLayout(replace_row_);
    below->setContentsMargins(0, 0, 0, 0);
    below->setSpacing(2);
    below->addWidget(replace_);
    below->addWidget(replace_all_);
    below->addStretch();
    layout->addWidget(replace_row_, 1, 1);
    layout->addWidget(problem_, 2, 0, 1, 2);
    layout->setColumnStretch(0, 1);
    setTabOrder(pattern_, replacement_);

    timer_.setSingleShot(true);
    timer_.setInterval(kSettleMs);
    connect(&timer_, &QTimer::timeout, this, &FindBar::search);
    connect(pattern_, &QLineEdit::textEdited, this, [this] {
        search();
        editor_.SendScintilla(S::SCI_GOTOPOS, origin_);
        go(0);
    });
    connect(&editor_, &QsciScintilla::textChanged, this, [this] {
        if (isVisible()) timer_.start();
    });
    connect(&editor_, &QsciScintilla::selectionChanged, this, [this] {
        if (isVisible()) tell();
    });
    connect(previous_, &QToolButton::clicked, this, &FindBar::find_previous);
    connect(next_, &QToolButton::clicked, this, &FindBar::find_next);
    connect(replace_, &QToolButton::clicked, this, &FindBar::replace_current);
    connect(replace_all_, &QToolButton::clicked, this, &FindBar::replace_all);
    connect(close_, &QToolButton::clicked, this, &QWidget::hide);
    for (QWidget* widget : std::initializer_list<QWidget*>{pattern_, replacement_, case_, word_, regex_, previous_,
                                                           next_, replace_, replace_all_, close_})
        widget->installEventFilter(this);
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, &FindBar::apply_theme);
    apply_theme();
    hide();
}

void FindBar::apply_theme() {
    previous_->setIcon(widgets::icon(QStringLiteral("previous")));
    next_->setIcon(widgets::icon(QStringLiteral("next")));
    close_->setIcon(widgets::icon(QStringLiteral("close")));
    const auto& t = widgets::Theme::instance().tokens();
    const QString checked = QStringLiteral("QToolButton:checked { background: %1; color: %2; border-color: %3; }")
                                .arg(t.selection.name(), t.text1.name(), t.accent.name());
    for (auto* toggle : {case_, word_, regex_}) toggle->setStyleSheet(checked);
    QFont underlined = font();
    underlined.setUnderline(true);
    word_->setFont(underlined);
}

SearchOptions FindBar::options() const {
    return {pattern_->text(), regex_->isChecked(), case_->isChecked(), word_->isChecked()};
}

void FindBar::open(bool replace) {
    const bool can_replace = replace && !editor_.isReadOnly();
    replacement_->setVisible(can_replace);
    replace_row_->setVisible(can_replace);
    const QString selection = editor_.selectedText();
    if (!selection.isEmpty() && !selection.contains(QLatin1Char('\n')))
        pattern_->setText(regex_->isChecked() && isVisible() ? pattern_->text() : selection);
    origin_ = editor_.SendScintilla(S::SCI_GETSELECTIONSTART);
    show();
    search();
    pattern_->setFocus();
    pattern_->selectAll();
}

void FindBar::search() {
    timer_.stop();
    result_ = find_all(editor_.text(), options());
    mark();
    tell();
}

void FindBar::mark() {
    if (marked_) editor_.SendScintilla(S::SCI_SETINDICATORCURRENT, CudaEditor::kMatchIndicator);
    if (marked_) editor_.SendScintilla(S::SCI_INDICATORCLEARRANGE, 0UL, editor_.SendScintilla(S::SCI_GETLENGTH));
    marked_ = isVisible() && !result_.matches.empty();
    if (!marked_) return;
    editor_.SendScintilla(S::SCI_SETINDICATORCURRENT, CudaEditor::kMatchIndicator);
    for (std::size_t i = 0; i < std::min(result_.matches.size(), kMostMarked); ++i)
        editor_.SendScintilla(S::SCI_INDICATORFILLRANGE, static_cast<unsigned long>(result_.matches[i].begin),
                              static_cast<long>(result_.matches[i].end - result_.matches[i].begin));
}

int FindBar::selected() const {
    const long begin = editor_.SendScintilla(S::SCI_GETSELECTIONSTART),
               end = editor_.SendScintilla(S::SCI_GETSELECTIONEND);
    const auto at = std::ranges::lower_bound(result_.matches, static_cast<int>(begin), {}, &Match::begin);
    if (at == result_.matches.end() || at->begin != begin || at->end != end) return -1;
    return static_cast<int>(at - result_.matches.begin());
}

void FindBar::tell() {
    QString text, tone = QStringLiteral("quiet");
    const auto count = static_cast<int>(result_.matches.size());
    const int current = selected();
    problem_->setText(result_.problem);
    problem_->setVisible(!result_.problem.isEmpty());
    if (!result_.problem.isEmpty() || pattern_->text().isEmpty()) {
        text.clear();
    } else if (count == 0) {
        text = tr("no match");
        tone = QStringLiteral("warn");
    } else if (result_.stopped) {
        text = tr("more than %1").arg(kMostMatches);
    } else if (current >= 0) {
        text = tr("%1 of %2").arg(current + 1).arg(count);
    } else {
        text = tr("%n match(es)", nullptr, count);
    }
    count_->setText(text);
    if (count_->property("tone").toString() != tone) {
        count_->setProperty("tone", tone);
        count_->style()->unpolish(count_);
        count_->style()->polish(count_);
    }
    for (auto* needs_match : {previous_, next_, replace_, replace_all_}) needs_match->setEnabled(count > 0);
}

void FindBar::select(int index) {
    const Match& match = result_.matches[static_cast<std::size_t>(index)];
    const long line = editor_.SendScintilla(S::SCI_LINEFROMPOSITION, match.begin);
    editor_.ensureLineVisible(static_cast<int>(line));
    editor_.SendScintilla(S::SCI_SETSEL, static_cast<unsigned long>(match.begin), static_cast<long>(match.end));
    editor_.SendScintilla(S::SCI_SCROLLCARET);
    tell();
}

/// To the match after (1), before (-1) or at and after (0) the selection, around the ends.
void FindBar::go(int step) {
    if (timer_.isActive()) search();
    const auto count = static_cast<int>(result_.matches.size());
    if (count == 0) return;
    const long begin = editor_.SendScintilla(S::SCI_GETSELECTIONSTART),
               end = editor_.SendScintilla(S::SCI_GETSELECTIONEND);
    // Where nothing is selected, a match that begins at the caret is the next one.
    const int from = static_cast<int>(step > 0 ? end : begin);
    const auto at = std::ranges::lower_bound(result_.matches, from, {}, &Match::begin);
    int index = static_cast<int>(at - result_.matches.begin());
    if (step < 0) --index;
    select((index + count) % count);
}

void FindBar::find_next() {
    if (pattern_->text().isEmpty()) return open(false);
    if (!isVisible()) search();
    go(1);
}

void FindBar::find_previous() {
    if (pattern_->text().isEmpty()) return open(false);
    if (!isVisible()) search();
    go(-1);
}

void FindBar::replace_current() {
    if (editor_.isReadOnly()) return;
    search();
    const int index = selected();
    if (index < 0) return go(0);
    const Match match = result_.matches[static_cast<std::size_t>(index)];
    const QByteArray text = replacement_of(match, replacement_->text(), regex_->isChecked()).toUtf8();
    editor_.beginUndoAction();
    editor_.SendScintilla(S::SCI_SETTARGETRANGE, static_cast<unsigned long>(match.begin), static_cast<long>(match.end));
    editor_.SendScintilla(S::SCI_REPLACETARGET, static_cast<unsigned long>(text.size()), text.constData());
    editor_.SendScintilla(S::SCI_GOTOPOS, static_cast<unsigned long>(match.begin + text.size()));
    editor_.endUndoAction();
    search();
    go(1);
}

void FindBar::replace_all() {
    if (editor_.isReadOnly()) return;
    search();
    if (result_.matches.empty()) return;
    const bool regular = regex_->isChecked();
    const std::string old = editor_.utf8();
    std::string text;
    std::size_t at = 0;
    const std::size_t count = result_.matches.size();
    for (const Match& match : result_.matches) {
        text.append(old, at, static_cast<std::size_t>(match.begin) - at);
        text += replacement_of(match, replacement_->text(), regular).toStdString();
        at = static_cast<std::size_t>(match.end);
    }
    text.append(old, at);
    editor_.replace_text(text);
    search();
    count_->setText(tr("%n replaced", nullptr, static_cast<int>(count)));
}

bool FindBar::eventFilter(QObject* object, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (key->key() == Qt::Key_Escape) {
            hide();
            return true;
        }
        if (enter && object == pattern_) {
            if (key->modifiers() & Qt::ShiftModifier)
                find_previous();
            else
                find_next();
            return true;
        }
        if (enter && object == replacement_) {
            if (key->modifiers() & (Qt::ControlModifier | Qt::AltModifier))
                replace_all();
            else
                replace_current();
            return true;
        }
    }
    return QWidget::eventFilter(object, event);
}

void FindBar::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    if (event->spontaneous()) return;
    mark();
    editor_.setFocus();
    Q_EMIT closed();
}

} // namespace kw::editor
