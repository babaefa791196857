#include "profiler_views/metrics/cell_model.h"

#include <QApplication>
#include <QFontMetrics>

#include <algorithm>
#include <cmath>

namespace kw::profiler_views {
namespace {

constexpr int kTitleRoom = 26; ///< for padding and the sort indicator

} // namespace

void CellModel::set(std::vector<CellColumn> columns, std::vector<CellRow> rows) {
    beginResetModel();
    columns_ = std::move(columns);
    rows_ = std::move(rows);
    endResetModel();
}

int CellModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int CellModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant CellModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const CellRow& row = rows_[static_cast<std::size_t>(index.row())];
    const Cell& cell = row.cells[static_cast<std::size_t>(index.column())];
    const CellColumn& column = columns_[static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole: return cell.text;
    case Qt::ToolTipRole: return cell.tip.isEmpty() ? QVariant() : cell.tip;
    case Qt::TextAlignmentRole:
        return static_cast<int>((column.numeric ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case kValueRole: return std::isnan(cell.value) ? QVariant() : cell.value;
    case kIdRole: return row.id;
    case kBarRole: return cell.bar;
    case kBarColorRole: return cell.color;
    case kToneRole: return static_cast<int>(cell.tone);
    case kFileRole: return row.file;
    case kLineRole: return row.line;
    default: return {};
    }
}

QVariant CellModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const CellColumn& column = columns_[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) return column.title;
    if (role == Qt::ToolTipRole) return column.tip.isEmpty() ? QVariant() : column.tip;
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((column.numeric ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::SizeHintRole) {
        // A view measures titles in its own font, while the style sheet draws them bolder.
        QFont font = QApplication::font();
        font.setWeight(QFont::DemiBold);
        const QFontMetrics metrics(font);
        return QSize(metrics.horizontalAdvance(column.title) + kTitleRoom, metrics.height() + 10);
    }
    return {};
}

CellFilter::CellFilter(QObject* parent) : QSortFilterProxyModel(parent) { setDynamicSortFilter(true); }

void CellFilter::set_text(const QString& text) {
    words_ = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

bool CellFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (words_.isEmpty()) return true;
    QString all = sourceModel()->index(row, 0, parent).data(CellModel::kIdRole).toString();
    for (int column = 0; column < sourceModel()->columnCount(parent); ++column)
        all += QLatin1Char('\n') % sourceModel()->index(row, column, parent).data().toString();
    return std::ranges::all_of(words_, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

bool CellFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(CellModel::kValueRole), b = right.data(CellModel::kValueRole);
    if (a.isValid() != b.isValid()) return b.isValid(); // what is not known comes first when ascending
    if (a.isValid()) return a.toDouble() < b.toDouble();
    return QString::localeAwareCompare(left.data().toString(), right.data().toString()) < 0;
}

} // namespace kw::profiler_views
