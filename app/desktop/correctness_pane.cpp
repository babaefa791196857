#include "app/desktop/correctness_pane.h"

#include "profiler_views/correctness/correctness_view.h"

#include <utility>

namespace kw::desktop {

using profiler_views::CorrectnessView;

CorrectnessPane::CorrectnessPane(Docks& docks, Workbench& workbench, WorkerSession& worker, QObject* parent)
    : QObject(parent), workbench_(workbench), worker_(worker) {
    pane_ = docks.add(QStringLiteral("correctness"), tr("Correctness"), Docks::Place::bottom, [this] {
        view_ = new CorrectnessView;
        connect(view_, &CorrectnessView::go_to_requested, this, &CorrectnessPane::go_to_requested);
        connect(view_, &CorrectnessView::rerun_requested, this, &CorrectnessPane::rerun);
        return view_;
    });
    connect(pane_, &Pane::came_to_front, this, [this] {
        if (std::exchange(stale_, false)) show_step();
    });
    connect(&workbench_, &Workbench::step_selected, this, [this] {
        worker_.abandon_outputs(); // whatever was asked was about another step
        stale_ = !pane_->in_front();
        if (!stale_) show_step();
    });
    connect(&worker_, &WorkerSession::outputs_progressed, this, [this](const QString& what) {
        if (view_) view_->show_rerun_progress(what);
    });
    connect(&worker_, &WorkerSession::outputs_ready, this, [this](const rpc::OutputsRun& run) {
        if (view_) view_->show_outputs(run);
    });
    connect(&worker_, &WorkerSession::outputs_failed, this, [this](const Error& error) {
        if (view_) view_->show_rerun_problem(QString::fromStdString(error.message));
    });
    connect(&worker_, &WorkerSession::about_to_leave, this, [this] {
        if (view_) view_->forget_outputs();
    });
}

void CorrectnessPane::show_step() {
    const auto& step = workbench_.selected();
    if (step && step->evaluation)
        view_->show_evaluation(*step->evaluation, true);
    else
        view_->show_nothing();
}

void CorrectnessPane::rerun(const pipeline::OutputsQuery& query) {
    const auto& selected = workbench_.selected();
    if (!selected || !selected->evaluation) return;
    auto files = workbench_.files();
    files[selected->step.file] = selected->step.source;
    pipeline::Options options;
    options.candidate = selected->step.file;
    options.device = selected->evaluation->device.id;
    options.configuration = selected->evaluation->configuration;
    worker_.outputs(files, options, query);
}

} // namespace kw::desktop
