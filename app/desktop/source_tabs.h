#pragma once

#include "engine/compile/compiler.h"
#include "engine/task/task.h"

#include <QWidget>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

class QHBoxLayout;
class QLabel;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace kw::editor {
class CudaEditor;
class EditorPane;
} // namespace kw::editor

namespace kw::desktop {

/// The files of a task that are open, as tabs. The first is the task's kernel; the others are opened when asked for.
class SourceTabs : public QWidget {
    Q_OBJECT
public:
    explicit SourceTabs(QWidget* parent = nullptr);

    /// `beside` goes to the right of the tabs, `below` under the text.
    void set_extras(QWidget* beside, QWidget* below);
    /// What stands beside the tabs.
    void set_extras_shown(bool shown);

    /// Of the editors that are open, and of those to come.
    void set_auto_close(bool enabled);

    /// Opens the kernel of another task; what was open is closed, saved or not. Files are read from and written to
    /// `folder`; without one they are texts only.
    void open_task(const task::Files& files, const task::Task& task, const std::filesystem::path& folder);
    /// Brings a file to the front. False when the task has no such text file.
    bool show_file(const std::string& file);
    /// Writes a file that is open. Without a folder it only counts as saved.
    [[nodiscard]] Result<void> save(const std::string& file);
    void go_to(const std::string& file, int line, int column);

    /// Of the file in front, as one thing to undo.
    void replace_text(const std::string& text);

    [[nodiscard]] const std::string& current_file() const { return current_; }
    /// What a run is of: the file in front where that is a candidate, else the kernel.
    [[nodiscard]] std::string candidate() const;
    /// Nothing while no task is open.
    [[nodiscard]] editor::CudaEditor* current() const;
    [[nodiscard]] editor::CudaEditor* editor(const std::string& file) const;
    [[nodiscard]] editor::EditorPane* pane(const std::string& file) const;
    [[nodiscard]] std::string text(const std::string& file) const;
    /// `files` with what the editors hold in place of what is on disk.
    [[nodiscard]] task::Files overlay(task::Files files) const;
    [[nodiscard]] std::vector<std::string> modified() const;
    /// Another after every change of a text or of the task.
    [[nodiscard]] quint64 revision() const { return revision_; }

    void show_diagnostics(const std::vector<compile::Diagnostic>& diagnostics);
    /// Says above the text that it is not that of the step that is looked at; empty when it is.
    void show_other_step(const QString& sentence);
    /// Offers text of a file that was typed and never saved.
    void offer_draft(const std::string& file, const std::string& text, const QString& when);

Q_SIGNALS:
    void text_changed(const std::string& file);
    void modification_changed(const std::string& file, bool modified);
    void current_changed();
    /// What is on disk is what the editor holds, by save() or by a notice of the pane's.
    void saved(const std::string& file);
    /// The text that was offered is wanted, or not.
    void draft_answered(const std::string& file, bool taken);
    /// The text of the step that is looked at is wanted in place of this one.
    void step_text_wanted();
    /// The caret went to another line of the file in front.
    void line_changed(int line);

private:
    void build_step_bar();
    editor::EditorPane* open(const std::string& file, const std::string& text);
    void close_tab(int index);
    void update_title(const std::string& file);
    void fill_menu();

    task::Files files_;
    task::Task task_;
    std::string current_;
    std::map<std::string, editor::EditorPane*, std::less<>> panes_;
    std::filesystem::path folder_;
    std::set<std::string, std::less<>> unreadable_; ///< open, but their panes do not hold their text
    bool auto_close_ = true;
    quint64 revision_ = 0;
    std::vector<compile::Diagnostic> diagnostics_;
    std::vector<QWidget*> extras_;
    QHBoxLayout* row_;
    QTabBar* tabs_;
    QToolButton* more_;
    QWidget* step_bar_;
    QLabel* step_sentence_;
    QStackedWidget* pages_;
};

} // namespace kw::desktop
