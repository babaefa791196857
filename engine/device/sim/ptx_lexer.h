#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace kw::sim {

enum class TokenKind : std::uint8_t {
    end,
    name,    ///< identifier, including %registers and $labels
    dotted,  ///< ".word" without its dot; may hold "::"
    integer, ///< value in `bits`
    f32,     ///< 0fXXXXXXXX, bit pattern in `bits`
    f64,     ///< 0dXXXXXXXXXXXXXXXX or a decimal literal with a point, bit pattern of the double in `bits`
    string,  ///< text between the quotes
    symbol,  ///< one character of punctuation, text[0]
};

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text{}; ///< points into the source
    std::uint64_t bits = 0;
    int line = 0;
    int column = 0;
};

/// The whole text as tokens, comments removed, closed by one `end` token. Memory is at most proportional to the text.
[[nodiscard]] Result<std::vector<Token>> lex_ptx(std::string_view source);

} // namespace kw::sim
