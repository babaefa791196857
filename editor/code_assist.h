#pragma once

#include "editor/call_tip.h"
#include "editor/completion.h"

#include <QObject>
#include <QPointer>
#include <QRect>
#include <QTimer>

#include <optional>
#include <string>
#include <vector>

class QKeyEvent;

namespace kw::editor {

class ClangdClient;
class CompletionPopup;
class CudaEditor;

/// Completion, call tips and explanations for one editor, out of the task's names, the table of built-ins, the text
/// itself and, where it runs, clangd.
class CodeAssist : public QObject {
    Q_OBJECT
public:
    explicit CodeAssist(CudaEditor& editor);

    /// Names of the task: tensors with type and shape, sizes, scalars, tunables.
    void set_task_words(std::vector<CompletionItem> words);
    /// Asked where the table knows nothing. Null: not.
    void set_clangd(ClangdClient* clangd);

    /// Offers what fits at the caret.
    void complete();
    void hide();
    /// Something is shown that hide() would end.
    [[nodiscard]] bool is_open() const;

    /// True when the key was for the popup.
    bool before_key(const QKeyEvent& event);
    void after_key(const QKeyEvent& event);

    /// The name under a byte position, explained; nothing when it is not known here.
    [[nodiscard]] std::optional<CompletionItem> explain(long position) const;
    /// Asks clangd and shows its answer at `global`, if the pointer is still there.
    void explain_later(long position, const QPoint& global);

    [[nodiscard]] CompletionPopup* popup() const { return popup_; }
    [[nodiscard]] CallTip* call_tip() const { return tip_; }

private:
    struct Word {
        long begin = 0;
        std::string text; ///< from `begin` to the caret
    };
    [[nodiscard]] Word word_before_caret() const;
    [[nodiscard]] std::string line_before_caret() const;
    [[nodiscard]] QRect rectangle_at(long position) const;
    [[nodiscard]] std::vector<CompletionItem> items_for(Place place, const Word& typed);
    void open(bool asked);
    void accept();
    void close_popup();
    void close_tip();
    void update_call_tip();
    [[nodiscard]] const std::vector<std::string>& document_words();
    [[nodiscard]] bool ask_clangd_possible() const;
    void send_text();

    CudaEditor& editor_;
    CompletionPopup* popup_;
    CallTip* tip_;
    std::vector<CompletionItem> task_words_;
    QPointer<ClangdClient> clangd_;
    bool clangd_has_text_ = false;
    std::vector<std::string> document_words_;
    bool document_words_known_ = false;
    QTimer document_timer_; ///< words are gathered when the keyboard rests
    long word_begin_ = 0;
    quint64 list_asked_ = 0, tip_asked_ = 0; ///< answers to older questions are dropped
};

} // namespace kw::editor
