#pragma once

#include "agent/trajectory/step.h"

#include <QWidget>

#include <optional>
#include <vector>

class QStackedWidget;
class QTableView;

namespace kw::review {

class StepsModel;

/// The steps of a session as a list. What is chosen here is what the whole window shows.
class StepsView : public QWidget {
    Q_OBJECT
public:
    explicit StepsView(QWidget* parent = nullptr);

    void show_steps(const std::vector<trajectory::StepSummary>& steps, std::optional<trajectory::StepId> best);
    /// Marks a step as the one looked at, without asking for it.
    void mark_selected(std::optional<trajectory::StepId> id);

Q_SIGNALS:
    void step_chosen(qlonglong id);
    /// Somebody wants to go on from the text of a step.
    void restore_requested(qlonglong id);

private:
    StepsModel* model_;
    QTableView* table_;
    QStackedWidget* pages_;
    bool marking_ = false;
};

} // namespace kw::review
