#pragma once

#include "editor/file_watch.h"
#include "editor/notice_bar.h"
#include "editor/text_codec.h"
#include "engine/base/result.h"

#include <QAction>
#include <QList>
#include <QWidget>

#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

class QLineEdit;
class QVBoxLayout;

namespace kw::editor {

class ClangdClient;
class CudaEditor;
class FindBar;

/// One file: its text, what may be done with it, and above it what there is to say about it.
class EditorPane : public QWidget {
    Q_OBJECT
public:
    explicit EditorPane(QWidget* parent = nullptr);

    [[nodiscard]] CudaEditor* editor() const { return editor_; }
    [[nodiscard]] FindBar* find_bar() const { return find_bar_; }

    /// Reads a file and watches it from then on. On an error the pane stays as it was. Text that is not UTF-8 opens as
    /// Latin-1 and is saved so, files that may not be written open read-only; a notice says so.
    [[nodiscard]] Result<void> open_file(const std::filesystem::path& path);
    /// The same with bytes that have been read already; without a path nothing is watched or saved. `name` is for
    /// messages.
    [[nodiscard]] Result<void> open_bytes(std::string_view bytes, const std::string& name,
                                          const std::filesystem::path& path = {});
    /// Writes the text back as it was encoded. What may be undone stays so. Refused while the file holds what another
    /// program wrote: that is for the user to decide, with the buttons of the notice.
    [[nodiscard]] Result<void> save();
    /// Takes the file's text, as one step to undo.
    [[nodiscard]] Result<void> reload();
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] const TextFormat& format() const { return format_; }

    /// Replaces the notice with this id.
    void show_notice(const QString& id, Tone tone, const QString& text, const QStringList& buttons = {});
    void clear_notice(const QString& id);
    [[nodiscard]] bool has_notice(const QString& id) const { return notices_.contains(id); }

    /// Everything that can be done here, with object names ("editor.find", …) and keys; the keys work while the pane
    /// has the focus.
    [[nodiscard]] QList<QAction*> actions_for_menu() const { return actions_list_; }
    [[nodiscard]] QAction* action(const QString& object_name) const;

    void find(bool replace = false);
    void go_to_line();
    /// Null: without. When it switches itself off, a notice says so.
    void set_clangd(ClangdClient* clangd);

Q_SIGNALS:
    /// The file holds the text, whoever asked for it: save() or a button of a notice.
    void saved();
    void notice_action(const QString& id, int index);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void keep_editing_keys();
    void build_actions();
    void show_text(const DecodedText& decoded);
    void file_state(FileWatch::State state);
    void handle_notice(const QString& id, int index);
    void set_read_only(bool read_only);
    void accept_place();

    CudaEditor* editor_;
    FindBar* find_bar_;
    QWidget* place_bar_;
    QLineEdit* place_;
    QVBoxLayout* notice_layout_;
    std::map<QString, NoticeBar*> notices_;
    QList<QAction*> actions_list_;
    FileWatch watch_;
    TextFormat format_;
    std::filesystem::path path_;
    std::string name_;
};

/// "12", "12:5" or "12,5": line and column, from 1; a missing column is 1. Nothing for anything else.
[[nodiscard]] std::optional<std::pair<int, int>> parse_place(const QString& text);

} // namespace kw::editor
