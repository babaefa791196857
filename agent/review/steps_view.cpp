#include "agent/review/steps_view.h"

#include "agent/review/steps_model.h"
#include "widgets/empty_state.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QShortcut>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace kw::review {
namespace {

static_assert(StepsModel::kColumns <= 16);

/// What goes first when there is no room for all columns, and what is never hidden for that.
constexpr int kHiddenFirst[] = {StepsModel::kTook, StepsModel::kTokens, StepsModel::kReward, StepsModel::kNumber};
/// Room in which a title can be told from another, in widths of a letter.
constexpr int kTitleLetters = 18;
/// Of branches whose marks are given room; beyond them the change would have none.
constexpr int kMostLevels = 6;

} // namespace

StepsView::StepsView(QWidget* parent)
    : QWidget(parent),
      model_(new StepsModel(this)),
      filter_(new StepsFilter(this)),
      tree_(new QTreeView),
      bar_(new QWidget),
      words_(new QLineEdit),
      by_branch_(new QToolButton),
      pages_(new QStackedWidget) {
    setObjectName(QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    filter_->setSourceModel(model_);
    build_tree();
    build_header_menu();
    words_->setPlaceholderText(tr("Filter: words, wrong, best, suspicious…"));
    words_->setAccessibleName(tr("Filter steps"));
    words_->setClearButtonEnabled(true);
    connect(words_, &QLineEdit::textChanged, this, [this](const QString& text) {
        const QScopedValueRollback marking(marking_, true);
        filter_->set_words(text);
        apply_expansion();
    });
    connect(new QShortcut(QKeySequence(Qt::Key_Escape), words_, nullptr, nullptr, Qt::WidgetShortcut),
            &QShortcut::activated, this, [this] {
                words_->clear();
                tree_->setFocus();
            });
    by_branch_->setText(tr("Branches"));
    by_branch_->setToolTip(tr("Steps that were made from an earlier one below it, instead of all in one list"));
    by_branch_->setAccessibleName(tr("Show branches"));
    by_branch_->setCheckable(true);
    connect(by_branch_, &QToolButton::clicked, this, [this](bool checked) {
        wants_branches_ = checked;
        show_by_branch(checked);
    });
    bar_->setObjectName(QStringLiteral("paneHeader"));
    bar_->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(bar_);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(4);
    row->addWidget(words_, 1);
    row->addWidget(by_branch_);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar_);
    column->addWidget(tree_, 1);
    pages_->addWidget(new widgets::EmptyState(
        tr("No steps yet"), tr("Each run becomes a step: the text it was made with and everything found out about it. "
                               "Ctrl+R makes the first.")));
    pages_->addWidget(content);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages_);
    setFocusProxy(tree_);
}

void StepsView::build_tree() {
    tree_->setModel(filter_);
    tree_->setAccessibleName(tr("Steps"));
    tree_->setSelectionBehavior(QAbstractItemView::SelectRows);
    tree_->setSelectionMode(QAbstractItemView::SingleSelection);
    tree_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    tree_->setUniformRowHeights(true); // or each of thousands would be measured
    tree_->setAllColumnsShowFocus(true);
    tree_->setRootIsDecorated(false);
    tree_->setExpandsOnDoubleClick(false);
    tree_->setFrameShape(QFrame::NoFrame);
    tree_->setIndentation(14);
    tree_->setTabKeyNavigation(false);
    auto* header = tree_->header();
    header->setHighlightSections(false);
    header->setMinimumSectionSize(24);
    header->setStretchLastSection(false);
    header->setSectionsMovable(false);
    header->setSectionResizeMode(StepsModel::kChange, QHeaderView::Stretch);
    // A third click brings the order of the session back.
    header->setSortIndicatorClearable(true);
    tree_->setSortingEnabled(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    connect(tree_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
        if (!marking_ && current.isValid()) Q_EMIT step_chosen(current.data(StepsModel::kIdRole).toLongLong());
    });
    const auto note = [this](const QModelIndex& index, bool collapsed) {
        if (expanding_) return;
        const auto id = index.data(StepsModel::kIdRole).toLongLong();
        if (collapsed)
            collapsed_.insert(id);
        else
            collapsed_.erase(id);
    };
    connect(tree_, &QTreeView::collapsed, this, [note](const QModelIndex& index) { note(index, true); });
    connect(tree_, &QTreeView::expanded, this, [note](const QModelIndex& index) { note(index, false); });
    // Not activated(), which on some desktops is a single click.
    const auto restore = [this] {
        if (const auto index = tree_->currentIndex(); index.isValid())
            Q_EMIT restore_requested(index.data(StepsModel::kIdRole).toLongLong());
    };
    connect(tree_, &QTreeView::doubleClicked, this, restore);
    connect(new QShortcut(QKeySequence(Qt::Key_Return), tree_, nullptr, nullptr, Qt::WidgetShortcut),
            &QShortcut::activated, this, restore);
}

void StepsView::build_header_menu() {
    auto* header = tree_->header();
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QWidget::customContextMenuRequested, this, [this, header](const QPoint& at) {
        QMenu menu;
        for (int column = StepsModel::kNumber; column < StepsModel::kColumns; ++column) {
            if (column == StepsModel::kChange) continue;
            auto* action = menu.addAction(model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
            action->setCheckable(true);
            action->setChecked(!header->isSectionHidden(column));
            connect(action, &QAction::toggled, this, [this, column](bool shown) {
                wants_column_[static_cast<std::size_t>(column)] = shown;
                fit_columns();
            });
        }
        menu.exec(header->mapToGlobal(at));
    });
}

int StepsView::width_of(int column) const {
    const auto letters = [this](const QString& text) { return tree_->fontMetrics().horizontalAdvance(text); };
    constexpr int kArrow = 12, kBolder = 6;
    constexpr int kPadding = 8; // of the style sheet's items, left and right
    // As the style lays an item's text out, which elides it where a pixel is lacking.
    const int room = 2 * (kPadding + tree_->style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, tree_) + 1);
    const int heading =
        letters(model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()) + room + kBolder;
    switch (column) {
    case StepsModel::kVerdict: {
        const QString findings = model_->most_findings() > 0
                                     ? QString(QStringLiteral("⚠") % QString::number(model_->most_findings()))
                                     : QString();
        int widest = 0;
        for (const auto* mark : {u"★", u"●", u"✗"})
            widest = std::max(widest, letters(QString::fromUtf16(mark) % findings));
        const int levels = tree_->rootIsDecorated() ? 1 + std::min(model_->depth(), kMostLevels) : 0;
        return widest + room + levels * tree_->indentation();
    }
    case StepsModel::kNumber: {
        const auto last = model_->steps().empty() ? 0 : model_->steps().back().id;
        return std::max(
            heading, letters(QString::number(last) % (model_->by_branch() ? QStringLiteral("↳ ") : QString())) + room);
    }
    case StepsModel::kSpeedup: return std::max(heading, letters(QStringLiteral("00.0×")) + room);
    case StepsModel::kTokens: return std::max(heading + kArrow, letters(QStringLiteral("000 k")) + room);
    case StepsModel::kTook: return std::max(heading + kArrow, letters(QStringLiteral("00.0 ms")) + room);
    default: return heading + kArrow;
    }
}

void StepsView::fit_columns() {
    std::array<bool, StepsModel::kColumns> shown{};
    int needed = tree_->fontMetrics().averageCharWidth() * kTitleLetters;
    for (int column = 0; column < StepsModel::kColumns; ++column) {
        const auto& wanted = wants_column_[static_cast<std::size_t>(column)];
        const bool any = column != StepsModel::kTokens || model_->has_tokens();
        shown[static_cast<std::size_t>(column)] = wanted.value_or(any);
        if (column != StepsModel::kChange && shown[static_cast<std::size_t>(column)]) needed += width_of(column);
    }
    const int room = width() - tree_->verticalScrollBar()->sizeHint().width();
    for (const int column : kHiddenFirst) {
        if (needed <= room) break;
        auto& is_shown = shown[static_cast<std::size_t>(column)];
        if (!is_shown || wants_column_[static_cast<std::size_t>(column)]) continue;
        is_shown = false;
        needed -= width_of(column);
    }
    for (int column = 0; column < StepsModel::kColumns; ++column) {
        tree_->setColumnHidden(column, !shown[static_cast<std::size_t>(column)]);
        if (column != StepsModel::kChange && shown[static_cast<std::size_t>(column)])
            tree_->setColumnWidth(column, width_of(column));
    }
    // In a very narrow pane the change gives half of its room to the marks of deep branches, and no more.
    const int lacking = needed - room - tree_->fontMetrics().averageCharWidth() * kTitleLetters / 2;
    if (lacking > 0 && tree_->rootIsDecorated()) {
        const int deeper = std::min(model_->depth(), kMostLevels) * tree_->indentation();
        tree_->setColumnWidth(StepsModel::kVerdict, width_of(StepsModel::kVerdict) - std::min(lacking, deeper));
    }
}

void StepsView::apply_expansion() {
    const QScopedValueRollback expanding(expanding_, true);
    bool any = false;
    for (const auto& index : model_->parents()) {
        any = true;
        tree_->setExpanded(filter_->mapFromSource(index),
                           !collapsed_.contains(index.data(StepsModel::kIdRole).toLongLong()));
    }
    tree_->setRootIsDecorated(any);
}

void StepsView::show_by_branch(bool by_branch) {
    const auto current = tree_->currentIndex();
    const auto id = current.isValid()
                        ? std::optional<trajectory::StepId>{current.data(StepsModel::kIdRole).toLongLong()}
                        : std::nullopt;
    by_branch_->setChecked(by_branch);
    {
        const QScopedValueRollback marking(marking_, true);
        model_->set_by_branch(by_branch);
        apply_expansion();
    }
    fit_columns();
    mark_selected(id);
}

void StepsView::show_steps(const std::vector<trajectory::StepSummary>& steps, std::optional<trajectory::StepId> best) {
    const bool other =
        steps.empty() || model_->steps().empty() || steps.front().started_ms != model_->steps().front().started_ms;
    {
        const QScopedValueRollback marking(marking_, true);
        if (other) collapsed_.clear();
        model_->set(steps, best);
        apply_expansion();
    }
    by_branch_->setVisible(model_->branched());
    if (const bool wanted = model_->branched() && wants_branches_.value_or(true); wanted != model_->by_branch())
        show_by_branch(wanted);
    pages_->setCurrentIndex(steps.empty() ? 0 : 1);
    fit_columns();
}

void StepsView::mark_selected(std::optional<trajectory::StepId> id) {
    const QScopedValueRollback marking(marking_, true);
    const auto index = id ? filter_->mapFromSource(model_->index_of(*id)) : QModelIndex();
    if (!index.isValid()) {
        tree_->selectionModel()->clear();
        return;
    }
    if (tree_->currentIndex().siblingAtColumn(0) == index && tree_->selectionModel()->hasSelection()) return;
    tree_->setCurrentIndex(index);
    tree_->scrollTo(index);
}

void StepsView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit_columns();
}

void StepsView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) fit_columns();
}

} // namespace kw::review
