#include "agent/review/steps_view.h"

#include "agent/review/steps_model.h"
#include "widgets/empty_state.h"

#include <QHeaderView>
#include <QScopedValueRollback>
#include <QShortcut>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace kw::review {

StepsView::StepsView(QWidget* parent)
    : QWidget(parent), model_(new StepsModel(this)), table_(new QTableView), pages_(new QStackedWidget) {
    table_->setModel(model_);
    table_->setAccessibleName(tr("Steps"));
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setTabKeyNavigation(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(24);
    table_->verticalHeader()->setMinimumSectionSize(24);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setMinimumSectionSize(28);
    table_->horizontalHeader()->setStretchLastSection(true);
    // Wide enough for the headings, which languages make longer or shorter.
    for (int column = 0; column < StepsModel::kChange; ++column)
        table_->setColumnWidth(column,
                               std::max(28, fontMetrics().horizontalAdvance(
                                                model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString())
                                                + 28));
    pages_->addWidget(new widgets::EmptyState(
        tr("No steps yet"), tr("Each run becomes a step: the text it was made with and everything found out about it. "
                               "Ctrl+R makes the first.")));
    pages_->addWidget(table_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages_);
    setFocusProxy(table_);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (!marking_ && current.isValid()) Q_EMIT step_chosen(current.data(StepsModel::kIdRole).toLongLong());
            });
    // Not activated(), which on some desktops is a single click.
    const auto restore = [this] {
        if (const auto index = table_->currentIndex(); index.isValid())
            Q_EMIT restore_requested(index.data(StepsModel::kIdRole).toLongLong());
    };
    connect(table_, &QTableView::doubleClicked, this, restore);
    connect(new QShortcut(QKeySequence(Qt::Key_Return), table_, nullptr, nullptr, Qt::WidgetShortcut),
            &QShortcut::activated, this, restore);
}

void StepsView::show_steps(const std::vector<trajectory::StepSummary>& steps, std::optional<trajectory::StepId> best) {
    const QScopedValueRollback marking(marking_, true);
    model_->set(steps, best);
    pages_->setCurrentIndex(steps.empty() ? 0 : 1);
}

void StepsView::mark_selected(std::optional<trajectory::StepId> id) {
    const QScopedValueRollback marking(marking_, true);
    const int row = id ? model_->row_of(*id) : -1;
    if (row < 0) {
        table_->clearSelection();
        return;
    }
    table_->setCurrentIndex(model_->index(row, StepsModel::kVerdict));
    table_->scrollTo(model_->index(row, StepsModel::kVerdict));
}

} // namespace kw::review
