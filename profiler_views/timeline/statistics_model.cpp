#include "profiler_views/timeline/statistics_model.h"

#include "profiler_views/timeline/time_text.h"

#include <algorithm>

namespace kw::profiler_views {
namespace {

double mean(const timeline::NameStatistics& s) { return static_cast<double>(s.total) / static_cast<double>(s.count); }

QString text_of(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

} // namespace

void StatisticsModel::set(std::shared_ptr<const timeline::Store> store, timeline::Statistics statistics) {
    beginResetModel();
    store_ = std::move(store);
    statistics_ = std::move(statistics);
    apply_order();
    endResetModel();
}

int StatisticsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(statistics_.names.size());
}

int StatisticsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QVariant StatisticsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const auto& row = statistics_.names[static_cast<std::size_t>(index.row())];
    if (role == kEventRole) return row.longest;
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((index.column() == kName ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    const bool exact = role == Qt::ToolTipRole;
    if (role != Qt::DisplayRole && !exact) return {};
    const auto time = [&](std::int64_t ns) { return exact ? exact_text(ns) : duration_text(ns); };
    switch (index.column()) {
    case kName: {
        const QString name = text_of(store_->names()[row.name]);
        return name.isEmpty() ? tr("(no name)") : name;
    }
    case kCount: return QString::number(row.count);
    case kTotal: return time(row.total);
    case kMean: return time(static_cast<std::int64_t>(mean(row)));
    case kLeast: return time(row.least);
    case kMost: return time(row.most);
    default: return {};
    }
}

QVariant StatisticsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == kName ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case kName: return tr("Name");
    case kCount: return tr("Count");
    case kTotal: return tr("Total");
    case kMean: return tr("Mean");
    case kLeast: return tr("Min");
    case kMost: return tr("Max");
    default: return {};
    }
}

void StatisticsModel::apply_order() {
    const auto less = [&](const timeline::NameStatistics& a, const timeline::NameStatistics& b) {
        switch (column_) {
        case kName: return store_->names()[a.name] < store_->names()[b.name];
        case kCount: return a.count < b.count;
        case kMean: return mean(a) < mean(b);
        case kLeast: return a.least < b.least;
        case kMost: return a.most < b.most;
        default: return a.total < b.total;
        }
    };
    if (order_ == Qt::AscendingOrder)
        std::ranges::stable_sort(statistics_.names, less);
    else
        std::ranges::stable_sort(statistics_.names, [&](const auto& a, const auto& b) { return less(b, a); });
}

void StatisticsModel::sort(int column, Qt::SortOrder order) {
    if (column < 0 || column >= kColumns) return;
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    std::vector<std::uint32_t> names;
    for (const QModelIndex& index : before)
        names.push_back(statistics_.names[static_cast<std::size_t>(index.row())].name);
    column_ = column;
    order_ = order;
    apply_order();
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i) {
        const auto found =
            std::ranges::find(statistics_.names, names[static_cast<std::size_t>(i)], &timeline::NameStatistics::name);
        after << index(static_cast<int>(found - statistics_.names.begin()), before[i].column());
    }
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
}

QString StatisticsModel::tsv(const std::vector<int>& rows) const {
    QString text = tr("Name\tCount\tTotal ns\tMean ns\tLeast ns\tMost ns\n");
    const auto add = [&](const timeline::NameStatistics& row) {
        QString name = text_of(store_->names()[row.name]);
        name.replace(QLatin1Char('\t'), QLatin1Char(' ')).replace(QLatin1Char('\n'), QLatin1Char(' '));
        text += name;
        for (const auto value : {static_cast<std::int64_t>(row.count), row.total, static_cast<std::int64_t>(mean(row)),
                                 row.least, row.most})
            text += QLatin1Char('\t') % QString::number(value);
        text += QLatin1Char('\n');
    };
    if (rows.empty())
        for (const auto& row : statistics_.names) add(row);
    else
        for (const int row : rows) add(statistics_.names[static_cast<std::size_t>(row)]);
    return text;
}

} // namespace kw::profiler_views
