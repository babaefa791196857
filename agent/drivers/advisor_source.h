#pragma once

#include "engine/compile/lexer.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kw::agent {

/// Changes of a text, by offsets into it; they must not overlap.
class Edits {
public:
    void insert(std::size_t offset, std::string text) { replace(offset, offset, std::move(text)); }
    void replace(std::size_t begin, std::size_t end, std::string text);
    [[nodiscard]] bool empty() const { return list_.empty(); }
    [[nodiscard]] std::string applied(std::string_view text) const;

private:
    struct Edit {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::string text;
    };
    std::vector<Edit> list_;
};

/// A CUDA source as the advisor's rules see it: tokens outside comments and preprocessor lines, and its kernels.
/// Positions are numbers of tokens.
class CudaSource {
public:
    struct Token {
        compile::TokenKind kind = compile::TokenKind::end;
        std::string text;
        std::size_t offset = 0;
        std::size_t end = 0;
    };
    struct Parameter {
        std::string name;
        std::string type; ///< of what a pointer points to, without const: "float", "unsigned int"
        bool pointer = false;
        bool constant = false;   ///< what it points to, or the value, is const
        bool restricted = false; ///< __restrict__
        std::size_t first = 0;
        std::size_t name_at = 0;
    };
    struct Kernel {
        std::string name;
        std::size_t name_at = 0;
        std::size_t body = 0; ///< its {
        std::size_t end = 0;  ///< its }
        bool templated = false;
        bool bounded = false; ///< has __launch_bounds__
        std::vector<Parameter> parameters;
    };

    /// None where brackets do not pair, or the text has carriage returns.
    [[nodiscard]] static std::optional<CudaSource> read(std::string text);

    [[nodiscard]] const std::string& text() const { return text_; }
    /// Kernels with a body that no preprocessor line but `#pragma` divides and parameters of plain types.
    [[nodiscard]] const std::vector<Kernel>& kernels() const { return kernels_; }
    [[nodiscard]] std::size_t size() const { return tokens_.size(); }
    [[nodiscard]] const Token& at(std::size_t i) const { return tokens_[i]; }
    [[nodiscard]] bool is(std::size_t i, std::string_view text) const {
        return i < tokens_.size() && tokens_[i].text == text;
    }
    /// Whether the tokens from `i` on are these: "blockIdx . x".
    [[nodiscard]] bool are(std::size_t i, std::string_view texts) const;
    /// The bracket that belongs to the one at `i`.
    [[nodiscard]] std::size_t match(std::size_t i) const { return pairs_[i]; }
    /// The text from token `begin` to the one before `end`.
    [[nodiscard]] std::string_view slice(std::size_t begin, std::size_t end) const;
    [[nodiscard]] int line(std::size_t i) const;
    /// The `;` or `}` that ends the statement at `i`, within [i, end); none where it does not end there, or branches.
    [[nodiscard]] std::optional<std::size_t> statement_end(std::size_t i, std::size_t end) const;
    /// Whether a statement may begin at `i` that no `if`, loop or label governs.
    [[nodiscard]] bool begins_statement(std::size_t i) const;
    /// Whether something may write through the name at `i`: assigned, incremented, its address taken.
    [[nodiscard]] bool may_write(std::size_t i) const;
    /// Whether nothing but blanks stands between the tokens of [begin, end).
    [[nodiscard]] bool only_blanks(std::size_t begin, std::size_t end) const;
    /// Whether a preprocessor line stands between the token at `i` and the one before.
    [[nodiscard]] bool directive_before(std::size_t i) const;
    [[nodiscard]] bool uses(std::string_view identifier) const;
    [[nodiscard]] bool is_macro(std::string_view identifier) const { return macros_.contains(identifier); }
    /// Offset of the beginning of the line of the token at `i` when that is the line's first.
    [[nodiscard]] std::optional<std::size_t> line_begin(std::size_t i) const;

private:
    struct Directive {
        std::size_t offset = 0;
        std::string name; ///< "pragma"
    };

    bool tokenize();
    void find_kernels();
    [[nodiscard]] std::optional<Kernel> kernel_at(std::size_t global) const;
    [[nodiscard]] std::optional<Parameter> parameter(std::size_t begin, std::size_t end) const;
    [[nodiscard]] bool touching(std::size_t i) const { return at(i).end == at(i + 1).offset; }

    std::string text_;
    std::vector<Token> tokens_;
    std::vector<std::size_t> pairs_;
    std::vector<Directive> directives_;
    std::set<std::string, std::less<>> macros_;
    std::vector<Kernel> kernels_;
};

/// Tokens of a short text (an expression), joined by single blanks, so that two can be compared.
[[nodiscard]] std::string normalized(std::string_view text);

} // namespace kw::agent
