#pragma once

#include "engine/profile/report.h"
#include "profiler_views/roofline/roofline_plot.h"

#include <QWidget>

class QLabel;
class QStackedWidget;
class QToolButton;

namespace kw::widgets {
class Plot;
}

namespace kw::profiler_views {

/// How far launches, or the steps of a session, are from what the GPU could do.
class RooflineView : public QWidget {
    Q_OBJECT
public:
    explicit RooflineView(QWidget* parent = nullptr);

    /// A point per launch, under the report's ceilings.
    void show(const profile::Report& report);
    using QWidget::show;
    /// A point per step instead; ceilings stay those of the report shown last. Empty: back to its launches.
    void set_points(std::vector<RooflineStep> steps);
    /// What a step's profile puts on the roofline.
    [[nodiscard]] static RooflineStep step_of(int id, const QString& label, const profile::Report& report);
    void clear();

    [[nodiscard]] widgets::Plot& plot() { return *plot_; }

Q_SIGNALS:
    /// A step's id, or the number of a launch.
    void step_activated(int id);

private:
    void refresh();
    [[nodiscard]] QString missing() const;
    void show_empty(const QString& title, const QString& hint);

    std::optional<profile::Report> report_;
    std::vector<RooflineStep> launches_;
    std::vector<RooflineStep> steps_;
    std::vector<std::vector<int>> step_of_point_;
    std::string memory_ = "dram";

    QStackedWidget* pages_;
    widgets::Plot* plot_;
    QToolButton* dram_;
    QToolButton* l2_;
    QLabel* sentences_;
    QLabel* badge_;
    QLabel* note_;
};

} // namespace kw::profiler_views
