#pragma once

#include "engine/pipeline/evaluation.h"
#include "engine/pipeline/outputs.h"
#include "engine/rpc/outputs_client.h"
#include "profiler_views/correctness/check_model.h"
#include "widgets/answer_poster.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QProgressBar;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;

namespace kw::profiler_views {

class ElementPanel;
class ErrorBars;
class MapCanvas;
class TolerancePanel;

/// Where outputs are wrong and by how much: the checks of an evaluation, an error map of one output, and what is known
/// of an element. Shows what the evaluation kept until a worker has run the check again; then every element.
class CorrectnessView : public QWidget {
    Q_OBJECT
public:
    explicit CorrectnessView(QWidget* parent = nullptr);
    ~CorrectnessView() override;

    void show_nothing();
    /// `can_rerun`: whether rerun_requested will be answered. A run shown before goes.
    void show_evaluation(const pipeline::Evaluation& evaluation, bool can_rerun);

    // The answers to rerun_requested; those to a question that is no longer the last are ignored.
    void show_rerun_progress(const QString& what);
    void show_outputs(const rpc::OutputsRun& run);
    void show_rerun_problem(const QString& problem);
    /// Before what its source asks goes away: the map stays as far as it is kept by the evaluation.
    void forget_outputs();

    /// PNG. Empty when it was written, else one sentence why not.
    [[nodiscard]] QString export_picture(const QString& path) const;
    void copy();

Q_SIGNALS:
    void go_to_requested(const QString& file, int line, int column);
    /// A check is to be run again with its values kept: rpc::outputs_async. Asked when a wrong one is looked at, and by
    /// the button for any other.
    void rerun_requested(const kw::pipeline::OutputsQuery& query);

protected:
    void showEvent(QShowEvent* event) override;

private:
    // correctness_layout.cpp
    [[nodiscard]] QWidget* make_checks();
    [[nodiscard]] QWidget* make_map();
    [[nodiscard]] QWidget* make_side();
    void add_keys();

    // correctness_view.cpp
    void select_first();
    void current_changed();
    void rerun();
    void rerun_if_wanted();
    void show_map();
    void show_notice(const QString& text, bool button);
    void load_histogram();
    void tolerance_changed(const task::Tolerance& tolerance, bool rested);
    void element_selected(quint64 index);
    void describe_selected();
    void find_writers();
    void go_to_next(bool forward);
    void choose_picture();
    [[nodiscard]] const pipeline::Check* current() const;
    /// The output of the run that the current check is about, if it is.
    [[nodiscard]] std::optional<std::size_t> current_tensor() const;

    CheckModel* model_;
    QSortFilterProxyModel* sorted_;
    QStackedWidget* pages_;
    QWidget* empty_;
    QTableView* table_ = nullptr;
    QLabel* summary_ = nullptr;
    MapCanvas* map_ = nullptr;
    QLabel* pointed_ = nullptr;
    QLabel* notice_ = nullptr;
    QPushButton* look_ = nullptr;
    QPushButton* fault_line_ = nullptr;
    QProgressBar* progress_ = nullptr;
    ElementPanel* element_ = nullptr;
    ErrorBars* ulp_bars_ = nullptr;
    ErrorBars* relative_bars_ = nullptr;
    TolerancePanel* tolerance_ = nullptr;

    bool can_rerun_ = false;
    std::optional<device::Fault> fault_;
    std::size_t fault_case_ = 0;                  ///< of the task, that faulted
    std::optional<pipeline::OutputsQuery> asked_; ///< under way, or answered by a problem
    std::optional<rpc::OutputsRun> run_;
    std::optional<verify::ErrorHistogram> histogram_;
    std::optional<verify::Values> selected_value_;
    std::uint64_t map_generation_ = 0; ///< of what is shown
    std::uint64_t selection_generation_ = 0;
    std::uint64_t tolerance_generation_ = 0;
    widgets::AnswerPoster poster_;
};

} // namespace kw::profiler_views
