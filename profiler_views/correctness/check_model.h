#pragma once

#include "engine/pipeline/evaluation.h"

#include <QAbstractTableModel>

#include <vector>

namespace kw::profiler_views {

/// The checks of an evaluation, those that failed first.
class CheckModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { state, tensor, sizes, wrong, worst, ulp, seed, column_count };
    static constexpr int kSortRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;
    void set_checks(std::vector<pipeline::Check> checks);
    [[nodiscard]] const pipeline::Check& check(int row) const { return checks_[static_cast<std::size_t>(row)]; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<pipeline::Check> checks_;
};

/// "rows 64, cols 1024"
[[nodiscard]] QString sizes_text(const task::Sizes& sizes);

} // namespace kw::profiler_views
