#pragma once

#include "engine/pipeline/evaluation.h"
#include "profiler_views/verdict/verdict_text.h"

#include <QWidget>

#include <optional>
#include <vector>

class QProgressBar;
class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace kw::profiler_views {

/// One look at an evaluation: right or wrong, how fast against what, with which certainty, and what it is worth.
class VerdictView : public QWidget {
    Q_OBJECT
public:
    explicit VerdictView(QWidget* parent = nullptr);

    void show_evaluation(const pipeline::Evaluation& evaluation);
    /// One that is about another text than the editor's.
    void show_outdated(const pipeline::Evaluation& evaluation);
    /// Work begins: what had failed is no longer shown, what was right stays until there is another verdict.
    void show_start();
    /// Work is under way. `fraction` negative: unknown.
    void show_progress(const QString& what, double fraction);
    void show_idle();
    /// Back to "not run yet".
    void reset();
    /// An error of the task or the environment, with its remedy.
    void show_error(const QString& headline, const QString& message);
    /// The text was edited since the evaluation shown.
    void mark_outdated();

Q_SIGNALS:
    void go_to_requested(const QString& file, int line, int column);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void rebuild();
    /// Figures stand in one line each where there is room for that.
    void fit_cells();
    /// Puts other texts into the labels that are there, where no more and no others are needed: from step to step
    /// little else changes, and labels are slow to make. False where that does not do.
    [[nodiscard]] bool refill();
    QLabel* text_label(const QString& text, const char* property = nullptr, const QString& value = {});
    void add_rows(const QString& title, const std::vector<VerdictText::Row>& rows);

    std::optional<VerdictText> text_;
    bool outdated_ = false;
    bool running_ = false;
    QString form_; ///< what labels_ were made for
    std::vector<QLabel*> labels_{};
    std::vector<QLabel*> cells_{}; ///< those of tables
    QProgressBar* progress_;
    QLabel* activity_;
    QScrollArea* scroll_;
    QVBoxLayout* content_ = nullptr;
};

} // namespace kw::profiler_views
