#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

/// Bytes of a file to the UTF-8 that is edited, and back to the very same bytes.
namespace kw::editor {

enum class Encoding { utf8, latin1 };
enum class LineEnd { lf, crlf, cr };

/// What a file's bytes say beside its text, so that writing keeps it.
struct TextFormat {
    Encoding encoding = Encoding::utf8;
    bool byte_order_mark = false;   ///< the three bytes EF BB BF at the front
    LineEnd line_end = LineEnd::lf; ///< the most frequent; what a new line gets
    bool operator==(const TextFormat&) const = default;
};

struct DecodedText {
    std::string text; ///< well-formed UTF-8 without a byte order mark; line ends as they are in the file
    TextFormat format{};
    std::size_t first_invalid = std::string::npos; ///< Encoding::latin1: offset of the byte that is not UTF-8
};

inline constexpr std::size_t kMaxTextBytes = std::size_t{16} << 20;

/// Text that is not UTF-8 is taken as Latin-1, in which every byte is a character. Refused with a sentence that begins
/// with `name`: more than kMaxTextBytes (unsupported), NUL bytes or UTF-16 (invalid_input).
[[nodiscard]] Result<DecodedText> decode_text(std::string_view bytes, const std::string& name);

/// The inverse. A character that Latin-1 does not have is an error.
[[nodiscard]] Result<std::string> encode_text(std::string_view utf8, const TextFormat& format);

} // namespace kw::editor
