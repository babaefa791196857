#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// C++ text cut into tokens exactly as far as finding directives, includes and declarations needs it: line splices,
/// comments, string, character and raw string literals, digraphs of '#'. (Trigraphs are no longer part of C++ since
/// C++17.)
namespace kw::compile {

enum class TokenKind : std::uint8_t {
    end,
    identifier,
    number,
    literal,    ///< string or character, raw or not; an unterminated one ends with its line
    hash,       ///< # or %: as the first token of a line: a directive
    punctuator, ///< one character, except ## which is one token
};

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;  ///< without line splices; a raw string's body is cut off, see raw_body
    std::size_t offset = 0; ///< in the text given, [offset, end)
    std::size_t end = 0;
    bool line_start = false;
    std::string_view raw_body{}; ///< of a raw string literal: what stands between its delimiters
};

/// A header name at the reading position of a directive.
struct HeaderName {
    std::string text; ///< without its delimiters; empty when there is none
    bool angled = false;
    std::size_t begin = 0; ///< offsets of the delimiters in the text given, [begin, end)
    std::size_t end = 0;
    bool present = false;
};

class Lexer {
public:
    /// `text` is kept by reference and must not hold carriage returns before line feeds (they would hide splices).
    explicit Lexer(std::string_view text);

    [[nodiscard]] Token next();

    /// The next token without taking it.
    [[nodiscard]] Token peek();

    /// Reads <…> or "…" if that is what comes next on this line, with nothing but blanks and comments before it.
    [[nodiscard]] HeaderName header_name();

private:
    /// Original offset of an offset of the spliced text.
    [[nodiscard]] std::size_t original(std::size_t spliced) const;
    /// Takes the token that ends before `end` (a spliced offset).
    void finish(Token& token, std::size_t end);
    void skip_blanks(bool stop_at_newline);
    bool skip_comment();
    [[nodiscard]] std::size_t raw_string_end(std::size_t quote, Token& token);
    [[nodiscard]] std::size_t literal_end(std::size_t quote) const;
    [[nodiscard]] char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

    std::string_view source_;
    std::string spliced_;   ///< the text without splices when it had any
    std::string_view text_; ///< what is read: source_ or spliced_
    std::vector<std::size_t>
        splices_; ///< spliced offsets before which two characters (backslash, line feed) were removed
    std::size_t position_ = 0;
    bool line_start_ = true;
};

} // namespace kw::compile
