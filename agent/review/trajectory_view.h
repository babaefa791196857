#pragma once

#include "agent/review/trajectory_plot.h"

#include <QWidget>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QToolButton;

namespace kw::widgets {
class Plot;
}

namespace kw::review {

/// How reward and speed-up went over the steps of a session, what that cost, and what the rewards would be under
/// another rule. A point is clicked to go to its step.
class TrajectoryView : public QWidget {
    Q_OBJECT
public:
    explicit TrajectoryView(QWidget* parent = nullptr);

    /// Facts of some of the steps, in their order: more may come later. Those that are there already are kept.
    void show_steps(const std::vector<trajectory::StepSummary>& steps);
    void add_facts(std::vector<trajectory::ScoreFacts> facts);
    /// Forgets the facts: another session is open.
    void clear();
    void mark_selected(std::optional<trajectory::StepId> id);

    /// The rule that rewards are shown by, none: as they were given.
    [[nodiscard]] std::optional<trajectory::RescoreOptions> what_if() const;
    void show_course(Course course);

    [[nodiscard]] widgets::Plot& plot() { return *plot_; }

Q_SIGNALS:
    void step_chosen(qlonglong id);
    void export_requested();
    /// Another rule, or again the given one: the list of steps shows these rewards.
    void what_if_changed();

private:
    QWidget* make_bar();
    QWidget* make_rule_bar();
    void fill_baselines();
    void rescore();
    void refresh();

    std::vector<trajectory::StepSummary> steps_;
    std::vector<trajectory::ScoreFacts> facts_;
    std::map<trajectory::StepId, StepScore> scores_;
    std::vector<std::vector<trajectory::StepId>> step_of_point_;
    std::optional<trajectory::StepId> selected_;
    Course course_ = Course::speedup;

    QStackedWidget* pages_;
    widgets::Plot* plot_;
    std::vector<QToolButton*> courses_;
    QToolButton* rule_button_;
    QWidget* rule_bar_;
    QDoubleSpinBox* margin_;
    QComboBox* baseline_;
    QLineEdit* atol_;
    QLineEdit* rtol_;
    std::vector<std::pair<double reward::Rule::*, QDoubleSpinBox*>> values_;
    QLabel* verdict_;
};

} // namespace kw::review
