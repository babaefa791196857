#include "agent/patch/hunks.h"

#include <algorithm>

namespace kw::patch {
namespace {

/// Where line `line` (from 0) of a text begins, or its end.
std::size_t begin_of(std::string_view text, std::size_t line) {
    std::size_t at = 0;
    for (; line > 0; --line) {
        at = text.find('\n', at);
        if (at == std::string_view::npos) return text.size();
        ++at;
    }
    return at;
}

} // namespace

Splice splice_of(const Hunk& hunk, std::size_t line) { return {line, hunk.base_lines, hunk.added}; }

Splice splice_of_part(const Hunk& hunk, std::size_t line, std::size_t first, std::size_t lines) {
    const std::size_t from = std::min(first, hunk.target_lines), to = std::min(first + lines, hunk.target_lines);
    const std::size_t begin = begin_of(hunk.added, from), end = begin_of(hunk.added, to);
    const std::size_t row = std::min(from, hunk.base_lines);
    return {line + row, std::min(to, hunk.base_lines) - row, hunk.added.substr(begin, end - begin)};
}

Bytes bytes_of(std::string_view all, Splice& splice) {
    const std::size_t begin = begin_of(all, splice.line);
    const std::size_t end = begin + begin_of(all.substr(begin), splice.lines);
    if (!splice.text.empty()) {
        if (end < all.size() && splice.text.back() != '\n') splice.text += '\n';
        if (begin > 0 && all[begin - 1] != '\n') splice.text.insert(0, 1, '\n');
    }
    return {begin, end};
}

std::string spliced(std::string_view all, Splice splice) {
    const auto bytes = bytes_of(all, splice);
    std::string text(all.substr(0, bytes.begin));
    text += splice.text;
    return text += all.substr(bytes.end);
}

} // namespace kw::patch
