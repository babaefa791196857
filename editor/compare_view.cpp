#include "editor/compare_view.h"

#include "editor/compare_card.h"
#include "editor/compare_side.h"
#include "editor/cuda_editor.h"
#include "widgets/icons.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QStackedWidget>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>
#include <Qsci/qscicommandset.h>

#include <algorithm>
#include <utility>

namespace kw::editor {
namespace {

using S = QsciScintilla;

/// A header grows up to this to bring both texts to the same height on the screen.
constexpr int kMostHeader = 160;

QToolButton* small_button(const char* icon, const QString& what) {
    auto* button = new QToolButton;
    button->setToolTip(what);
    button->setAccessibleName(what);
    button->setProperty("size", QStringLiteral("small"));
    const auto draw = [button, icon] { button->setIcon(widgets::icon(QLatin1String(icon))); };
    QObject::connect(&widgets::Theme::instance(), &widgets::Theme::changed, button, draw);
    draw();
    return button;
}

void set_tone(QLabel* label, const QString& tone) {
    label->setProperty("tone", tone);
    label->style()->unpolish(label);
    label->style()->polish(label);
}

} // namespace

CompareView::CompareView(QWidget* parent)
    : QWidget(parent),
      text_(new CudaEditor),
      card_(new CompareCard(text_->viewport())),
      foot_(new QVBoxLayout),
      header_(new QWidget),
      title_(new QLabel),
      count_(new QLabel),
      notice_(new QLabel),
      bases_(new QComboBox),
      previous_(small_button("previous", tr("Previous change (Shift+F7)"))),
      next_(small_button("next", tr("Next change (F7)"))),
      accept_all_(new QPushButton(tr("Accept all"))),
      measure_all_(new QPushButton(tr("Measure all"))),
      all_text_(new QLabel),
      pages_(new QStackedWidget),
      message_title_(new QLabel),
      message_hint_(new QLabel) {
    setAccessibleName(tr("Suggestion"));
    setObjectName(QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    text_->setReadOnly(true);
    text_->SendScintilla(S::SCI_SETUNDOCOLLECTION, 0UL);
    text_->setAccessibleName(tr("Suggestion, read only"));
    text_->setObjectName(QStringLiteral("compare.text"));
    text_->setMarginSensitivity(CudaEditor::kMarks, true);
    keep_reading_keys();
    right_side_ = std::make_unique<CompareSide>(*text_, true);

    header_->setObjectName(QStringLiteral("paneHeader"));
    header_->setAttribute(Qt::WA_StyledBackground);
    title_->setProperty("kind", QStringLiteral("section"));
    title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    count_->setProperty("tone", QStringLiteral("quiet"));
    bases_->setObjectName(QStringLiteral("compare.base"));
    bases_->setAccessibleName(tr("Compare with"));
    bases_->setToolTip(tr("What the suggestion is compared with"));
    accept_all_->setObjectName(QStringLiteral("compare.accept_all"));
    accept_all_->setToolTip(tr("Take every change that can be taken, as one thing to undo (Ctrl+Shift+Return)"));
    measure_all_->setObjectName(QStringLiteral("compare.measure_all"));
    measure_all_->setToolTip(tr("Evaluate each change alone and all together (Ctrl+Shift+M)"));
    // One row, no higher than the tabs beside it: both texts are to begin at the same height.
    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    row->addWidget(title_, 1);
    row->addWidget(bases_);
    row->addWidget(previous_);
    row->addWidget(next_);
    // The names of steps count most; what is too long for the pane ends in dots.
    bases_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    bases_->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    bases_->setMinimumContentsLength(6);
    auto* footer = new QWidget;
    footer->setObjectName(QStringLiteral("panel"));
    footer->setAttribute(Qt::WA_StyledBackground);
    auto* tools = new QHBoxLayout;
    tools->setContentsMargins(12, 2, 4, 2);
    tools->setSpacing(4);
    tools->addWidget(count_);
    tools->addStretch(1);
    tools->addWidget(measure_all_);
    tools->addWidget(accept_all_);
    for (auto* label : {notice_, all_text_}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setContentsMargins(12, 4, 12, 4);
        label->hide();
    }
    notice_->setObjectName(QStringLiteral("compare.notice"));
    all_text_->setObjectName(QStringLiteral("compare.all"));
    auto* head = new QVBoxLayout(header_);
    head->setContentsMargins(12, 2, 4, 2);
    head->setSpacing(0);
    head->addLayout(row);
    footer->setLayout(foot_);
    foot_->setContentsMargins(0, 0, 0, 0);
    foot_->setSpacing(0);
    foot_->addWidget(notice_);
    foot_->addWidget(all_text_);
    foot_->addLayout(tools);

    auto* message = new QWidget;
    auto* message_layout = new QVBoxLayout(message);
    message_layout->setContentsMargins(24, 24, 24, 24);
    message_layout->addStretch(1);
    message_title_->setProperty("kind", QStringLiteral("title"));
    for (auto* label : {message_title_, message_hint_}) {
        label->setAlignment(Qt::AlignHCenter);
        label->setWordWrap(true);
        message_layout->addWidget(label);
    }
    message_hint_->setProperty("tone", QStringLiteral("quiet"));
    message_layout->addStretch(2);
    auto* compared = new QWidget;
    auto* compared_layout = new QVBoxLayout(compared);
    compared_layout->setContentsMargins(0, 0, 0, 0);
    compared_layout->setSpacing(0);
    compared_layout->addWidget(header_);
    compared_layout->addWidget(text_, 1);
    compared_layout->addWidget(footer);
    pages_->addWidget(message);
    pages_->addWidget(compared);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages_);
    card_->hide();

    connect(previous_, &QToolButton::clicked, this, [this] { go(-1); });
    connect(next_, &QToolButton::clicked, this, [this] { go(1); });
    connect(accept_all_, &QPushButton::clicked, this, &CompareView::accept_all_requested);
    connect(measure_all_, &QPushButton::clicked, this, &CompareView::measure_all_requested);
    connect(bases_, &QComboBox::activated, this, &CompareView::base_chosen);
    connect(card_, &CompareCard::accept_chosen, this, &CompareView::accept_requested);
    connect(card_, &CompareCard::measure_chosen, this, &CompareView::measure_requested);
    connect(card_, &CompareCard::reject_chosen, this, [this](const QString& reason) {
        text_->setFocus();
        Q_EMIT reject_requested(reason);
    });
    connect(card_, &CompareCard::left, this, [this] {
        text_->setFocus();
        place_card();
    });
    connect(card_, &CompareCard::resized, this, &CompareView::place_card);
    connect(text_, &QsciScintilla::selectionChanged, this, &CompareView::refresh);
    connect(text_, &QsciScintilla::cursorPositionChanged, this, [this](int line, int) {
        for (std::size_t i = 0; i < comparison_.hunks.size(); ++i) {
            const auto& hunk = comparison_.hunks[i];
            if (line >= hunk.right_line && line < hunk.right_line + hunk.right_lines) set_current(i, false);
        }
    });
    connect(text_, &QsciScintilla::marginClicked, this, [this](int, int line, Qt::KeyboardModifiers) {
        for (std::size_t i = 0; i < comparison_.hunks.size(); ++i) {
            const auto& hunk = comparison_.hunks[i];
            const int first = hunk.right_lines > 0 ? hunk.right_line : std::max(0, hunk.right_line - 1);
            if (line >= first && line < first + std::max(1, hunk.right_lines)) set_current(i, false);
        }
    });
    connect(text_->verticalScrollBar(), &QScrollBar::valueChanged, this, [this] { follow(true); });
    connect(text_, &QsciScintilla::SCN_UPDATEUI, this, [this](int what) {
        if (what & S::SC_UPDATE_V_SCROLL) follow(true);
    });
    connect(text_->horizontalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
        if (left_) left_->horizontalScrollBar()->setValue(value);
    });
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, &CompareView::refresh);
    show_message(tr("No suggestion"), {});
}

CompareView::~CompareView() {
    left_side_.reset();
    right_side_.reset();
}

/// Keys of the window are the window's: this text takes those of looking around alone.
void CompareView::keep_reading_keys() {
    using enum QsciCommand::Command;
    static constexpr QsciCommand::Command kKept[] = {LineDown,
                                                     LineDownExtend,
                                                     LineUp,
                                                     LineUpExtend,
                                                     CharLeft,
                                                     CharLeftExtend,
                                                     CharRight,
                                                     CharRightExtend,
                                                     WordLeft,
                                                     WordLeftExtend,
                                                     WordRight,
                                                     WordRightExtend,
                                                     Home,
                                                     VCHome,
                                                     VCHomeExtend,
                                                     LineEnd,
                                                     LineEndExtend,
                                                     DocumentStart,
                                                     DocumentStartExtend,
                                                     DocumentEnd,
                                                     DocumentEndExtend,
                                                     PageUp,
                                                     PageUpExtend,
                                                     PageDown,
                                                     PageDownExtend,
                                                     SelectAll,
                                                     SelectionCopy};
    for (auto* command : text_->standardCommands()->commands()) {
        if (std::ranges::find(kKept, command->command()) != std::end(kKept)) continue;
        command->setKey(0);
        command->setAlternateKey(0);
    }
}

void CompareView::set_title(const QString& title, const QString& brief) {
    whole_title_ = title;
    brief_title_ = brief;
    title_->setToolTip(title);
    title_->setAccessibleName(title);
    fit_title();
}

void CompareView::fit_title() {
    const auto width_of = [this](const QString& text) { return title_->fontMetrics().horizontalAdvance(text) + 2; };
    title_->setMinimumWidth(width_of(brief_title_));
    const int others = bases_->sizeHint().width() + previous_->sizeHint().width() + next_->sizeHint().width() + 28;
    title_->setText(width_of(whole_title_) + others <= width() ? whole_title_ : brief_title_);
}

void CompareView::set_bases(const QStringList& bases, int current) {
    bases_->clear();
    bases_->addItems(bases);
    bases_->setCurrentIndex(current);
    fit_title();
}

void CompareView::set_left(QsciScintilla* left) {
    if (left_ == left) return;
    if (left_) {
        left_->removeEventFilter(this);
        left_->disconnect(this);
        left_->verticalScrollBar()->disconnect(this);
        left_->horizontalScrollBar()->disconnect(this);
    }
    left_side_.reset();
    left_ = left;
    if (!left) return;
    left_side_ = std::make_unique<CompareSide>(*left, false);
    left->installEventFilter(this);
    connect(left->verticalScrollBar(), &QScrollBar::valueChanged, this, [this] { follow(false); });
    // The caret and commands scroll without the scroll bar.
    connect(left, &QsciScintilla::SCN_UPDATEUI, this, [this](int what) {
        if (what & S::SC_UPDATE_V_SCROLL) follow(false);
    });
    connect(left->horizontalScrollBar(), &QScrollBar::valueChanged, this,
            [this](int value) { text_->horizontalScrollBar()->setValue(value); });
    refresh();
    follow(false);
    align_tops();
}

void CompareView::set_suggestion(std::string_view text) {
    pages_->setCurrentIndex(1);
    if (text_->view(0, text_->SendScintilla(S::SCI_GETLENGTH)) == text) return;
    text_->setReadOnly(false);
    text_->replace_text(text);
    text_->setReadOnly(true);
}

void CompareView::show_comparison(Comparison comparison) {
    comparison_ = std::move(comparison);
    const auto known = std::ranges::find(comparison_.hunks, current_, &CompareHunk::id);
    if (known == comparison_.hunks.end()) {
        // That which was looked at is gone: the next that can be taken, from where the caret is.
        const auto open = std::ranges::find(comparison_.hunks, HunkState::open, &CompareHunk::state);
        current_ = open != comparison_.hunks.end() ? open->id
                   : comparison_.hunks.empty()     ? std::string()
                                                   : comparison_.hunks.front().id;
    }
    refresh();
    follow(false);
    align_tops();
}

void CompareView::show_message(const QString& title, const QString& hint) {
    message_title_->setText(title);
    message_hint_->setText(hint);
    pages_->setCurrentIndex(0);
    comparison_ = {};
    current_.clear();
    refresh();
}

void CompareView::set_notice(const QString& notice, const QString& tone) {
    notice_->setText(notice);
    set_tone(notice_, tone);
    notice_->setVisible(!notice.isEmpty());
    align_tops();
}

void CompareView::set_measure(const std::string& id, const QString& text, const QString& tone, bool running) {
    if (id.empty()) {
        all_text_->setText(text);
        set_tone(all_text_, tone);
        all_text_->setVisible(!text.isEmpty());
        measure_all_->setText(running ? tr("Stop") : tr("Measure all"));
        align_tops();
        return;
    }
    measures_[id] = {text, tone, running};
    refresh();
}

void CompareView::forget_measures() {
    measures_.clear();
    set_measure({}, {}, {}, false);
    refresh();
}

const CompareHunk* CompareView::current() const {
    const auto found = std::ranges::find(comparison_.hunks, current_, &CompareHunk::id);
    return found == comparison_.hunks.end() ? nullptr : &*found;
}

std::optional<std::pair<int, int>> CompareView::selected_lines() const {
    const auto* hunk = current();
    if (!hunk || !text_->hasSelectedText()) return std::nullopt;
    int from = 0, to = 0, from_index = 0, to_index = 0;
    text_->getSelection(&from, &from_index, &to, &to_index);
    if (to > from && to_index == 0) --to; // up to a line's very start is not that line
    from = std::max(from, hunk->right_line);
    to = std::min(to, hunk->right_line + hunk->right_lines - 1);
    if (to < from) return std::nullopt;
    return std::pair{from - hunk->right_line, to - from + 1};
}

void CompareView::go(int direction) {
    const auto count = static_cast<std::ptrdiff_t>(comparison_.hunks.size());
    if (count == 0) return;
    const auto at = std::ranges::find(comparison_.hunks, current_, &CompareHunk::id) - comparison_.hunks.begin();
    const auto to = at == count ? 0 : (at + direction + count) % count;
    set_current(static_cast<std::size_t>(to), true);
}

void CompareView::set_current(std::size_t index, bool scroll) {
    current_ = comparison_.hunks[index].id;
    if (scroll) {
        const auto& hunk = comparison_.hunks[index];
        const long row = text_->SendScintilla(S::SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(hunk.right_line));
        const long first = text_->SendScintilla(S::SCI_GETFIRSTVISIBLELINE);
        const long rows = text_->SendScintilla(S::SCI_LINESONSCREEN);
        if (row < first || row + std::max(hunk.left_lines, hunk.right_lines) > first + rows)
            text_->SendScintilla(S::SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(std::max(0L, row - rows / 4)));
    }
    refresh();
    if (scroll) follow(true);
}

void CompareView::refresh() {
    const auto at = std::ranges::find(comparison_.hunks, current_, &CompareHunk::id) - comparison_.hunks.begin();
    const auto index = at < std::ssize(comparison_.hunks) ? std::optional{static_cast<std::size_t>(at)} : std::nullopt;
    if (left_ && left_side_) left_side_->show(comparison_, index);
    right_side_->show(comparison_, index);
    const auto open = std::ranges::count(comparison_.hunks, HunkState::open, &CompareHunk::state);
    count_->setText(comparison_.hunks.empty()
                        ? QString()
                        : tr("%n change(s)", nullptr, static_cast<int>(comparison_.hunks.size())));
    accept_all_->setEnabled(open > 0 && !comparison_.unfinished);
    measure_all_->setEnabled(open > 0 && !comparison_.unfinished);
    for (auto* button : {previous_, next_}) button->setEnabled(!comparison_.hunks.empty());
    if (index && !comparison_.unfinished) {
        const auto lines = selected_lines();
        card_->show_hunk(comparison_.hunks[*index], *index + 1, comparison_.hunks.size(), lines ? lines->second : 0);
        const auto& measure = measures_[current_];
        card_->show_measure(measure.text, measure.tone, measure.running);
    }
    place_card();
}

/// Below the change, or above it where there is no room; hidden while it is out of sight.
void CompareView::place_card() {
    const auto* hunk = current();
    const int line_height = text_->textHeight(0), height = text_->viewport()->height();
    const auto y_of = [&](int line) {
        const long row = text_->SendScintilla(S::SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line));
        return static_cast<int>(row - text_->SendScintilla(S::SCI_GETFIRSTVISIBLELINE)) * line_height;
    };
    if (!hunk || comparison_.unfinished) {
        card_->hide();
        return;
    }
    int top = y_of(hunk->right_line);
    // What is only removed stands in the room above that line, at a text's very top in that below it.
    if (hunk->right_lines == 0) top += hunk->right_line == 0 ? line_height : -hunk->left_lines * line_height;
    const int bottom = top + std::max(hunk->left_lines, hunk->right_lines) * line_height;
    if (bottom <= 0 || top >= height) {
        card_->hide();
        return;
    }
    const int width = std::min(card_->sizeHint().width(), text_->viewport()->width() - 16);
    const int tall = card_->hasHeightForWidth() ? card_->heightForWidth(width) : card_->sizeHint().height();
    // As if it were among the text, so that it does not come and go by its own size.
    const int room = height + (docked_ ? card_->height() : 0);
    const int below = bottom + 2, above = top - tall - 2;
    dock_card(below + tall > room && above < 0);
    if (!docked_)
        card_->setGeometry(text_->viewport()->width() - width - 8, below + tall <= room ? below : above, width, tall);
    card_->show();
    card_->raise();
}

void CompareView::dock_card(bool docked) {
    if (std::exchange(docked_, docked) == docked) return;
    auto* focused = card_->isAncestorOf(QApplication::focusWidget()) ? QApplication::focusWidget() : nullptr;
    if (docked) {
        foot_->insertWidget(0, card_);
    } else {
        foot_->removeWidget(card_);
        card_->setParent(text_->viewport());
    }
    card_->show();
    if (focused) focused->setFocus();
}

void CompareView::follow(bool from_right) {
    if (!left_ || following_ || pages_->currentIndex() == 0) {
        place_card();
        return;
    }
    const QScopedValueRollback guard(following_, true);
    QsciScintilla& from = from_right ? *static_cast<QsciScintilla*>(text_) : *left_;
    QsciScintilla& to = from_right ? *left_ : *static_cast<QsciScintilla*>(text_);
    const long first = from.SendScintilla(S::SCI_GETFIRSTVISIBLELINE);
    long row = first;
    const bool in_step = !comparison_.unfinished && left_->SendScintilla(S::SCI_GETALLLINESVISIBLE);
    if (!in_step) {
        const long line = from.SendScintilla(S::SCI_DOCLINEFROMVISIBLE, static_cast<unsigned long>(first));
        row = to.SendScintilla(
            S::SCI_VISIBLEFROMDOCLINE,
            static_cast<unsigned long>(std::max(0, line_beside(comparison_, static_cast<int>(line), from_right))));
    }
    if (to.SendScintilla(S::SCI_GETFIRSTVISIBLELINE) != row)
        to.SendScintilla(S::SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(row));
    place_card();
}

/// Rows are beside each other only where both texts begin at the same height.
void CompareView::align_tops() {
    int height = header_->sizeHint().height();
    if (left_ && left_->isVisible() && isVisible() && left_->window() == window()) {
        const int wanted = left_->mapToGlobal(QPoint(0, 0)).y() - mapToGlobal(QPoint(0, 0)).y();
        if (wanted > 0 && wanted <= kMostHeader) height = std::max(wanted, header_->minimumSizeHint().height());
    }
    header_->setFixedHeight(height);
}

void CompareView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit_title();
    place_card();
    align_tops();
}

bool CompareView::eventFilter(QObject* object, QEvent* event) {
    if (object == left_
        && (event->type() == QEvent::Move || event->type() == QEvent::Resize || event->type() == QEvent::Show))
        align_tops();
    return QWidget::eventFilter(object, event);
}

} // namespace kw::editor
