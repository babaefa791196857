#pragma once

#include "engine/compile/compiler.h"

#include <Qsci/qsciscintilla.h>

#include <vector>

namespace kw::editor {

class CudaLexer;

/// The text of one CUDA source. Shows diagnostics as squiggles, margin marks and, under the pointer, as text.
class CudaEditor : public QsciScintilla {
    Q_OBJECT
public:
    explicit CudaEditor(QWidget* parent = nullptr);

    /// Replaces the whole text as the state that counts as saved.
    void load(const QString& text);
    [[nodiscard]] std::string utf8() const;

    /// Shows `diagnostics` of `file`; those of other files are for lists, not for this text.
    void show_diagnostics(const std::vector<compile::Diagnostic>& diagnostics, const std::string& file);

    /// Lines and columns from 1; columns count bytes, as compilers do. Moves the caret there and takes the focus.
    void go_to(int line, int column);

protected:
    bool event(QEvent* event) override;

private:
    struct Mark {
        int begin, end; ///< byte positions in the document
        QString message;
    };

    void apply_theme();
    void style_directives();
    /// The range to underline for a diagnostic: the word at its column, else the rest of the line.
    [[nodiscard]] std::pair<int, int> range_of(const compile::Diagnostic& diagnostic) const;

    CudaLexer* lexer_;
    std::vector<Mark> marks_;
};

} // namespace kw::editor
