#include "app/desktop/trajectory_pane.h"

#include "agent/review/export_dialog.h"
#include "agent/review/trajectory_view.h"
#include "agent/tools/tool_specs.h"

#include <utility>

namespace kw::desktop {

using trajectory::SessionFile;

TrajectoryPane::TrajectoryPane(Docks& docks, Workbench& workbench, QObject* parent)
    : QObject(parent), workbench_(workbench) {
    pane_ = docks.add(QStringLiteral("trajectory"), tr("Reward"), Docks::Place::bottom, [this] {
        view_ = new review::TrajectoryView;
        connect(view_, &review::TrajectoryView::step_chosen, &workbench_, &Workbench::select);
        connect(view_, &review::TrajectoryView::export_requested, this, [this] { export_session(view_->window()); });
        return view_;
    });
    connect(pane_, &Pane::came_to_front, this, [this] {
        if (std::exchange(stale_, false)) show_steps();
    });
    connect(&workbench_, &Workbench::steps_changed, this, [this] {
        stale_ = !pane_->in_front();
        if (!stale_) show_steps();
    });
    connect(&workbench_, &Workbench::step_selected, this, [this] {
        if (view_ && workbench_.selected()) view_->mark_selected(workbench_.selected()->step.summary.id);
    });
    const auto forget = [this] {
        ++session_;
        read_to_ = 0;
        reader_.request_stop();
        if (view_) view_->clear();
    };
    connect(&workbench_, &Workbench::task_opened, this, forget);
    connect(&workbench_, &Workbench::session_opened, this, [this, forget] {
        forget();
        stale_ = !pane_->in_front();
        if (!stale_) show_steps();
    });
}

TrajectoryPane::~TrajectoryPane() { reader_.request_stop(); }

void TrajectoryPane::show_steps() {
    view_->show_steps(workbench_.steps());
    if (workbench_.selected()) view_->mark_selected(workbench_.selected()->step.summary.id);
    read_facts();
}

void TrajectoryPane::read_facts() {
    if (reading_) {
        more_ = true;
        return;
    }
    const auto& steps = workbench_.steps();
    if (workbench_.session().empty() || steps.empty() || steps.back().id <= read_to_) return;
    reading_ = true;
    more_ = false;
    reader_ = std::jthread([this, path = workbench_.session(), after = read_to_, last = steps.back().id,
                            session = session_](const std::stop_token& stop) {
        std::vector<trajectory::ScoreFacts> facts;
        // Without them the plot says what the list of steps does; what is wrong with the session is told where it is
        // opened.
        if (const auto file = SessionFile::open(path, SessionFile::Access::read))
            if (auto read = score_facts(*file, after, [&stop] { return stop.stop_requested(); }))
                facts = std::move(*read);
        std::erase_if(facts, [last](const auto& each) { return each.step > last; });
        QMetaObject::invokeMethod(
            this,
            [this, session, last, facts = std::move(facts)]() mutable {
                reading_ = false;
                if (session == session_) {
                    read_to_ = last;
                    if (!facts.empty()) view_->add_facts(std::move(facts));
                }
                if (more_ || session != session_) read_facts();
            },
            Qt::QueuedConnection);
    });
}

void TrajectoryPane::export_session(QWidget* over) {
    auto* dialog = new review::ExportDialog(workbench_.session(), tools::tool_functions(), over);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &review::ExportDialog::written, this, &TrajectoryPane::exported);
    dialog->open();
}

} // namespace kw::desktop
