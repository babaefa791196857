#include "editor/text_codec.h"

#include "engine/base/file.h"
#include "engine/base/latin1.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kw::editor {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

LineEnd usual_line_end(std::string_view text) {
    std::array<std::size_t, 3> counts{};
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n') {
            ++counts[static_cast<std::size_t>(LineEnd::lf)];
        } else if (text[i] == '\r') {
            const bool pair = i + 1 < text.size() && text[i + 1] == '\n';
            ++counts[static_cast<std::size_t>(pair ? LineEnd::crlf : LineEnd::cr)];
            i += pair;
        }
    }
    return static_cast<LineEnd>(std::ranges::max_element(counts) - counts.begin());
}

} // namespace

Result<DecodedText> decode_text(std::string_view bytes, const std::string& name) {
    if (bytes.size() > kMaxTextBytes)
        return fail(Stage::usage, ErrorCode::unsupported,
                    fmt::format("{} has {:.1f} MB, and the editor opens up to {} MB", name,
                                static_cast<double>(bytes.size()) / (1 << 20), kMaxTextBytes >> 20));
    if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
        return fail(Stage::usage, ErrorCode::invalid_input,
                    fmt::format("{} is UTF-16; convert it with `iconv -f UTF-16 -t UTF-8`", name));
    if (const std::size_t nul = bytes.find('\0'); nul != bytes.npos)
        return fail(Stage::usage, ErrorCode::invalid_input,
                    fmt::format("{} is a binary file: byte {} is NUL", name, nul + 1));
    DecodedText decoded;
    decoded.format.line_end = usual_line_end(bytes);
    decoded.first_invalid = first_invalid_utf8(bytes);
    if (decoded.first_invalid != bytes.npos) {
        decoded.format.encoding = Encoding::latin1;
        decoded.text = latin1_to_utf8(bytes);
        return decoded;
    }
    decoded.format.byte_order_mark = bytes.starts_with(kMark);
    decoded.text = bytes.substr(decoded.format.byte_order_mark ? kMark.size() : 0);
    return decoded;
}

Result<std::string> encode_text(std::string_view utf8, const TextFormat& format) {
    std::string bytes;
    if (format.encoding == Encoding::utf8) {
        if (format.byte_order_mark) bytes = kMark;
        bytes += utf8;
        return bytes;
    }
    bytes.reserve(utf8.size());
    for (std::size_t i = 0; i < utf8.size(); ++i) {
        const auto byte = static_cast<unsigned char>(utf8[i]);
        if (byte < 0x80) {
            bytes += utf8[i];
        } else if ((byte == 0xC2 || byte == 0xC3) && i + 1 < utf8.size()) {
            bytes += static_cast<char>((byte & 0x03) << 6 | (static_cast<unsigned char>(utf8[++i]) & 0x3F));
        } else {
            const Where where = position_at(utf8, i);
            return fail(
                Stage::usage, ErrorCode::invalid_input,
                fmt::format("line {} has a character that Latin-1 lacks; convert the file to UTF-8", where.line));
        }
    }
    return bytes;
}

} // namespace kw::editor
