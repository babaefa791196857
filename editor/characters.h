#pragma once

#include <cctype>

namespace kw::editor {

/// Whether a byte of UTF-8 may be part of a name: letters, digits, the underscore, and all beyond ASCII.
inline bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

} // namespace kw::editor
