#pragma once

#include "agent/trajectory/step.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

class QTableWidget;

namespace kw::review {

/// The last step that two have in common, themselves included; none in different trees. `steps` in order of writing.
[[nodiscard]] std::optional<trajectory::StepId> common_step(const std::vector<trajectory::StepSummary>& steps,
                                                            trajectory::StepId a, trajectory::StepId b);

/// Two steps beside each other, and what the way to each has taken since their last common step.
struct BranchRow {
    QString what;
    QString left;
    QString right;
    int better = 0; ///< -1 the left one, 1 the right one, 0 neither or not comparable
};
/// Empty where one of them is not among the steps.
[[nodiscard]] std::vector<BranchRow> compare_branches(const std::vector<trajectory::StepSummary>& steps,
                                                      trajectory::StepId a, trajectory::StepId b);

/// Shows them as a table.
class BranchTable : public QWidget {
    Q_OBJECT
public:
    explicit BranchTable(QWidget* parent = nullptr);
    void show_branches(const std::vector<trajectory::StepSummary>& steps, trajectory::StepId a, trajectory::StepId b);

private:
    QTableWidget* table_;
};

} // namespace kw::review
