#include "app/desktop/main_window.h"

#include "agent/review/steps_view.h"
#include "app/desktop/actions.h"
#include "app/desktop/agent_pane.h"
#include "app/desktop/bar_fit.h"
#include "app/desktop/clangd_assist.h"
#include "app/desktop/code_panes.h"
#include "app/desktop/compare_pane.h"
#include "app/desktop/correctness_pane.h"
#include "app/desktop/device_chooser.h"
#include "app/desktop/lesson_pane.h"
#include "app/desktop/profile_panes.h"
#include "app/desktop/source_tabs.h"
#include "app/desktop/start_page.h"
#include "app/desktop/task_words.h"
#include "app/desktop/told.h"
#include "app/desktop/trajectory_pane.h"
#include "editor/cuda_editor.h"
#include "editor/editor_pane.h"
#include "editor/heat_chooser.h"
#include "editor/kernel_strip.h"
#include "editor/problem_list.h"
#include "engine/timeline/open.h"
#include "profiler_views/verdict/verdict_view.h"
#include "widgets/command_palette.h"
#include "widgets/theme.h"

#include <QCloseEvent>
#include <QDateTime>
#include <QDragEnterEvent>
#include <QLabel>
#include <QLocale>
#include <QMessageBox>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>

#include <algorithm>
#include <utility>

namespace kw::desktop {
namespace {

using widgets::Theme;

/// Long enough that a burst of keys is one check, short enough to feel immediate.
constexpr int kCheckDelayMs = 120;
/// How long what follows from an edit may wait, so that a key costs nothing. Not started anew by each key.
constexpr int kEditedMs = 250;
/// Seconds without an answer after which that is told, rather than shown in the chooser alone.
constexpr int kTellWaiting = 3;

} // namespace

bool is_session(const std::filesystem::path& path) { return path.extension() == ".kwsession"; }

MainWindow::MainWindow(WorkerSession& worker, QWidget* parent)
    : QMainWindow(parent),
      worker_(worker),
      workbench_(worker),
      actions_(new Actions(this)),
      docks_(new Docks(*this, settings_)),
      centre_(new QStackedWidget),
      start_page_(new StartPage),
      sources_(new SourceTabs),
      device_chooser_(new DeviceChooser),
      clangd_(new ClangdAssist(this)) {
    setAcceptDrops(true);
    setContextMenuPolicy(Qt::NoContextMenu);
    resize(1440, 900);
    setWindowTitle(tr("Kernelwright"));
    centre_->addWidget(start_page_);
    centre_->addWidget(sources_);
    setCentralWidget(centre_);
    statusBar()->setSizeGripEnabled(false);
    build_panes();
    build_tool_bar();
    build_menus();
    connect_actions();
    connect_workbench();
    connect_worker();
    palette_ = new widgets::CommandPalette(this);
    check_timer_.setSingleShot(true);
    check_timer_.setInterval(kCheckDelayMs);
    connect(&check_timer_, &QTimer::timeout, this, &MainWindow::check_now);
    edited_timer_.setSingleShot(true);
    edited_timer_.setInterval(kEditedMs);
    connect(&edited_timer_, &QTimer::timeout, this, &MainWindow::take_edits);
    connect(&Theme::instance(), &Theme::changed, actions_, &Actions::apply_icons);
    sources_->set_auto_close(settings_.auto_close());
    restoreGeometry(settings_.geometry());
    device_chooser_->set_workers(settings_.remotes(), settings_.worker());
    show_start_page();
    worker_.list_devices();
}

MainWindow::~MainWindow() {
    // Panes that are hidden on the way out have nobody to tell.
    delete docks_;
}

void MainWindow::build_panes() {
    using Place = Docks::Place;
    docks_->add(QStringLiteral("steps"), tr("Steps"), Place::left, [this] {
        steps_ = new review::StepsView;
        steps_->show_steps(workbench_.steps(), workbench_.best());
        connect(steps_, &review::StepsView::step_chosen, &workbench_, &Workbench::select);
        connect(steps_, &review::StepsView::restore_requested, this, &MainWindow::restore);
        return steps_;
    });
    docks_
        ->add(QStringLiteral("verdict"), tr("Verdict"), Place::right,
              [this] {
                  verdict_ = new profiler_views::VerdictView;
                  connect(verdict_, &profiler_views::VerdictView::go_to_requested, this, &MainWindow::go_to);
                  return verdict_;
              })
        ->ensure();
    correctness_pane_ = new CorrectnessPane(*docks_, workbench_, worker_, this);
    connect(correctness_pane_, &CorrectnessPane::go_to_requested, this, &MainWindow::go_to);
    agent_pane_ = new AgentPane(
        *docks_, workbench_, worker_, *sources_, [this] { return device_chooser_->device().toStdString(); }, this);
    connect(agent_pane_, &AgentPane::go_to_requested, this, &MainWindow::go_to);
    connect(agent_pane_, &AgentPane::told, this, &MainWindow::say);
    compare_pane_ = new ComparePane(
        *docks_, workbench_, worker_, *sources_, [this] { return device_chooser_->device().toStdString(); }, this);
    connect(compare_pane_, &ComparePane::told, this, &MainWindow::say);
    connect(&agent_pane_->agent(), &AgentSession::drafted, compare_pane_, [this](const review::AgentDraft& draft) {
        compare_pane_->stream(tr("Suggestion · being written"), draft.source.toStdString());
    });
    profile_panes_ = new ProfilePanes(*docks_, workbench_, this);
    connect(profile_panes_, &ProfilePanes::go_to_requested, this, &MainWindow::go_to);
    connect(profile_panes_, &ProfilePanes::trace_opened, this, [this](bool ok, const QString& problem) {
        say(problem.isEmpty() ? tr("The trace is open") : problem);
        Q_EMIT opened(ok);
    });
    lesson_pane_ = new LessonPane(*docks_, workbench_, this);
    connect(lesson_pane_, &LessonPane::told, this, &MainWindow::say);
    trajectory_pane_ = new TrajectoryPane(*docks_, workbench_, this);
    connect(trajectory_pane_, &TrajectoryPane::exported, this,
            [this](const QString& path) { say(tr("%1 was written").arg(path)); });
    code_panes_ = new CodePanes(*docks_, workbench_, worker_, *sources_, this);
    sources_->set_extras(code_panes_->heat_chooser(), code_panes_->kernel_strip());
    problems_pane_ = docks_->add(QStringLiteral("problems"), tr("Problems"), Place::bottom, [this] {
        problems_ = new editor::ProblemList;
        connect(problems_, &editor::ProblemList::go_to_requested, this, &MainWindow::go_to);
        return problems_;
    });
    problems_pane_->ensure();
}

void MainWindow::connect_workbench() {
    connect(&workbench_, &Workbench::task_opened, this, [this] {
        sources_->open_task(workbench_.files(), *workbench_.task(), workbench_.folder());
        centre_->setCurrentWidget(sources_);
        centre_->show();
        edited_.clear();
        restoring_.reset();
        followed_text_.reset();
        if (workbench_.folder().empty()) followed_text_ = sources_->text(workbench_.task()->kernel);
        if (docks_->current().isEmpty()) docks_->apply(settings_.layout());
        verdict_->reset();
        update_title();
        update_actions();
        if (auto* editor = sources_->current()) editor->setFocus();
        check_now();
    });
    connect(&workbench_, &Workbench::session_opened, this, [this](const std::shared_ptr<const OpenedSession>& session) {
        if (workbench_.folder().empty()) settings_.add_recent(session->path);
        if (session->trace) show_trace_notice();
        if (session->read_only) show_read_only_notice();
        for (const auto& [file, draft] : session->drafts)
            sources_->offer_draft(
                file, draft.text,
                QLocale().toString(QDateTime::fromMSecsSinceEpoch(draft.time_ms), QLocale::ShortFormat));
        Q_EMIT opened(true);
    });
    connect(&workbench_, &Workbench::session_failed, this, [this](const Error& error) {
        say(told(error));
        if (!workbench_.task())
            start_page_->show_problem(tr("Cannot open the session"), QString::fromStdString(describe(error)));
        Q_EMIT opened(false);
    });
    connect(&workbench_, &Workbench::step_waits, this,
            [this](const Error& error) { say(tr("The step is kept until it can be written: %1").arg(told(error))); });
    connect(&workbench_, &Workbench::steps_changed, this, [this] {
        if (steps_) steps_->show_steps(workbench_.steps(), workbench_.best());
        update_actions();
    });
    connect(&workbench_, &Workbench::step_wanted, this, [this](qlonglong id) {
        if (steps_) steps_->mark_selected(id);
    });
    connect(&workbench_, &Workbench::step_selected, this, &MainWindow::show_step);
    connect(&workbench_, &Workbench::run_started, this, [this] {
        verdict_->show_start();
        verdict_->show_progress(tr("compile"), -1);
        say(tr("Running…"));
        update_actions();
    });
    connect(&workbench_, &Workbench::progressed, this,
            [this](const QString& what, double fraction) { verdict_->show_progress(what, fraction); });
    connect(&workbench_, &Workbench::run_finished, this, [this](const std::optional<Error>& error) {
        verdict_->show_idle();
        update_actions();
        if (error && error->code == ErrorCode::cancelled) {
            say(tr("Stopped"));
            // What went wrong before it is no result of this run.
            if (const auto& step = workbench_.selected(); step && step->evaluation) {
                verdict_->show_evaluation(*step->evaluation);
                compare_with_step();
            }
        } else if (error) {
            verdict_->show_error(tr("Could not run"), QString::fromStdString(describe(*error)));
            say(told(*error));
        }
        Q_EMIT run_finished();
    });
}

void MainWindow::connect_worker() {
    connect(&worker_, &WorkerSession::devices_listed, this, [this](const std::vector<device::Info>& devices) {
        device_chooser_->set_devices(devices, settings_.device(device_chooser_->worker()));
        device_changed();
    });
    connect(&worker_, &WorkerSession::devices_failed, this, [this](const Error& error) {
        const QString sentence = QString::fromStdString(error.message);
        device_chooser_->set_problem(sentence);
        say(tr("No list of devices: %1").arg(sentence));
    });
    connect(&worker_, &WorkerSession::waiting, this, [this](int seconds) {
        device_chooser_->set_waiting(seconds);
        if (seconds >= kTellWaiting)
            say(tr("Still waiting for %1 (%n s); the device chooser can cancel that", nullptr, seconds)
                    .arg(worker_label(device_chooser_->worker())));
    });
    connect(device_chooser_, &DeviceChooser::wait_cancelled, this, [this] {
        worker_.refuse({.stage = Stage::rpc,
                        .code = ErrorCode::cancelled,
                        .message = tr("The connection to %1 was cancelled; the device chooser can try again")
                                       .arg(worker_label(device_chooser_->worker()))
                                       .toStdString()});
        worker_.list_devices();
        check_now();
    });
    connect(&worker_, &WorkerSession::checked, this, [this](const std::vector<compile::Diagnostic>& diagnostics) {
        if (!workbench_.task()) return;
        show_diagnostics(diagnostics);
        if (problems_->error_count() > 0) return;
        code_panes_->source_changed();
        update_words();
    });
    connect(&worker_, &WorkerSession::check_failed, this, [this](const Error& error) {
        if (!workbench_.task()) return;
        show_diagnostics({});
        problems_->show_unchecked(told(error));
        say(told(error));
    });
    connect(code_panes_, &CodePanes::compiled, this, [this](const pipeline::CompileReport& report) {
        if (std::exchange(telling_compile_, false))
            say(report.ok ? tr("Compiled in %1 ms").arg(report.milliseconds, 0, 'f', 0) : tr("Does not compile"));
        if (!report.ok) show_diagnostics(report.diagnostics);
    });
    connect(&worker_, &WorkerSession::compile_failed, this, [this](const Error& error) { say(told(error)); });
}

bool MainWindow::open(const std::filesystem::path& path) {
    std::error_code error;
    const bool folder = std::filesystem::is_directory(path, error);
    if (!folder && timeline::looks_like_trace(path)) {
        open_trace(path);
        return true;
    }
    if (!folder && is_session(path)) {
        if (const auto lessons = bundled("lessons/recorded");
            !lessons.empty() && std::filesystem::equivalent(path.parent_path() / ".", lessons, error)) {
            open_bundled(path);
            return true;
        }
        if (may_discard_edits()) workbench_.open_session(path);
        return true;
    }
    return open_task(path);
}

bool MainWindow::open_task(const std::filesystem::path& folder) {
    auto read = read_task(folder);
    if (!read) {
        const QString headline = tr("Cannot open %1").arg(QString::fromStdString(folder.string()));
        const QString why = QString::fromStdString(describe(read.error()));
        start_page_->show_problem(headline, why);
        verdict_->show_error(headline, why);
        say(told(read.error()));
        return false;
    }
    // What is lost by opening another is asked about once it is known to open.
    if (!may_discard_edits()) return false;
    forget_edits();
    workbench_.open_task(std::move(*read));
    settings_.add_recent(folder);
    return true;
}

void MainWindow::open_bundled(const std::filesystem::path& path) {
    // What a package installed is not for writing; a copy is, and it is gone on with the next time.
    const auto copy = data_folder() / (is_session(path) ? "lessons" : "tasks") / path.filename();
    std::error_code error;
    if (!std::filesystem::exists(is_session(path) ? copy : copy / "task.toml", error)) {
        std::filesystem::create_directories(copy.parent_path(), error);
        if (!error) std::filesystem::copy(path, copy, std::filesystem::copy_options::recursive, error);
        if (error) {
            start_page_->show_problem(tr("Cannot copy %1").arg(QString::fromStdString(path.string())),
                                      QString::fromStdString(error.message()));
            return;
        }
    }
    open(copy);
}

void MainWindow::open_trace(const std::filesystem::path& path) {
    if (docks_->current().isEmpty()) docks_->show_only(QStringLiteral("timeline"));
    settings_.add_recent(path);
    // Without a task there is nothing else to look at.
    centre_->setVisible(workbench_.task().has_value());
    profile_panes_->open_trace(path);
}

void MainWindow::use_worker(const QString& specification) {
    auto command = rpc::worker_command(specification.toStdString(), toolkit_options(settings_));
    stop();
    settings_.set_worker(specification);
    if (command)
        worker_.connect_to(std::move(*command));
    else
        worker_.refuse(command.error());
    device_chooser_->set_workers(settings_.remotes(), specification);
    device_chooser_->set_waiting(0);
    say(tr("Connecting to %1…").arg(worker_label(specification)));
    worker_.list_devices();
    check_now();
}

void MainWindow::update_words() {
    const auto& file = sources_->current_file();
    if (auto* editor = sources_->current())
        editor->set_task_words(task_words(*workbench_.task(), file, sources_->text(file)));
}

void MainWindow::device_changed() {
    if (const auto* info = device_chooser_->info()) {
        profile_panes_->set_device(*info);
        code_panes_->set_device(*info);
    }
    check_now();
}

void MainWindow::text_edited(const std::string& file) {
    edited_.insert(file);
    if (!edited_timer_.isActive()) edited_timer_.start();
    check_timer_.start();
}

void MainWindow::take_edits() {
    for (const auto& file : edited_) {
        const auto* editor = sources_->editor(file);
        if (!editor) continue;
        if (editor->isModified())
            workbench_.keep_draft(file, editor->utf8());
        else
            workbench_.saved(file, editor->utf8());
    }
    edited_.clear();
    const auto* device = device_chooser_->info();
    clangd_->use(sources_->pane(sources_->current_file()), workbench_.folder() / sources_->current_file(),
                 settings_.toolkit().toStdString(), device ? device->arch : "sm_80");
    mark_unsaved();
    compare_with_step();
}

void MainWindow::compare_with_step() {
    const bool same = text_is_of_step();
    code_panes_->set_profile_fits(same);
    const auto& selected = workbench_.selected();
    sources_->show_other_step(!same && selected && selected->step.has_source()
                                  ? tr("Step %1 is looked at; this text is another.").arg(selected->step.summary.id)
                                  : QString());
    if (!same)
        verdict_->mark_outdated();
    else if (workbench_.selected()->evaluation && !workbench_.running())
        verdict_->show_evaluation(*workbench_.selected()->evaluation);
}

void MainWindow::mark_unsaved() {
    const auto& open_now = workbench_.folder().empty() ? workbench_.session() : workbench_.folder();
    if (!open_now.empty()) settings_.set_unsaved(recent_name(open_now), !sources_->modified().empty());
}

bool MainWindow::text_is_of_step() const {
    const auto& selected = workbench_.selected();
    return selected && sources_->text(selected->step.file) == selected->step.source;
}

void MainWindow::check_now() {
    if (!workbench_.task()) return;
    if (!workbench_.can_evaluate()) {
        problems_->show_unchecked(tr("This is a record without a task, which is not compiled here."));
        return;
    }
    worker_.check({.files = sources_->overlay(workbench_.files()),
                   .main = sources_->candidate(),
                   .device = device_chooser_->device().toStdString(),
                   .syntax_only = true});
}

void MainWindow::compile_now() {
    if (!workbench_.task()) return;
    say(tr("Compiling…"));
    telling_compile_ = true;
    code_panes_->compile();
}

void MainWindow::start_run(bool profiled) {
    if (!workbench_.task() || workbench_.running()) return;
    if (workbench_.refresh() && !open_task(workbench_.folder())) return;
    pipeline::Options options;
    options.candidate = sources_->candidate();
    options.device = device_chooser_->device().toStdString();
    options.stages.profile = profiled;
    // All of it costs the simulator nothing; on a GPU that was chosen the full set is asked for by kw profile.
    if (options.device.starts_with("sim") || options.device == "auto") options.profiling.set = "full";
    workbench_.run(sources_->overlay(workbench_.files()), options);
}

void MainWindow::stop() { workbench_.stop(); }

bool MainWindow::save() {
    if (!sources_->current()) return true;
    const auto file = sources_->current_file();
    if (auto done = sources_->save(file); !done) {
        say(told(done.error()));
        sources_->pane(file)->show_notice(QStringLiteral("save"), editor::Tone::bad,
                                          QString::fromStdString(done.error().message));
        return false;
    }
    sources_->pane(file)->clear_notice(QStringLiteral("save"));
    say(tr("Saved %1").arg(QString::fromStdString(file)));
    return true;
}

void MainWindow::go_to(const QString& file, int line, int column) {
    if (sources_->show_file(file.toStdString()))
        sources_->go_to(file.toStdString(), line, column);
    else
        say(tr("%1:%2 is not among the task's files").arg(file, QString::number(line)));
}

void MainWindow::show_start_page() {
    start_page_->show_content(settings_.recent(), settings_.unsaved(), StartPage::tasks_in(bundled("tasks")),
                              bundled("lessons/recorded"));
    centre_->setCurrentWidget(start_page_);
    centre_->show();
    update_actions();
    update_title();
}

void MainWindow::apply_layout(const QString& name) { docks_->apply(name); }

void MainWindow::update_actions() {
    const bool task = workbench_.task().has_value();
    const bool running = workbench_.running();
    const bool evaluable = workbench_.can_evaluate();
    for (auto* action : {actions_->run, actions_->profile}) action->setEnabled(evaluable && !running);
    actions_->compile->setEnabled(evaluable);
    actions_->stop->setEnabled(running);
    const auto* editor = sources_->current();
    actions_->save->setEnabled(editor && editor->isModified());
    const auto& steps = workbench_.steps();
    const auto& selected = workbench_.selected();
    // Ids may have gaps.
    const auto place =
        selected ? std::ranges::find(steps, selected->step.summary.id, &trajectory::StepSummary::id) - steps.begin() + 1
                 : 0;
    actions_->previous_step->setEnabled(place > 1);
    actions_->next_step->setEnabled(place > 0 && place < std::ssize(steps));
    actions_->best_step->setEnabled(workbench_.best().has_value());
    actions_->first_wrong_step->setEnabled(workbench_.first_wrong().has_value());
    actions_->restore_step->setEnabled(selected != nullptr);
    actions_->start_lesson->setEnabled(steps.size() + workbench_.hidden().size() >= 2);
    actions_->make_task->setEnabled(task && !evaluable && selected && selected->step.has_source());
    actions_->export_session->setEnabled(!workbench_.session().empty() && !workbench_.steps().empty());
    step_label_->setText(steps.empty() ? tr("no steps")
                         : selected    ? tr("step %1 of %2").arg(place).arg(steps.size())
                                       : tr("%n steps", nullptr, static_cast<int>(steps.size())));
}

void MainWindow::update_title() {
    const auto& task = workbench_.task();
    const QString title = task ? QString::fromStdString(task->title.empty() ? task->name : task->title) : tr("No task");
    title_text_ = title;
    title_->setText(title);
    bar_fit_->fit();
    setWindowTitle(task ? tr("%1[*] – Kernelwright").arg(title) : tr("Kernelwright"));
    setWindowModified(!sources_->modified().empty());
}

void MainWindow::say(const QString& text) { statusBar()->showMessage(text); }

bool MainWindow::may_discard_edits() {
    const auto names = sources_->modified();
    if (names.empty()) return true;
    QStringList files;
    for (const auto& name : names) files << QString::fromStdString(name);
    const auto answer =
        QMessageBox::question(this, tr("Kernelwright"), tr("Not saved: %1").arg(files.join(QStringLiteral(", "))),
                              QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
    if (answer == QMessageBox::Save)
        return std::ranges::all_of(names,
                                   [this](const std::string& name) { return sources_->show_file(name) && save(); });
    return answer == QMessageBox::Discard;
}

void MainWindow::forget_edits() {
    for (const auto& name : sources_->modified()) {
        sources_->editor(name)->setModified(false);
        workbench_.forget_draft(name);
    }
    mark_unsaved();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!may_discard_edits()) {
        event->ignore();
        return;
    }
    forget_edits();
    stop();
    docks_->remember();
    settings_.set_geometry(saveGeometry());
    event->accept();
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::ActivationChange && isActiveWindow()) workbench_.look();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (!urls.isEmpty() && urls.first().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (!urls.isEmpty()) open(urls.first().toLocalFile().toStdString());
}

} // namespace kw::desktop
