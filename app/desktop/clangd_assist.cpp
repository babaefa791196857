#include "app/desktop/clangd_assist.h"

#include "editor/clangd/client.h"
#include "editor/editor_pane.h"
#include "engine/compile/toolkit.h"

#include <QCoreApplication>
#include <QThreadPool>

namespace kw::desktop {

ClangdAssist::Found ClangdAssist::look(const std::string& toolkit) {
    Found found{.clangd = editor::find_clangd(), .include = {}};
    std::error_code error;
    for (const auto& place : compile::toolkit_places(toolkit))
        if (const auto include = place.root / "include"; std::filesystem::exists(include / "cuda_runtime.h", error)) {
            found.include = QString::fromStdString(include.string());
            break;
        }
    return found;
}

void ClangdAssist::use(editor::EditorPane* pane, const std::filesystem::path& file, const std::string& toolkit,
                       const std::string& arch) {
    if (pane == pane_) return;
    if (pane_) pane_->set_clangd(nullptr);
    pane_ = pane;
    // Folders are looked through, which may take a while on a slow disk.
    QThreadPool::globalInstance()->start([self = QPointer<ClangdAssist>(this), wanted = pane_, file, toolkit, arch] {
        const Found found = look(toolkit);
        // To the program's own thread; by then the window may have gone, or another file may be in front.
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, wanted, found, file, arch] {
                if (self && wanted && self->pane_ == wanted) self->start(found, file, arch);
            },
            Qt::QueuedConnection);
    });
}

void ClangdAssist::start(const Found& found, const std::filesystem::path& file, const std::string& arch) {
    if (found.clangd.isEmpty()) return;
    delete client_;
    client_ = new editor::ClangdClient(this);
    client_->start({.program = found.clangd,
                    .file = QString::fromStdString(file.string()),
                    .arch = arch,
                    .toolkit_include = found.include});
    pane_->set_clangd(client_);
}

} // namespace kw::desktop
