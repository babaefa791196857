#pragma once

#include <QObject>
#include <QPointer>

#include <filesystem>
#include <string>

namespace kw::editor {
class ClangdClient;
class EditorPane;
} // namespace kw::editor

namespace kw::desktop {

/// clangd for the file in front, where it is installed: for names that the workbench's own tables do not know. Looked
/// for and started in the background, at the first edit.
class ClangdAssist : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// The pane that is typed in. `toolkit` as the settings have it; `arch` of the device that is compiled for.
    void use(editor::EditorPane* pane, const std::filesystem::path& file, const std::string& toolkit,
             const std::string& arch);

private:
    struct Found {
        QString clangd;  ///< empty: not installed
        QString include; ///< the toolkit's headers; empty: not found
    };
    static Found look(const std::string& toolkit);
    void start(const Found& found, const std::filesystem::path& file, const std::string& arch);

    QPointer<editor::EditorPane> pane_;
    editor::ClangdClient* client_ = nullptr;
};

} // namespace kw::desktop
