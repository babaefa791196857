#include "agent/patch/hunks.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace kw::patch {
namespace {

std::vector<std::string_view> lines_in(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

bool tells(std::string_view line) {
    return std::ranges::any_of(line, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
               || static_cast<unsigned char>(c) >= 0x80;
    });
}

Presence presence(std::size_t there, std::size_t all) {
    return there == 0 ? Presence::none : there < all ? Presence::some : Presence::all;
}

/// Of the lines `wanted`, those for which `is_there` holds.
template<class IsThere> Presence count(const std::vector<std::string_view>& wanted, const IsThere& is_there) {
    const bool any_tells = std::ranges::any_of(wanted, tells);
    std::size_t there = 0, all = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (any_tells && !tells(wanted[i])) continue;
        ++all;
        there += is_there(i);
    }
    return presence(there, all);
}

/// Removed lines that are in the text again are what stands there and the target lacks.
Presence presence_of_removal(const Change& lacking, const Piece& piece) {
    std::multiset<std::string_view> back;
    for (const auto& hunk : lacking.hunks) {
        if (hunk.id == piece.id) return Presence::none;
        if (hunk.target_line <= piece.line && piece.line <= hunk.target_line + hunk.target_lines)
            for (const auto line : lines_in(hunk.removed)) back.insert(line);
    }
    if (!piece.removed || piece.removed->empty()) return Presence::all;
    const auto wanted = lines_in(*piece.removed);
    return count(wanted, [&](std::size_t i) {
        const auto found = back.find(wanted[i]);
        if (found == back.end()) return true;
        back.erase(found);
        return false;
    });
}

} // namespace

std::optional<Named> named(std::string_view id) {
    Named found;
    const char* const end = id.data() + id.size();
    const auto line = std::from_chars(id.data(), end, found.target_line);
    if (line.ec != std::errc{} || found.target_line == 0 || line.ptr == end || *line.ptr != '+') return std::nullopt;
    --found.target_line;
    const auto lines = std::from_chars(line.ptr + 1, end, found.target_lines);
    if (lines.ec != std::errc{} || lines.ptr == end || *lines.ptr != ':') return std::nullopt;
    return found;
}

Presence presence_of(const Change& lacking, const Piece& piece) {
    if (piece.lines == 0) return presence_of_removal(lacking, piece);
    const auto target = lines_in(lacking.target);
    if (piece.line >= target.size()) return Presence::none;
    const std::vector wanted(
        target.begin() + static_cast<std::ptrdiff_t>(piece.line),
        target.begin() + static_cast<std::ptrdiff_t>(piece.line + std::min(piece.lines, target.size() - piece.line)));
    return count(wanted, [&](std::size_t i) {
        const auto line = piece.line + i;
        return std::ranges::none_of(lacking.hunks, [&](const Hunk& hunk) {
            return hunk.target_line <= line && line < hunk.target_line + hunk.target_lines;
        });
    });
}

} // namespace kw::patch
