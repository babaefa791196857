#pragma once

#include "engine/timeline/query.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace kw::profiler_views {

/// One row per name: how often, how long. A snapshot, sorted by whatever column is asked for.
class StatisticsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { kName, kCount, kTotal, kMean, kLeast, kMost, kColumns };
    /// For the longest event of a row.
    static constexpr int kEventRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;
    void set(std::shared_ptr<const timeline::Store> store, timeline::Statistics statistics);
    void clear() { set({}, {}); }
    [[nodiscard]] const timeline::Statistics& statistics() const { return statistics_; }
    /// Rows as lines of tab-separated values with a heading, times in ns; all rows when `rows` is empty.
    [[nodiscard]] QString tsv(const std::vector<int>& rows) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    void apply_order();

    std::shared_ptr<const timeline::Store> store_;
    timeline::Statistics statistics_;
    int column_ = kTotal;
    Qt::SortOrder order_ = Qt::DescendingOrder;
};

} // namespace kw::profiler_views
