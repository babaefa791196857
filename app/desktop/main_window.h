#pragma once

#include "engine/pipeline/evaluation.h"
#include "engine/task/task.h"

#include <QMainWindow>
#include <QTimer>

#include <filesystem>
#include <optional>

class QComboBox;
class QDockWidget;
class QLabel;

namespace kw::editor {
class CudaEditor;
class ProblemList;
} // namespace kw::editor
namespace kw::profiler_views {
class TimelineView;
class VerdictView;
} // namespace kw::profiler_views

namespace kw::desktop {

class WorkerSession;

/// One task: its candidate in an editor, diagnostics as it is typed, and the verdict of the last run beside it.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(WorkerSession& worker, QWidget* parent = nullptr);

    /// Opens a task folder. False when that is impossible: the window says why in place and stays as it was.
    bool open_task(const std::filesystem::path& folder);
    /// Shows a trace file in the timeline; it is read in the background, and trace_opened() tells how that went.
    void open_trace(const std::filesystem::path& path);
    /// A trace by its name, else a task folder.
    bool open(const std::filesystem::path& path);
    void run();
    void stop();
    /// Writes the candidate back to its file. False, with a message in the window, when that is impossible.
    bool save();

Q_SIGNALS:
    /// A run ended, whatever came of it.
    void run_finished();
    void trace_opened(bool ok);

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void build_actions();
    void build_layout();
    void connect_worker();
    void apply_icons();
    void text_edited();
    void check_now();
    void go_to(const QString& file, int line, int column);
    void show_diagnostics(const std::vector<compile::Diagnostic>& diagnostics);
    void set_running(bool running);
    void say(const QString& text);
    [[nodiscard]] bool may_discard_edits();
    /// The task's files with the editor's text in place of the candidate's.
    [[nodiscard]] task::Files files_with_text() const;
    [[nodiscard]] QString device_id() const;

    WorkerSession& worker_;
    std::filesystem::path folder_;
    task::Files files_;
    std::optional<task::Task> task_;
    bool running_ = false;
    quint64 revision_ = 0;     ///< of the text and the device chosen
    quint64 run_revision_ = 0; ///< what the run under way, or the last one, was of

    editor::CudaEditor* editor_ = nullptr;
    editor::ProblemList* problems_ = nullptr;
    profiler_views::VerdictView* verdict_ = nullptr;
    profiler_views::TimelineView* timeline_ = nullptr;
    QDockWidget* timeline_dock_ = nullptr;
    QLabel* title_ = nullptr;
    QLabel* problem_count_ = nullptr;
    QLabel* status_ = nullptr;
    QComboBox* devices_ = nullptr;
    QAction* open_action_ = nullptr;
    QAction* run_action_ = nullptr;
    QAction* stop_action_ = nullptr;
    QAction* save_action_ = nullptr;
    QAction* theme_action_ = nullptr;
    QTimer check_timer_;
};

} // namespace kw::desktop
