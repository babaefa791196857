#include "agent/review/steps_view.h"
#include "app/desktop/actions.h"
#include "app/desktop/code_panes.h"
#include "app/desktop/compare_pane.h"
#include "app/desktop/docks.h"
#include "app/desktop/main_window.h"
#include "app/desktop/settings.h"
#include "app/desktop/source_tabs.h"
#include "app/desktop/told.h"
#include "editor/cuda_editor.h"
#include "editor/editor_pane.h"
#include "editor/problem_list.h"
#include "engine/task/folder.h"
#include "engine/task/from_kernel.h"
#include "profiler_views/verdict/verdict_text.h"
#include "profiler_views/verdict/verdict_view.h"

#include <utility>

/// How the window follows the step that is looked at, and what is made of one.
namespace kw::desktop {
namespace {

/// What the compiler said, below it what the kernel did wrong where it ran, and what the audit found.
std::vector<compile::Diagnostic> problems_of(const pipeline::Evaluation& evaluation) {
    auto problems = evaluation.compile.diagnostics;
    if (evaluation.verify && evaluation.verify->fault && evaluation.verify->fault->where.line > 0) {
        const auto& fault = *evaluation.verify->fault;
        problems.push_back({.severity = compile::Severity::error,
                            .file = fault.where.file,
                            .line = fault.where.line,
                            .column = fault.where.column,
                            .message = fault.message,
                            .code = {},
                            .notes = {}});
        if (fault.other && fault.other->where.line > 0)
            problems.back().notes.push_back({.severity = compile::Severity::note,
                                             .file = fault.other->where.file,
                                             .line = fault.other->where.line,
                                             .column = fault.other->where.column,
                                             .message = device::other_party_text(fault),
                                             .code = {},
                                             .notes = {}});
    }
    for (const auto& finding : evaluation.audit)
        problems.push_back({.severity = finding.severity == audit::Severity::refuse       ? compile::Severity::error
                                        : finding.severity == audit::Severity::suspicious ? compile::Severity::warning
                                                                                          : compile::Severity::note,
                            .file = finding.where.file.empty() ? evaluation.candidate : finding.where.file,
                            .line = finding.where.line,
                            .column = finding.where.column,
                            .message = finding.why,
                            .code = finding.rule,
                            .notes = {}});
    return problems;
}

} // namespace

void MainWindow::show_step() {
    const auto& selected = workbench_.selected();
    if (steps_) steps_->mark_selected(selected ? std::optional{selected->step.summary.id} : std::nullopt);
    update_actions();
    if (!selected) {
        verdict_->reset();
        return;
    }
    if (const auto wanted = std::exchange(restoring_, std::nullopt); wanted == selected->step.summary.id)
        restore(*wanted);
    else if (workbench_.folder().empty() && followed_text_ && sources_->text(selected->step.file) == followed_text_)
        follow_text();
    if (!selected->evaluation) {
        verdict_->show_error(tr("Nothing is known of step %1").arg(selected->step.summary.id),
                             QString::fromStdString(selected->step.summary.because));
        return;
    }
    if (text_is_of_step())
        verdict_->show_evaluation(*selected->evaluation);
    else
        verdict_->show_outdated(*selected->evaluation);
    compare_with_step();
    code_panes_->follow_step();
    show_problems_of_step(*selected);
    say(profiler_views::status_line(*selected->evaluation));
}

void MainWindow::follow_text() {
    const auto& step = workbench_.selected()->step;
    if (step.file.empty() || !sources_->show_file(step.file)) return;
    sources_->replace_text(step.source);
    sources_->current()->setModified(false);
    workbench_.go_on_from(step.summary.id);
    followed_text_ = step.source;
    compare_pane_->truth().forget_text();
}

void MainWindow::restore(trajectory::StepId id) {
    const auto& selected = workbench_.selected();
    if (!selected || selected->step.summary.id != id) {
        restoring_ = id;
        workbench_.select(id);
        return;
    }
    restoring_.reset();
    const auto& step = selected->step;
    if (!step.has_source() || !sources_->show_file(step.file)) {
        say(tr("The task has no file %1").arg(QString::fromStdString(step.file)));
        return;
    }
    sources_->replace_text(step.source);
    workbench_.go_on_from(id);
    say(tr("The text is that of step %1; undo brings yours back").arg(id));
}

void MainWindow::show_trace_notice() {
    auto* pane = sources_->pane(workbench_.task()->kernel);
    if (!pane) return say(tr("This record holds no source"));
    pane->show_notice(QStringLiteral("trace"), editor::Tone::info,
                      tr("This was recorded without a task: it can be read, not run."), {actions_->make_task->text()});
    connect(pane, &editor::EditorPane::notice_action, actions_->make_task, [this](const QString& id) {
        if (id == QStringLiteral("trace")) actions_->make_task->trigger();
    });
}

void MainWindow::show_read_only_notice() {
    const auto text = tr("The session may only be read: steps made now are gone when the window closes.");
    // Beside the text for as long as it is so; the status bar forgets.
    if (auto* pane = sources_->pane(workbench_.task()->kernel))
        pane->show_notice(QStringLiteral("read only"), editor::Tone::warn, text);
    else
        say(text);
}

void MainWindow::make_task() {
    const auto& selected = workbench_.selected();
    if (!selected || !selected->step.has_source()) return;
    const auto& step = selected->step;
    const auto candidate = task::cuda_source_of(step.source);
    const auto first = workbench_.files().find(step.file);
    const auto trusted = first == workbench_.files().end() ? candidate : task::cuda_source_of(first->second);
    const auto name = task::safe_name(workbench_.task()->name);
    auto files = task::task_from_kernel(candidate, trusted, name);
    // What the trace began with may have been another kernel, or none that works alone.
    const bool alone = !files;
    if (alone) files = task::task_from_kernel(candidate, candidate, name);
    auto folder =
        files ? task::write_new_folder(*files, data_folder() / "tasks", name) : std::unexpected(files.error());
    if (!folder) {
        say(tr("No task can be made of step %1: %2").arg(step.summary.id).arg(told(folder.error())));
        return;
    }
    if (!open_task(*folder)) return;
    say(alone ? tr("The task compares the kernel with itself; correct its reference and sizes, then run it")
              : tr("The task compares the kernel with the first of the record; correct its sizes if need be, then run "
                   "it"));
}

void MainWindow::show_diagnostics(const std::vector<compile::Diagnostic>& diagnostics) {
    if (!workbench_.task()) return;
    sources_->show_diagnostics(diagnostics);
    problems_->show_diagnostics(diagnostics);
    title_problems({});
}

void MainWindow::show_problems_of_step(const StepRecord& record) {
    const auto problems = problems_of(*record.evaluation);
    if (text_is_of_step()) {
        show_diagnostics(problems);
        return;
    }
    // Their lines are not those of the text, which its own check marks when it is edited.
    problems_->show_diagnostics(problems);
    title_problems(tr("step %1").arg(record.step.summary.id));
}

void MainWindow::title_problems(const QString& of_what) {
    const int count = problems_->error_count() + problems_->warning_count();
    QString title = count == 0 ? tr("Problems") : tr("Problems (%1)").arg(count);
    if (!of_what.isEmpty()) title += QStringLiteral(" · ") % of_what;
    problems_pane_->setWindowTitle(title);
}

} // namespace kw::desktop
