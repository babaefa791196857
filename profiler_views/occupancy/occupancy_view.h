#pragma once

#include "engine/profile/report.h"
#include "profiler_views/occupancy/occupancy_plots.h"

#include <QWidget>

#include <array>
#include <optional>

class QComboBox;
class QGridLayout;
class QLabel;
class QSlider;
class QSpinBox;
class QStackedWidget;
class QToolButton;

namespace kw::widgets {
class Plot;
}

namespace kw::profiler_views {

/// How many warps an SM holds of a launch, what limits them, and what would be with other numbers.
class OccupancyView : public QWidget {
    Q_OBJECT
public:
    explicit OccupancyView(QWidget* parent = nullptr);

    void show(const profile::Report& report, int launch = 0);
    using QWidget::show;
    void show_launch(int launch);
    /// Without a launch: the calculator alone.
    void show_limits(const QString& gpu, const device::SmLimits& limits);
    void clear();

    [[nodiscard]] const OccupancyDemand& demand() const { return demand_; }
    void set_demand(const OccupancyDemand& demand);
    /// Back to the launch's own numbers.
    void reset();

Q_SIGNALS:
    void demand_changed();

private:
    struct Control {
        QSlider* slider;
        QSpinBox* box;
    };
    QWidget* build_controls();
    QWidget* build_result();
    Control add_control(QGridLayout* grid, int row, const QString& name, int low, int high, int step,
                        std::uint32_t OccupancyDemand::* member);
    void refresh();

    std::optional<profile::Report> report_;
    int launch_ = 0;
    device::SmLimits limits_;
    OccupancyDemand demand_;
    OccupancyDemand launched_;
    bool setting_ = false;

    QStackedWidget* pages_;
    QComboBox* launches_;
    QLabel* gpu_;
    std::array<Control, 4> controls_{};
    QToolButton* reset_;
    QLabel* figure_;
    QLabel* warps_;
    QLabel* sentence_;
    QLabel* achieved_;
    std::array<QLabel*, std::size(device::kLimiters)> allowed_{};
    std::array<QLabel*, std::size(device::kLimiters)> names_{};
    std::array<widgets::Plot*, 3> plots_{};
};

} // namespace kw::profiler_views
