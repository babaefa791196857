#pragma once

#include "agent/trajectory/step.h"

#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace kw::review {

/// One row per step, in the order of writing. A snapshot.
class StepsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { kVerdict, kNumber, kReward, kSpeedup, kChange, kColumns };
    /// The row's trajectory::StepId, as qlonglong.
    static constexpr int kIdRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;
    /// A list that the present one is the beginning of only grows; any other takes its place.
    void set(const std::vector<trajectory::StepSummary>& steps, std::optional<trajectory::StepId> best);
    [[nodiscard]] const std::vector<trajectory::StepSummary>& steps() const { return steps_; }
    /// -1 where there is no such step.
    [[nodiscard]] int row_of(trajectory::StepId id) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString text(const trajectory::StepSummary& step, int column) const;

    std::vector<trajectory::StepSummary> steps_;
    std::optional<trajectory::StepId> best_;
};

} // namespace kw::review
