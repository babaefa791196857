#pragma once

#include "app/desktop/docks.h"
#include "app/desktop/workbench.h"

#include <QObject>

#include <map>
#include <memory>

namespace kw::profiler_views {
class MetricsView;
class OccupancyView;
class RooflineView;
class TimelineView;
} // namespace kw::profiler_views

namespace kw::desktop {

/// The panes about how fast and why: metrics, roofline, occupancy, timeline. They follow the selected step, each once
/// it is looked at.
class ProfilePanes : public QObject {
    Q_OBJECT
public:
    ProfilePanes(Docks& docks, Workbench& workbench, QObject* parent);

    /// Shows a trace file in the timeline instead of the step's.
    void open_trace(const std::filesystem::path& path);
    /// The device that is chosen, for the occupancy of nothing in particular.
    void set_device(const device::Info& info);
    [[nodiscard]] Pane* timeline_pane() const { return timeline_pane_; }

Q_SIGNALS:
    void go_to_requested(const QString& file, int line, int column);
    void trace_opened(bool ok, const QString& problem);

private:
    /// What a pane shows may be of an earlier step until it is looked at.
    struct Followed {
        Pane* pane = nullptr;
        void (ProfilePanes::*show)() = nullptr;
        bool stale = true;
    };

    void follow(Pane* pane, void (ProfilePanes::*show)());
    void step_selected();
    void show_metrics();
    void show_roofline();
    void show_occupancy();
    void show_timeline();
    void start_live();
    [[nodiscard]] std::shared_ptr<const StepRecord> profiled() const;

    Workbench& workbench_;
    std::vector<Followed> followed_;
    std::optional<device::Info> device_;
    bool live_ = false;  ///< the timeline fills
    bool trace_ = false; ///< the timeline shows a file

    Pane* timeline_pane_;
    profiler_views::MetricsView* metrics_ = nullptr;
    profiler_views::RooflineView* roofline_ = nullptr;
    profiler_views::OccupancyView* occupancy_ = nullptr;
    profiler_views::TimelineView* timeline_ = nullptr;
};

} // namespace kw::desktop
