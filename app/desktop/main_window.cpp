#include "app/desktop/main_window.h"

#include "app/desktop/worker_session.h"
#include "editor/cuda_editor.h"
#include "editor/problem_list.h"
#include "engine/base/file.h"
#include "engine/timeline/open.h"
#include "profiler_views/timeline/timeline_view.h"
#include "profiler_views/verdict/verdict_text.h"
#include "profiler_views/verdict/verdict_view.h"
#include "widgets/icons.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QSplitter>
#include <QStatusBar>
#include <QToolBar>
#include <QVBoxLayout>

namespace kw::desktop {
namespace {

using widgets::Theme;

/// Long enough that a burst of keys is one check, short enough to feel immediate.
constexpr int kCheckDelayMs = 120;

QWidget* pane(const QString& title, QLabel** extra, QWidget* content) {
    auto* header = new QWidget;
    header->setObjectName(QStringLiteral("paneHeader"));
    header->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(12, 6, 12, 6);
    row->setSpacing(8);
    auto* label = new QLabel(title);
    label->setProperty("kind", QStringLiteral("section"));
    row->addWidget(label);
    *extra = new QLabel;
    (*extra)->setProperty("tone", QStringLiteral("quiet"));
    row->addWidget(*extra);
    row->addStretch();
    auto* frame = new QWidget;
    frame->setObjectName(QStringLiteral("panel"));
    frame->setAttribute(Qt::WA_StyledBackground);
    auto* layout = new QVBoxLayout(frame);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(header);
    layout->addWidget(content, 1);
    return frame;
}

/// What the compiler said, and below it what the kernel did wrong where it ran.
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
    }
    return problems;
}

QSplitter* splitter(Qt::Orientation orientation) {
    auto* result = new QSplitter(orientation);
    result->setHandleWidth(1);
    result->setChildrenCollapsible(false);
    return result;
}

} // namespace

MainWindow::MainWindow(WorkerSession& worker, QWidget* parent) : QMainWindow(parent), worker_(worker) {
    setAcceptDrops(true);
    resize(1280, 800);
    build_actions();
    build_layout();
    connect_worker();
    check_timer_.setSingleShot(true);
    check_timer_.setInterval(kCheckDelayMs);
    connect(&check_timer_, &QTimer::timeout, this, &MainWindow::check_now);
    connect(&Theme::instance(), &Theme::changed, this, &MainWindow::apply_icons);
    apply_icons();
    set_running(false);
    setWindowTitle(tr("Kernelwright"));
    title_->setText(tr("No task"));
    verdict_->show_error(
        tr("No task is open"),
        tr("Open a task folder with Ctrl+O, or drop one here. The bundled tasks are in resources/tasks."));
    worker_.list_devices();
}

void MainWindow::build_actions() {
    const auto make = [this](const QString& text, const QKeySequence& key, auto slot) {
        auto* action = new QAction(text, this);
        action->setShortcut(key);
        action->setToolTip(tr("%1 (%2)").arg(text, key.toString(QKeySequence::NativeText)));
        connect(action, &QAction::triggered, this, slot);
        return action;
    };
    open_action_ = make(tr("Open task…"), QKeySequence::Open, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a task folder"));
        if (!folder.isEmpty() && may_discard_edits()) open_task(folder.toStdString());
    });
    auto* open_trace_action = make(tr("Open trace…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O), [this] {
        const QString file = QFileDialog::getOpenFileName(this, tr("Open a trace"), {},
                                                          tr("Traces (*.json *.json.gz *.sqlite);;All files (*)"));
        if (!file.isEmpty()) open_trace(file.toStdString());
    });
    save_action_ = make(tr("Save"), QKeySequence::Save, [this] { save(); });
    run_action_ = make(tr("Run"), QKeySequence(Qt::CTRL | Qt::Key_R), [this] { run(); });
    stop_action_ = make(tr("Stop"), QKeySequence(Qt::SHIFT | Qt::Key_F5), [this] { stop(); });
    theme_action_ = make(tr("Dark or light"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L), [] {
        auto& theme = Theme::instance();
        theme.apply(*qApp,
                    theme.tokens().scheme == widgets::Scheme::dark ? widgets::Scheme::light : widgets::Scheme::dark);
    });
    auto* next_problem = make(tr("Next problem"), QKeySequence(Qt::Key_F8), [this] { problems_->go_to_next(); });
    auto* quit = make(tr("Quit"), QKeySequence::Quit, [this] { close(); });

    auto* file = menuBar()->addMenu(tr("&File"));
    file->addActions({open_action_, open_trace_action, save_action_});
    file->addSeparator();
    file->addAction(quit);
    auto* edit = menuBar()->addMenu(tr("&Edit"));
    edit->addAction(make(tr("Undo"), QKeySequence::Undo, [this] { editor_->undo(); }));
    edit->addAction(make(tr("Redo"), QKeySequence::Redo, [this] { editor_->redo(); }));
    edit->addSeparator();
    edit->addAction(next_problem);
    auto* kernel = menuBar()->addMenu(tr("&Kernel"));
    kernel->addActions({run_action_, stop_action_});
    auto* view = menuBar()->addMenu(tr("&View"));
    view->addAction(theme_action_);
    view->addAction(make(tr("Larger text"), QKeySequence::ZoomIn, [this] { editor_->zoomIn(); }));
    view->addAction(make(tr("Smaller text"), QKeySequence::ZoomOut, [this] { editor_->zoomOut(); }));
}

void MainWindow::build_layout() {
    editor_ = new editor::CudaEditor;
    problems_ = new editor::ProblemList;
    verdict_ = new profiler_views::VerdictView;

    auto* bar = addToolBar(tr("Main"));
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setIconSize(QSize(20, 20));
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setContextMenuPolicy(Qt::NoContextMenu);
    title_ = new QLabel;
    title_->setProperty("kind", QStringLiteral("section"));
    bar->addWidget(title_);
    bar->addSeparator();
    devices_ = new QComboBox;
    devices_->setAccessibleName(tr("Device"));
    devices_->setToolTip(tr("Where kernels run. Simulated GPUs estimate time from counted events."));
    devices_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    devices_->addItem(tr("automatic"), QStringLiteral("auto"));
    bar->addWidget(devices_);
    bar->addSeparator();
    bar->addActions({run_action_, stop_action_});
    auto* space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    bar->addActions({save_action_, theme_action_});

    QLabel* unused = nullptr;
    auto* left = splitter(Qt::Vertical);
    left->addWidget(pane(tr("My kernel"), &status_, editor_));
    left->addWidget(pane(tr("Problems"), &problem_count_, problems_));
    left->setStretchFactor(0, 1);
    left->setSizes({560, 180});
    auto* all = splitter(Qt::Horizontal);
    all->addWidget(left);
    all->addWidget(pane(tr("Verdict"), &unused, verdict_));
    all->setStretchFactor(0, 1);
    all->setSizes({880, 400});
    setCentralWidget(all);
    statusBar()->setSizeGripEnabled(false);

    connect(editor_, &editor::CudaEditor::textChanged, this, &MainWindow::text_edited);
    connect(editor_, &editor::CudaEditor::modificationChanged, this, [this](bool modified) {
        setWindowModified(modified);
        save_action_->setEnabled(modified);
        status_->setText(modified ? tr("%1 · not saved").arg(QString::fromStdString(task_ ? task_->kernel : ""))
                                  : QString::fromStdString(task_ ? task_->kernel : ""));
    });
    connect(problems_, &editor::ProblemList::go_to_requested, this, &MainWindow::go_to);
    connect(verdict_, &profiler_views::VerdictView::go_to_requested, this, &MainWindow::go_to);
    connect(devices_, &QComboBox::activated, this, &MainWindow::text_edited);
}

void MainWindow::connect_worker() {
    connect(&worker_, &WorkerSession::devices_listed, this, [this](const std::vector<device::Info>& devices) {
        for (const auto& info : devices) {
            const QString name = QString::fromStdString(info.name);
            devices_->addItem(name, QString::fromStdString(info.id));
        }
        // The first one is what "auto" means; naming it says more.
        if (devices_->count() > 1) devices_->removeItem(0);
    });
    connect(&worker_, &WorkerSession::checked, this, &MainWindow::show_diagnostics);
    connect(&worker_, &WorkerSession::devices_failed, this, [this](const Error& error) {
        say(tr("No list of devices: %1").arg(QString::fromStdString(error.message)));
    });
    connect(&worker_, &WorkerSession::check_failed, this,
            [this](const Error& error) { problem_count_->setText(QString::fromStdString(error.message)); });
    connect(&worker_, &WorkerSession::progressed, this, [this](const QString& what, double fraction) {
        if (running_) verdict_->show_progress(what, fraction);
    });
    connect(&worker_, &WorkerSession::evaluated, this, [this](const pipeline::Evaluation& evaluation) {
        set_running(false);
        verdict_->show_evaluation(evaluation);
        // The text may have moved on while this ran; its own check then says what is wrong with it.
        if (run_revision_ == revision_)
            show_diagnostics(problems_of(evaluation));
        else
            verdict_->mark_outdated();
        say(profiler_views::status_line(evaluation));
        Q_EMIT run_finished();
    });
    connect(&worker_, &WorkerSession::failed, this, [this](const Error& error) {
        const bool was_running = running_;
        set_running(false);
        verdict_->show_idle();
        if (error.code == ErrorCode::cancelled) {
            say(tr("Stopped"));
        } else {
            verdict_->show_error(tr("Could not run"), QString::fromStdString(describe(error)));
            say(QString::fromStdString(error.message));
        }
        if (was_running) Q_EMIT run_finished();
    });
}

void MainWindow::apply_icons() {
    const auto& tokens = Theme::instance().tokens();
    run_action_->setIcon(widgets::icon(QStringLiteral("run"), tokens.good, tokens.text3));
    stop_action_->setIcon(widgets::icon(QStringLiteral("stop"), tokens.bad, tokens.text3));
    save_action_->setIcon(widgets::icon(QStringLiteral("save")));
    theme_action_->setIcon(widgets::icon(QStringLiteral("theme")));
}

bool MainWindow::open_task(const std::filesystem::path& folder) {
    const auto refuse = [&](const Error& error) {
        verdict_->show_error(tr("Cannot open %1").arg(QString::fromStdString(folder.string())),
                             QString::fromStdString(describe(error)));
        say(QString::fromStdString(error.message));
        return false;
    };
    auto files = task::read_folder(folder);
    if (!files) return refuse(files.error());
    auto task = task::parse_task(*files);
    if (!task) return refuse(task.error());
    worker_.abandon_evaluation();
    folder_ = folder;
    files_ = std::move(*files);
    task_ = std::move(*task);
    centralWidget()->show();
    const QString title = QString::fromStdString(task_->title.empty() ? task_->name : task_->title);
    title_->setText(title);
    setWindowTitle(tr("%1[*] – Kernelwright").arg(title));
    status_->setText(QString::fromStdString(task_->kernel));
    editor_->load(QString::fromStdString(files_.find(task_->kernel)->second));
    verdict_->reset();
    set_running(false);
    editor_->setFocus();
    check_now();
    return true;
}

bool MainWindow::open(const std::filesystem::path& path) {
    std::error_code error;
    if (!timeline::looks_like_trace(path) || std::filesystem::is_directory(path, error)) return open_task(path);
    open_trace(path);
    return true;
}

void MainWindow::open_trace(const std::filesystem::path& path) {
    if (!timeline_) {
        timeline_ = new profiler_views::TimelineView;
        timeline_dock_ = new QDockWidget(tr("Timeline"), this);
        timeline_dock_->setObjectName(QStringLiteral("timelineDock"));
        timeline_dock_->setWidget(timeline_);
        addDockWidget(Qt::BottomDockWidgetArea, timeline_dock_);
        connect(timeline_, &profiler_views::TimelineView::opened, this, [this](bool ok, const QString& problem) {
            say(ok ? tr("The trace is open") : problem);
            Q_EMIT trace_opened(ok);
        });
    }
    timeline_dock_->setWindowTitle(tr("Timeline · %1").arg(QString::fromStdString(path.filename().string())));
    timeline_dock_->show();
    timeline_dock_->raise();
    // Without a task there is nothing else to look at.
    centralWidget()->setVisible(task_.has_value());
    if (task_) resizeDocks({timeline_dock_}, {height() * 2 / 3}, Qt::Vertical);
    timeline_->open(path);
}

void MainWindow::text_edited() {
    ++revision_;
    if (!running_) verdict_->mark_outdated();
    if (task_) check_timer_.start();
}

task::Files MainWindow::files_with_text() const {
    auto files = files_;
    files[task_->kernel] = editor_->utf8();
    return files;
}

QString MainWindow::device_id() const { return devices_->currentData().toString(); }

void MainWindow::check_now() {
    if (!task_) return;
    worker_.check(
        {.files = files_with_text(), .main = task_->kernel, .device = device_id().toStdString(), .syntax_only = true});
}

void MainWindow::show_diagnostics(const std::vector<compile::Diagnostic>& diagnostics) {
    if (!task_) return;
    editor_->show_diagnostics(diagnostics, task_->kernel);
    problems_->show_diagnostics(diagnostics);
    QStringList counts;
    if (const int n = problems_->error_count()) counts << (n == 1 ? tr("1 error") : tr("%1 errors").arg(n));
    if (const int n = problems_->warning_count()) counts << (n == 1 ? tr("1 warning") : tr("%1 warnings").arg(n));
    problem_count_->setText(counts.join(QStringLiteral(", ")));
}

void MainWindow::run() {
    if (!task_ || running_) return;
    set_running(true);
    run_revision_ = revision_;
    verdict_->show_progress(tr("compile"), -1);
    pipeline::Options options;
    options.device = device_id().toStdString();
    worker_.evaluate(files_with_text(), options);
}

void MainWindow::stop() {
    if (running_) worker_.cancel_evaluation();
}

bool MainWindow::save() {
    if (!task_) return true;
    const std::string text = editor_->utf8();
    if (auto done = write_file(folder_ / task_->kernel, text); !done) {
        say(QString::fromStdString(done.error().message));
        verdict_->show_error(tr("Not saved"), QString::fromStdString(done.error().message));
        return false;
    }
    files_[task_->kernel] = text;
    editor_->setModified(false);
    say(tr("Saved %1").arg(QString::fromStdString(task_->kernel)));
    return true;
}

void MainWindow::go_to(const QString& file, int line, int column) {
    if (task_ && file.toStdString() == task_->kernel)
        editor_->go_to(line, column);
    else
        say(tr("%1:%2 is not open in this window").arg(file).arg(line));
}

void MainWindow::set_running(bool running) {
    running_ = running;
    run_action_->setEnabled(task_ && !running);
    stop_action_->setEnabled(running);
    save_action_->setEnabled(task_ && editor_->isModified());
}

void MainWindow::say(const QString& text) { statusBar()->showMessage(text); }

bool MainWindow::may_discard_edits() {
    if (!task_ || !editor_->isModified()) return true;
    const auto answer = QMessageBox::question(
        this, tr("Kernelwright"), tr("%1 has changes that are not saved.").arg(QString::fromStdString(task_->kernel)),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
    return answer == QMessageBox::Discard || (answer == QMessageBox::Save && save());
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (may_discard_edits()) {
        stop();
        event->accept();
    } else {
        event->ignore();
    }
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls() && event->mimeData()->urls().first().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const std::filesystem::path path = event->mimeData()->urls().first().toLocalFile().toStdString();
    if (timeline::looks_like_trace(path) || may_discard_edits()) open(path);
}

} // namespace kw::desktop
