#include "profiler_views/metrics/cell_table.h"

#include "profiler_views/metrics/cell_delegate.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHeaderView>
#include <QMenu>
#include <QScrollBar>
#include <QSettings>
#include <QShortcut>

#include <algorithm>

namespace kw::profiler_views {
namespace {

constexpr int kMostFittedWidth = 340;

} // namespace

CellTable::CellTable(const QString& accessible_name, const QString& settings_key, QWidget* parent)
    : QTableView(parent), model_(new CellModel(this)), filter_(new CellFilter(this)), settings_key_(settings_key) {
    filter_->setSourceModel(model_);
    setModel(filter_);
    setItemDelegate(new CellDelegate(this));
    setAccessibleName(accessible_name);
    setShowGrid(false);
    setWordWrap(false);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setFrameShape(QFrame::NoFrame);
    setTabKeyNavigation(false);
    setMouseTracking(true);
    verticalHeader()->hide();
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setMinimumSectionSize(48);
    horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
    apply_row_height();
    set_sortable(true);
    connect(horizontalHeader(), &QHeaderView::customContextMenuRequested, this, &CellTable::ask_columns);
    connect(selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this] { Q_EMIT current_id_changed(current_id()); });
    connect(this, &QTableView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT row_activated(index.data(CellModel::kIdRole).toString(), index.data(CellModel::kFileRole).toString(),
                             index.data(CellModel::kLineRole).toInt());
    });
    auto* copies = new QShortcut(QKeySequence::Copy, this);
    copies->setContext(Qt::WidgetWithChildrenShortcut);
    connect(copies, &QShortcut::activated, this, &CellTable::copy);
}

void CellTable::apply_row_height() {
    const int height = std::max(22, fontMetrics().height() + 6);
    verticalHeader()->setMinimumSectionSize(height);
    verticalHeader()->setDefaultSectionSize(height);
}

void CellTable::changeEvent(QEvent* event) {
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) apply_row_height();
}

void CellTable::set_sortable(bool sortable) {
    setSortingEnabled(sortable);
    if (!sortable) filter_->sort(-1);
    // Until someone asks for another, the order is that of the rows.
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    horizontalHeader()->setSortIndicatorShown(sortable);
}

void CellTable::set_whole(bool whole) {
    whole_ = whole;
    setVerticalScrollBarPolicy(whole ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
    setHorizontalScrollBarPolicy(whole ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
    setSizePolicy(QSizePolicy::Expanding, whole ? QSizePolicy::Fixed : QSizePolicy::Expanding);
    updateGeometry();
}

void CellTable::set(std::vector<CellColumn> columns, std::vector<CellRow> rows) {
    const QString id = current_id();
    const int scroll = verticalScrollBar()->value();
    QStringList ids;
    for (const auto& column : columns) ids << column.id;
    const bool same = ids == shown_ids_;
    model_->set(std::move(columns), std::move(rows));
    if (!same) {
        shown_ids_ = ids;
        horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
        apply_columns();
    }
    if (!id.isEmpty()) select_id(id);
    verticalScrollBar()->setValue(scroll);
    updateGeometry();
}

void CellTable::apply_columns() {
    QSettings settings;
    for (int c = 0; c < model_->columnCount(); ++c) {
        const CellColumn& column = model_->columns()[static_cast<std::size_t>(c)];
        const bool shown =
            settings_key_.isEmpty()
                ? column.shown
                : settings.value(QStringLiteral("columns/%1/%2").arg(settings_key_, column.id), column.shown).toBool();
        setColumnHidden(c, !shown);
    }
    resizeColumnsToContents();
    for (int c = 0; c < model_->columnCount(); ++c) setColumnWidth(c, std::min(columnWidth(c), kMostFittedWidth));
}

void CellTable::set_filter(const QString& text) { filter_->set_text(text); }

QString CellTable::current_id() const { return currentIndex().data(CellModel::kIdRole).toString(); }

void CellTable::select_id(const QString& id) {
    for (int row = 0; row < filter_->rowCount(); ++row)
        if (filter_->index(row, 0).data(CellModel::kIdRole).toString() == id) {
            int column = 0;
            while (column + 1 < filter_->columnCount() && isColumnHidden(column)) ++column;
            setCurrentIndex(filter_->index(row, column));
            return;
        }
}

QString CellTable::tsv() const {
    std::vector<int> rows;
    for (const auto& index : selectionModel()->selectedRows()) rows.push_back(index.row());
    std::ranges::sort(rows);
    if (rows.size() <= 1) {
        rows.resize(static_cast<std::size_t>(filter_->rowCount()));
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int>(i);
    }
    QString text;
    const auto clean = [](QString cell) {
        return cell.replace(QLatin1Char('\t'), QLatin1Char(' ')).replace(QLatin1Char('\n'), QLatin1Char(' '));
    };
    const auto line = [&](auto&& cell_of) {
        QStringList cells;
        for (int c = 0; c < filter_->columnCount(); ++c)
            if (!isColumnHidden(c)) cells << clean(cell_of(c));
        text += cells.join(QLatin1Char('\t')) % QLatin1Char('\n');
    };
    line([&](int c) {
        const CellColumn& column = model_->columns()[static_cast<std::size_t>(c)];
        return column.unit.isEmpty() ? column.title : QString(column.title % QLatin1Char(' ') % column.unit);
    });
    for (const int row : rows)
        line([&](int c) {
            const QModelIndex index = filter_->index(row, c);
            const QVariant value = index.data(CellModel::kValueRole);
            return value.isValid() ? QString::number(value.toDouble(), 'g', 15) : index.data().toString();
        });
    return text;
}

void CellTable::copy() const { QApplication::clipboard()->setText(tsv()); }

int CellTable::column_of(const QString& id) const {
    const auto at = std::ranges::find(model_->columns(), id, &CellColumn::id);
    return at == model_->columns().end() ? -1 : static_cast<int>(at - model_->columns().begin());
}

bool CellTable::is_column_shown(const QString& id) const {
    const int column = column_of(id);
    return column >= 0 && !isColumnHidden(column);
}

void CellTable::show_column(const QString& id, bool shown) {
    const int column = column_of(id);
    if (column < 0) return;
    setColumnHidden(column, !shown);
    if (shown) resizeColumnToContents(column);
    if (!settings_key_.isEmpty()) QSettings().setValue(QStringLiteral("columns/%1/%2").arg(settings_key_, id), shown);
}

void CellTable::ask_columns(const QPoint& at) {
    QMenu menu(this);
    for (int c = 0; c < model_->columnCount(); ++c) {
        const CellColumn& column = model_->columns()[static_cast<std::size_t>(c)];
        auto* action = menu.addAction(column.title);
        action->setCheckable(true);
        action->setChecked(!isColumnHidden(c));
        action->setEnabled(c > 0); // one always stays
        connect(action, &QAction::toggled, this, [this, id = column.id](bool shown) { show_column(id, shown); });
    }
    menu.addSeparator();
    menu.addAction(tr("Copy as table"), QKeySequence(QKeySequence::Copy), this, &CellTable::copy);
    menu.exec(horizontalHeader()->mapToGlobal(at));
}

QSize CellTable::sizeHint() const {
    if (!whole_) return QTableView::sizeHint();
    const int header = horizontalHeader()->isHidden() ? 0 : horizontalHeader()->sizeHint().height();
    return {horizontalHeader()->length(), header + verticalHeader()->length()};
}

QSize CellTable::minimumSizeHint() const {
    return whole_ ? QSize(120, sizeHint().height()) : QTableView::minimumSizeHint();
}

} // namespace kw::profiler_views
