#include "app/desktop/profile_panes.h"

#include "engine/profile/roofline.h"
#include "profiler_views/metrics/metrics_view.h"
#include "profiler_views/occupancy/occupancy_view.h"
#include "profiler_views/roofline/roofline_view.h"
#include "profiler_views/timeline/evaluation_stages.h"
#include "profiler_views/timeline/timeline_view.h"

namespace kw::desktop {

using namespace profiler_views;

ProfilePanes::ProfilePanes(Docks& docks, Workbench& workbench, QObject* parent)
    : QObject(parent), workbench_(workbench) {
    using Place = Docks::Place;
    timeline_pane_ = docks.add(QStringLiteral("timeline"), tr("Timeline"), Place::bottom, [this] {
        timeline_ = new TimelineView;
        connect(timeline_, &TimelineView::opened, this, &ProfilePanes::trace_opened);
        return timeline_;
    });
    follow(timeline_pane_, &ProfilePanes::show_timeline);
    follow(docks.add(QStringLiteral("metrics"), tr("Metrics"), Place::bottom,
                     [this] {
                         metrics_ = new MetricsView;
                         connect(metrics_, &MetricsView::go_to_requested, this, &ProfilePanes::go_to_requested);
                         return metrics_;
                     }),
           &ProfilePanes::show_metrics);
    follow(docks.add(QStringLiteral("roofline"), tr("Roofline"), Place::bottom,
                     [this] {
                         roofline_ = new RooflineView;
                         connect(roofline_, &RooflineView::step_activated, this, [this](int id) {
                             if (workbench_.profiles().contains(id)) workbench_.select(id);
                         });
                         return roofline_;
                     }),
           &ProfilePanes::show_roofline);
    follow(docks.add(QStringLiteral("occupancy"), tr("Occupancy"), Place::bottom,
                     [this] {
                         occupancy_ = new OccupancyView;
                         return occupancy_;
                     }),
           &ProfilePanes::show_occupancy);
    connect(&workbench_, &Workbench::step_selected, this, &ProfilePanes::step_selected);
    connect(&workbench_, &Workbench::profiles_changed, this, [this] {
        for (auto& each : followed_)
            if (each.show == &ProfilePanes::show_roofline) {
                each.stale = true;
                if (each.pane->in_front()) show_roofline();
            }
    });
    connect(&workbench_, &Workbench::live, this, [this](const profile::LiveUpdate& update) {
        if (!live_) start_live();
        timeline_->append(update);
    });
    // The step was selected a moment ago, when the timeline still showed what was live.
    connect(&workbench_, &Workbench::run_finished, this, [this] {
        if (!std::exchange(live_, false)) return;
        for (auto& each : followed_)
            if (each.show == &ProfilePanes::show_timeline) {
                each.stale = !each.pane->in_front();
                if (!each.stale) show_timeline();
            }
    });
}

void ProfilePanes::follow(Pane* pane, void (ProfilePanes::*show)()) {
    followed_.push_back({pane, show});
    connect(pane, &Pane::came_to_front, this, [this, at = followed_.size() - 1] {
        auto& each = followed_[at];
        if (std::exchange(each.stale, false)) (this->*each.show)();
    });
}

void ProfilePanes::step_selected() {
    trace_ = false;
    for (auto& each : followed_) {
        each.stale = !each.pane->in_front();
        if (!each.stale) (this->*each.show)();
    }
}

std::shared_ptr<const StepRecord> ProfilePanes::profiled() const {
    const auto& selected = workbench_.selected();
    return selected && selected->report ? selected : nullptr;
}

void ProfilePanes::show_metrics() {
    const auto step = profiled();
    if (!step) {
        metrics_->clear();
        return;
    }
    std::map<std::string, std::string> sources(workbench_.files().begin(), workbench_.files().end());
    sources[step->step.file] = step->step.source;
    metrics_->set_sources(std::move(sources));
    // What the step was made from, where that is known too.
    const auto parent = step->step.summary.parent ? workbench_.profiles().find(*step->step.summary.parent)
                                                  : workbench_.profiles().end();
    if (parent == workbench_.profiles().end())
        metrics_->show(*step->report);
    else
        metrics_->show(*step->report, *parent->second, tr("step %1").arg(parent->first));
}

void ProfilePanes::show_roofline() {
    workbench_.read_profiles();
    const auto step = profiled();
    if (step) roofline_->show(*step->report);
    std::vector<RooflineStep> points;
    for (const auto& summary : workbench_.steps()) {
        const auto found = workbench_.profiles().find(summary.id);
        if (found == workbench_.profiles().end()) continue;
        if (!step && points.empty()) roofline_->show(*found->second);
        auto point = RooflineView::step_of(static_cast<int>(summary.id), QString::number(summary.id), *found->second);
        point.wrong = summary.correct == false;
        point.selected = step && step->step.summary.id == summary.id;
        points.push_back(std::move(point));
    }
    if (!step && points.empty()) roofline_->clear();
    // One step alone is its launches.
    roofline_->set_points(points.size() > 1 ? std::move(points) : std::vector<RooflineStep>{});
}

void ProfilePanes::show_occupancy() {
    if (const auto step = profiled())
        occupancy_->show(*step->report);
    else if (device_)
        occupancy_->show_limits(QString::fromStdString(device_->name), profile::sm_limits_of(*device_));
    else
        occupancy_->clear();
}

void ProfilePanes::show_timeline() {
    if (trace_ || live_) return;
    const auto& step = workbench_.selected();
    // Without a profile there are still the stages that the evaluation went through.
    const auto stages = step && step->evaluation ? stages_of(*step->evaluation) : std::vector<timeline::Stage>{};
    if (step && (step->report || !stages.empty()))
        timeline_->show_report(step->report ? *step->report : profile::Report{}, stages);
    else
        timeline_->clear();
}

void ProfilePanes::start_live() {
    live_ = true;
    trace_ = false;
    timeline_pane_->ensure();
    timeline_->start_live();
}

void ProfilePanes::open_trace(const std::filesystem::path& path) {
    trace_ = true;
    timeline_pane_->reveal();
    timeline_->open(path);
}

void ProfilePanes::set_device(const device::Info& info) {
    device_ = info;
    for (auto& each : followed_)
        if (each.show == &ProfilePanes::show_occupancy && !profiled()) {
            each.stale = !each.pane->in_front();
            if (!each.stale) show_occupancy();
        }
}

} // namespace kw::desktop
