#include "agent/tools/scratch.h"

#include "engine/base/file.h"
#include "engine/base/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kw::tools {
namespace {

constexpr std::size_t kLargestCandidate = std::size_t{1} << 20;
/// Occurrences whose lines are told.
constexpr std::size_t kMostPlaces = 5;
constexpr std::size_t kLongestQuote = 160;

std::unexpected<Error> refuse(std::string message) {
    return fail(Stage::usage, ErrorCode::invalid_input, std::move(message));
}

std::string_view trimmed(std::string_view line) {
    const auto from = line.find_first_not_of(" \t\r");
    if (from == line.npos) return {};
    return line.substr(from, line.find_last_not_of(" \t\r") - from + 1);
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    return lines;
}

/// How many pairs of neighbouring characters two lines share, twice, over how many they have: 1 for equal ones.
double likeness(std::string_view a, std::string_view b) {
    if (a.size() < 2 || b.size() < 2) return a == b ? 1 : 0;
    std::map<std::string_view, int> pairs;
    for (std::size_t i = 0; i + 1 < a.size(); ++i) ++pairs[a.substr(i, 2)];
    int shared = 0;
    for (std::size_t i = 0; i + 1 < b.size(); ++i)
        if (const auto found = pairs.find(b.substr(i, 2)); found != pairs.end() && found->second-- > 0) ++shared;
    return 2.0 * shared / static_cast<double>(a.size() + b.size() - 2);
}

/// Where the text that was looked for may have been meant to be.
std::string nearest(std::string_view text, std::string_view wanted) {
    std::string_view first;
    for (const auto line : lines_of(wanted))
        if (first = trimmed(line).substr(0, kLongestQuote); !first.empty()) break;
    std::size_t best = 0, number = 0;
    double most = 0.4; // below that, lines have little more than their language in common
    std::string_view found;
    for (const auto line : lines_of(text)) {
        ++number;
        const auto candidate = trimmed(line).substr(0, kLongestQuote);
        const auto like = likeness(candidate, first);
        if (like <= most) continue;
        most = like;
        best = number;
        found = candidate;
    }
    if (best == 0) return "; nothing like it is there, so read the file again";
    if (most == 1) return fmt::format("; line {} is like its first line, so white space or a later line differs", best);
    return fmt::format("; the nearest is line {}: {}", best, found);
}

} // namespace

std::vector<std::string> Scratch::text_names() const {
    std::vector<std::string> names;
    for (const auto& [name, text] : files_)
        if (!name.ends_with(".npy")) names.push_back(name);
    return names;
}

Result<std::string> Scratch::name_of(std::string_view path) const {
    while (path.starts_with("./")) path.remove_prefix(2);
    const auto shown = std::string{path.substr(0, kLongestQuote)};
    if (path.starts_with('/') || path.starts_with('~') || path.contains('\\') || path.contains('\0'))
        return refuse(fmt::format("'{}' is no name in the task; names are relative to its folder", shown));
    for (auto rest = path; !rest.empty();) {
        const auto slash = rest.find('/');
        if (rest.substr(0, slash) == "..")
            return refuse(fmt::format("'{}' leads out of the task, which is all there is", shown));
        rest.remove_prefix(slash == rest.npos ? rest.size() : slash + 1);
    }
    const auto found = files_.find(path);
    const auto names = text_names();
    if (found == files_.end())
        return refuse(
            fmt::format("the task has no '{}'{}; it has {}", shown, did_you_mean(shown, names), list_of(names)));
    return found->first;
}

Result<std::string> Scratch::read(std::string_view path) const {
    const auto name = name_of(path);
    if (!name) return name;
    if (name->ends_with(".npy")) return refuse(fmt::format("{} is data, not text", *name));
    return files_.find(*name)->second;
}

Result<void> Scratch::writable(std::string_view path) const {
    if (path.empty()) return {};
    const auto name = name_of(path);
    if (!name) return std::unexpected(name.error());
    if (*name != candidate_)
        return refuse(fmt::format("{} may only be read; the one file to change is {}", *name, candidate_));
    return {};
}

Result<void> Scratch::replace(std::string_view path, std::string_view old_text, std::string_view new_text) {
    if (auto allowed = writable(path); !allowed) return allowed;
    if (old_text.empty()) return refuse("old_text is empty; to write the whole file, give content");
    if (old_text == new_text) return refuse("old_text and new_text are the same, so nothing would change");
    const auto& text = candidate();
    std::vector<std::size_t> places;
    for (auto at = text.find(old_text); at != std::string::npos; at = text.find(old_text, at + 1)) places.push_back(at);
    if (places.empty())
        return refuse(fmt::format("old_text does not occur in {}{}", candidate_, nearest(text, old_text)));
    if (places.size() > 1) {
        std::vector<std::string> lines;
        for (const auto at : places) {
            if (lines.size() == kMostPlaces) break;
            lines.push_back(fmt::format("{}", position_at(text, at).line));
        }
        return refuse(
            fmt::format("old_text occurs {} times in {} (lines {}{}); add lines around it until it occurs once",
                        places.size(), candidate_, fmt::join(lines, ", "), places.size() > kMostPlaces ? ", …" : ""));
    }
    auto changed = text;
    changed.replace(places.front(), old_text.size(), new_text);
    return write({}, std::move(changed));
}

Result<void> Scratch::write(std::string_view path, std::string content) {
    if (auto allowed = writable(path); !allowed) return allowed;
    if (content.size() > kLargestCandidate)
        return refuse(
            fmt::format("the file would hold {} bytes; a candidate may hold {}", content.size(), kLargestCandidate));
    if (content.contains('\0') || first_invalid_utf8(content) != std::string::npos)
        return refuse("the file would not be UTF-8 text");
    files_[candidate_] = std::move(content);
    return {};
}

} // namespace kw::tools
