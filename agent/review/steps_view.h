#pragma once

#include "agent/trajectory/step.h"

#include <QWidget>

#include <array>
#include <optional>
#include <set>
#include <vector>

class QLineEdit;
class QStackedWidget;
class QToolButton;
class QTreeView;

namespace kw::review {

class StepsFilter;
class StepsModel;

/// The steps of a session, as a list or, where they branch, as a tree. What is chosen here is what the whole window
/// shows.
class StepsView : public QWidget {
    Q_OBJECT
public:
    explicit StepsView(QWidget* parent = nullptr);

    void show_steps(const std::vector<trajectory::StepSummary>& steps, std::optional<trajectory::StepId> best);
    /// Marks a step as the one looked at, without asking for it.
    void mark_selected(std::optional<trajectory::StepId> id);
    [[nodiscard]] StepsModel& model() { return *model_; }
    [[nodiscard]] QTreeView& tree() { return *tree_; }

Q_SIGNALS:
    void step_chosen(qlonglong id);
    /// Somebody wants to go on from the text of a step.
    void restore_requested(qlonglong id);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void build_tree();
    void build_header_menu();
    /// What has been collapsed stays so when rows come or go.
    void apply_expansion();
    /// The least important columns go where there is no room for all.
    void fit_columns();
    void show_by_branch(bool by_branch);
    [[nodiscard]] int width_of(int column) const;

    StepsModel* model_;
    StepsFilter* filter_;
    QTreeView* tree_;
    QWidget* bar_;
    QLineEdit* words_;
    QToolButton* by_branch_;
    QStackedWidget* pages_;
    std::set<trajectory::StepId> collapsed_;
    std::optional<bool> wants_branches_; ///< as the user has said
    std::array<std::optional<bool>, 16> wants_column_{};
    bool marking_ = false;
    bool expanding_ = false;
};

} // namespace kw::review
