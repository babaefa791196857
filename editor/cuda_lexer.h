#pragma once

#include <Qsci/qscilexercpp.h>

namespace kw::editor {

/// CUDA C++ on top of QScintilla's C++ lexer: keyword set 1 is the language with CUDA's qualifiers, set 2 the built-in
/// variables and functions, set 4 the types. Colours come from the theme.
class CudaLexer : public QsciLexerCPP {
    Q_OBJECT
public:
    explicit CudaLexer(QObject* parent = nullptr);

    [[nodiscard]] const char* keywords(int set) const override;
    [[nodiscard]] const char* language() const override;

    /// Takes colours and fonts from the current theme.
    void apply_theme();
};

} // namespace kw::editor
