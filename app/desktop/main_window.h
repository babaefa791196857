#pragma once

#include "app/desktop/docks.h"
#include "app/desktop/settings.h"
#include "app/desktop/workbench.h"
#include "app/desktop/worker_session.h"

#include <QMainWindow>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>

class QLabel;
class QMenu;
class QShortcut;
class QStackedWidget;
class QToolBar;
class QToolButton;

namespace kw::editor {
class ProblemList;
} // namespace kw::editor
namespace kw::profiler_views {
class VerdictView;
} // namespace kw::profiler_views
namespace kw::review {
class StepsView;
} // namespace kw::review
namespace kw::widgets {
class CommandPalette;
} // namespace kw::widgets

namespace kw::desktop {

class Actions;
class BarFit;
class ClangdAssist;
class CodePanes;
class ComparePane;
class CorrectnessPane;
class DeviceChooser;
class AgentPane;
class ProfilePanes;
class SourceTabs;
class LessonPane;
class StartPage;
class TrajectoryPane;

/// By its name.
[[nodiscard]] bool is_session(const std::filesystem::path& path);

/// The window: source in the middle, panes around it, all of them about the step that is selected. It wires; what is
/// known is the Workbench's, what is shown the panes'.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(WorkerSession& worker, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// A task's folder, a session, or a trace, by what it is. False when it cannot be opened: the window says why in
    /// place and stays as it was. A session and a trace are read in the background; see opened().
    bool open(const std::filesystem::path& path);
    void run() { start_run(false); }
    void profile() { start_run(true); }
    void stop();
    /// Writes the file in front. False, with a message in the window, when that is impossible.
    bool save();
    void apply_layout(const QString& name);
    /// For a class: larger text, and without what is only for working. Text size and all else are as before when it
    /// ends.
    void present(bool presenting);

    [[nodiscard]] Workbench& workbench() { return workbench_; }
    [[nodiscard]] Docks& docks() { return *docks_; }
    [[nodiscard]] SourceTabs& sources() { return *sources_; }

Q_SIGNALS:
    /// A run ended, whatever came of it.
    void run_finished();
    /// A session or trace has been read, or could not be.
    void opened(bool ok);
    /// Theme and text size were set, as Appearance::apply() takes them.
    void look_changed(const QString& theme, double text_scale);

protected:
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void build_panes();
    void build_tool_bar();
    void build_menus();
    void connect_actions();
    void connect_workbench();
    void connect_worker();

    bool open_task(const std::filesystem::path& folder);
    void open_bundled(const std::filesystem::path& folder);
    void open_trace(const std::filesystem::path& path);
    void use_worker(const QString& specification);
    void start_run(bool profiled);
    void check_now();
    void compile_now();
    /// What can be completed that is of the task.
    void update_words();
    void device_changed();
    void text_edited(const std::string& file);
    /// What follows from the edits since it was last called.
    void take_edits();
    /// Whether what is known of the selected step is about the text.
    void compare_with_step();
    /// So that the start page knows after a crash.
    void mark_unsaved();
    void show_step();
    void show_diagnostics(const std::vector<compile::Diagnostic>& diagnostics);
    /// In the list alone where the text is not the step's.
    void show_problems_of_step(const StepRecord& record);
    void title_problems(const QString& of_what);
    void show_start_page();
    void go_to(const QString& file, int line, int column);
    void restore(trajectory::StepId id);
    /// A folder with a task around the kernel of the step that is looked at, which is opened.
    void make_task();
    void show_trace_notice();
    void show_read_only_notice();
    /// In a session without a folder there is no text but the steps', until somebody edits.
    void follow_text();
    void update_actions();
    void tell_look();
    void shorten_title(bool shorter);
    void update_title();
    void say(const QString& text);
    /// Asks where there are any; those that are to be saved are.
    [[nodiscard]] bool may_discard_edits();
    void forget_edits();
    /// Of the candidate, as its step was made with.
    [[nodiscard]] bool text_is_of_step() const;

    WorkerSession& worker_;
    Settings settings_;
    Workbench workbench_;
    QTimer check_timer_;
    QTimer edited_timer_;
    std::set<std::string> edited_; ///< files since take_edits()
    bool telling_compile_ = false; ///< the compilation under way was asked for by the user
    std::optional<trajectory::StepId> restoring_;
    std::optional<std::string> followed_text_; ///< what follow_text() put there

    Actions* actions_;
    Docks* docks_;
    QStackedWidget* centre_;
    StartPage* start_page_;
    SourceTabs* sources_;
    DeviceChooser* device_chooser_;
    ClangdAssist* clangd_;
    widgets::CommandPalette* palette_;
    QMenu* edit_menu_ = nullptr;
    review::StepsView* steps_ = nullptr;
    editor::ProblemList* problems_ = nullptr;
    profiler_views::VerdictView* verdict_ = nullptr;
    CodePanes* code_panes_ = nullptr;
    CorrectnessPane* correctness_pane_ = nullptr;
    TrajectoryPane* trajectory_pane_ = nullptr;
    LessonPane* lesson_pane_ = nullptr;
    ProfilePanes* profile_panes_ = nullptr;
    AgentPane* agent_pane_ = nullptr;
    ComparePane* compare_pane_ = nullptr;
    Pane* problems_pane_ = nullptr;
    QShortcut* end_presentation_ = nullptr;
    QLabel* step_label_ = nullptr;
    QToolButton* title_ = nullptr;
    QString title_text_;
    QToolBar* tool_bar_ = nullptr;
    BarFit* bar_fit_ = nullptr;
};

} // namespace kw::desktop
