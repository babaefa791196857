#pragma once

#include "editor/clangd/client.h"
#include "editor/completion.h"
#include "editor/cuda_spans.h"
#include "editor/heat.h"
#include "editor/pairs.h"
#include "editor/text_codec.h"
#include "engine/compile/compiler.h"

#include <Qsci/qsciscintilla.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kw::editor {

class CodeAssist;
class CudaLexer;
class HeatMargin;

/// The text of one CUDA source. Shows diagnostics as squiggles, margin marks and, under the pointer, as text; completes
/// and explains names; shows a metric per line beside the numbers.
class CudaEditor : public QsciScintilla {
    Q_OBJECT
public:
    /// Margins, from the left.
    enum Margin { kNumbers = 0, kHeat = 1, kMarks = 2, kFolds = 3 };
    /// Indicators in use; others may take those from kFirstFreeIndicator on.
    enum Indicator {
        kErrorIndicator = 8,
        kWarningIndicator = 9,
        kFirstSpanIndicator = 10, ///< one for each SpanKind
        kMatchIndicator = 16,
        kFirstFreeIndicator = 17
    };

    explicit CudaEditor(QWidget* parent = nullptr);

    /// Replaces the whole text as the state that counts as saved. There is nothing to undo then.
    void load(const QString& text);
    void load_utf8(std::string_view text, LineEnd line_end = LineEnd::lf);
    /// Puts `text` in place of what differs, as one step to undo; caret and scroll position stay where they are.
    void replace_text(std::string_view text);
    [[nodiscard]] std::string utf8() const;

    /// Bytes [begin, end) of the text, until the next change.
    [[nodiscard]] std::string_view view(long begin, long end) const;
    [[nodiscard]] TextPosition text_position(long position) const;

    /// Shows `diagnostics` of `file`; those of other files are for lists, not for this text.
    void show_diagnostics(const std::vector<compile::Diagnostic>& diagnostics, const std::string& file);

    /// Lines and columns from 1; columns count bytes, as compilers do. Moves the caret there and takes the focus.
    void go_to(int line, int column);

    /// Whether brackets and quotes are closed as they are opened.
    void set_auto_close(bool enabled) { pairs_.set_enabled(enabled); }
    /// Names of the task, for completion and explanations.
    void set_task_words(std::vector<CompletionItem> words);
    /// A metric per line beside the numbers; none hides the margin.
    void set_heat(std::optional<HeatColumn> column);
    [[nodiscard]] HeatMargin* heat() const { return heat_; }
    [[nodiscard]] CodeAssist* assist() const { return assist_; }

    /// What the pointer is told at a byte position: diagnostics first, then the name there. Empty when there is
    /// nothing.
    [[nodiscard]] QString explanation_at(long position) const;

    /// Lines whose `//@`, launch and PTX colours were worked out since the start; for tests of what a key costs.
    [[nodiscard]] std::size_t lines_scanned() const { return lines_scanned_; }

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    struct Mark {
        long begin, end; ///< byte positions in the document
        QString message;
    };

    void apply_theme();
    void modified(int position, int type, int length, int lines_added);
    void scan(long first, long at_least);
    /// The range to underline for a diagnostic: the word at its column, else the rest of the line.
    [[nodiscard]] std::pair<int, int> range_of(const compile::Diagnostic& diagnostic) const;

    CudaLexer* lexer_;
    HeatMargin* heat_;
    CodeAssist* assist_;
    Pairs pairs_{*this};
    std::vector<Mark> marks_;
    std::vector<LineState> states_{0}; ///< at the start of each line
    std::vector<Span> spans_;          ///< of the line being scanned; kept for its memory
    std::size_t lines_scanned_ = 0;
};

} // namespace kw::editor
