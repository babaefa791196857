#include "agent/patch/hunks.h"

#include "engine/base/hash.h"

#include <fmt/format.h>
#include <git2.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

namespace kw::patch {
namespace {

/// A pair of line ranges that differ.
struct Range {
    std::size_t old_line, old_lines, new_line, new_lines;
};

/// git counts from 1, and names the line before where there is none.
Range range_of(const git_diff_hunk& hunk) {
    const auto first = [](int start, int lines) { return static_cast<std::size_t>(lines == 0 ? start : start - 1); };
    return {first(hunk.old_start, hunk.old_lines), static_cast<std::size_t>(hunk.old_lines),
            first(hunk.new_start, hunk.new_lines), static_cast<std::size_t>(hunk.new_lines)};
}

using Ranges = std::vector<Range>;

std::optional<Ranges> diff(std::string_view before, std::string_view after) {
    static std::once_flag started;
    std::call_once(started, [] { git_libgit2_init(); });
    git_diff_options options;
    git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.context_lines = 0;
    options.interhunk_lines = 0;
    options.flags = GIT_DIFF_FORCE_TEXT;
    Ranges ranges;
    const auto collect = [](const git_diff_delta*, const git_diff_hunk* hunk, void* to) {
        static_cast<Ranges*>(to)->push_back(range_of(*hunk));
        return 0;
    };
    if (git_diff_buffers(before.data(), before.size(), nullptr, after.data(), after.size(), nullptr, &options, nullptr,
                         nullptr, collect, nullptr, &ranges)
        != 0)
        return std::nullopt;
    return ranges;
}

/// Where each line begins, and the end of the text.
std::vector<std::size_t> line_starts(std::string_view text) {
    std::vector<std::size_t> starts{0};
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '\n') starts.push_back(i + 1);
    if (starts.back() != text.size()) starts.push_back(text.size());
    return starts;
}

std::string_view lines_of(std::string_view text, const std::vector<std::size_t>& starts, std::size_t line,
                          std::size_t lines) {
    return text.substr(starts[line], starts[line + lines] - starts[line]);
}

struct Followed {
    std::size_t line, lines; ///< where the lines are after the edits; of an edit of them, where that is
    bool edited;
};

/// Where lines are after edits. What has no lines of its own is told by those next to it.
Followed follow(const Ranges& edits, std::size_t line, std::size_t lines) {
    std::size_t found = line;
    for (const auto& edit : edits) {
        const std::size_t edit_end = edit.old_line + edit.old_lines;
        const bool before = lines == 0 ? edit_end < line : edit_end <= line;
        if (before) {
            found += edit.new_lines - edit.old_lines;
            continue;
        }
        const bool after = lines == 0 ? edit.old_line > line : edit.old_line >= line + lines;
        if (after) break;
        return {edit.new_line, edit.new_lines, true};
    }
    return {found, lines, false};
}

std::unexpected<Error> too_large() {
    return fail(Stage::usage, ErrorCode::unsupported, "the texts are too large to be compared");
}

} // namespace

Result<Change> change_between(std::string base, std::string target) {
    const auto ranges = diff(base, target);
    if (!ranges) return too_large();
    Change change{std::move(base), std::move(target), {}};
    const auto base_starts = line_starts(change.base), target_starts = line_starts(change.target);
    change.hunks.reserve(ranges->size());
    for (const auto& range : *ranges) {
        Hunk hunk{.id = {},
                  .base_line = range.old_line,
                  .base_lines = range.old_lines,
                  .target_line = range.new_line,
                  .target_lines = range.new_lines,
                  .removed = std::string(lines_of(change.base, base_starts, range.old_line, range.old_lines)),
                  .added = std::string(lines_of(change.target, target_starts, range.new_line, range.new_lines))};
        const auto hash =
            sha256_hex(fmt::format("{} {}\n", hunk.removed.size(), hunk.added.size()) + hunk.removed + hunk.added);
        hunk.id = fmt::format("{}+{}:{}", hunk.target_line + 1, hunk.target_lines, hash.substr(0, 12));
        change.hunks.push_back(std::move(hunk));
    }
    return change;
}

std::string with_taken(const Change& change, const Taken& taken) {
    const auto starts = line_starts(change.base);
    std::string text;
    std::size_t line = 0;
    for (std::size_t i = 0; i < change.hunks.size(); ++i) {
        const auto& hunk = change.hunks[i];
        text += lines_of(change.base, starts, line, hunk.base_line - line);
        text += taken[i] ? hunk.added : hunk.removed;
        line = hunk.base_line + hunk.base_lines;
    }
    return text += std::string_view(change.base).substr(starts[line]);
}

Result<Toggled> toggle(const Change& change, const Taken& taken, std::size_t index, std::string_view text) {
    const auto& hunk = change.hunks[index];
    const std::string expected = with_taken(change, taken);
    const auto edits = diff(expected, text);
    if (!edits) return too_large();

    // Where the hunk stands in what the text is meant to be …
    std::size_t line = hunk.base_line;
    for (std::size_t i = 0; i < index; ++i)
        if (taken[i]) line += change.hunks[i].target_lines - change.hunks[i].base_lines;
    const std::size_t lines = taken[index] ? hunk.target_lines : hunk.base_lines;
    // … and in what it is.
    const auto where = follow(*edits, line, lines);
    if (where.edited)
        return fail(Stage::usage, ErrorCode::invalid_input,
                    fmt::format("this part no longer fits: line{} {} of the text {} edited since",
                                where.lines > 1 ? "s" : "",
                                where.lines > 1 ? fmt::format("{} to {}", where.line + 1, where.line + where.lines)
                                                : fmt::format("{}", where.line + 1),
                                where.lines > 1 ? "were" : "was"),
                    Where{{}, static_cast<int>(where.line + 1), 0});
    const std::size_t found = where.line;
    const auto starts = line_starts(text);
    const auto& replacement = taken[index] ? hunk.removed : hunk.added;
    Toggled result{.text = {}, .line = found, .lines = taken[index] ? hunk.base_lines : hunk.target_lines};
    result.text = text.substr(0, starts[found]);
    result.text += replacement;
    result.text += text.substr(starts[found + lines]);
    return result;
}

Result<std::vector<Place>> locate(const Change& change, std::string_view text) {
    const auto from_base = diff(change.base, text), from_target = diff(change.target, text);
    if (!from_base || !from_target) return too_large();
    std::vector<Place> places;
    places.reserve(change.hunks.size());
    for (const auto& hunk : change.hunks) {
        const auto open = follow(*from_base, hunk.base_line, hunk.base_lines);
        const auto taken = follow(*from_target, hunk.target_line, hunk.target_lines);
        // A text that is the target in every other respect leaves no doubt, and neither does the base.
        if (!taken.edited && (open.edited || from_target->size() < from_base->size()))
            places.push_back({Place::State::taken, taken.line, taken.lines});
        else if (!open.edited)
            places.push_back({Place::State::open, open.line, open.lines});
        else
            places.push_back({Place::State::conflict, open.line, open.lines});
    }
    return places;
}

} // namespace kw::patch
