#include "agent/patch/hunks.h"

#include <algorithm>
#include <cctype>

namespace kw::patch {
namespace {

/// Marks inside lines help a reader of some lines, not of pages.
constexpr std::size_t kMostBytes = 32 << 10;

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

/// Names and numbers, runs of blanks, and single other characters.
std::vector<Bytes> words_of(std::string_view text) {
    std::vector<Bytes> words;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = begin + 1;
        if (is_word(text[begin]))
            while (end < text.size() && is_word(text[end])) ++end;
        else if (text[begin] == ' ' || text[begin] == '\t')
            while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
        words.push_back({begin, end});
        begin = end;
    }
    return words;
}

/// A line for each word, so that words are compared as lines are.
std::string one_a_line(std::string_view text, const std::vector<Bytes>& words) {
    std::string lines;
    lines.reserve(2 * text.size());
    for (const auto& word : words) {
        const auto bytes = text.substr(word.begin, word.end - word.begin);
        lines += bytes == "\n" ? "\x01" : bytes;
        lines += '\n';
    }
    return lines;
}

/// Line ends are not marked: there is nothing to see.
void add(std::vector<Bytes>& to, std::string_view text, Bytes bytes) {
    while (bytes.end > bytes.begin && (text[bytes.end - 1] == '\n' || text[bytes.end - 1] == '\r')) --bytes.end;
    if (bytes.end > bytes.begin) to.push_back(bytes);
}

std::size_t sum(const std::vector<Bytes>& ranges) {
    std::size_t bytes = 0;
    for (const auto& range : ranges) bytes += range.end - range.begin;
    return bytes;
}

} // namespace

WordChange changed_words(std::string_view removed, std::string_view added) {
    if (removed.empty() || added.empty() || removed.size() + added.size() > kMostBytes) return {};
    const auto old_words = words_of(removed), new_words = words_of(added);
    const auto change = change_between(one_a_line(removed, old_words), one_a_line(added, new_words));
    if (!change) return {};
    WordChange words;
    const auto collect = [](std::vector<Bytes>& to, std::string_view text, const std::vector<Bytes>& of,
                            std::size_t first, std::size_t count) {
        if (count > 0) add(to, text, {of[first].begin, of[first + count - 1].end});
    };
    for (const auto& hunk : change->hunks) {
        collect(words.removed, removed, old_words, hunk.base_line, hunk.base_lines);
        collect(words.added, added, new_words, hunk.target_line, hunk.target_lines);
    }
    const bool mostly = 3 * sum(words.removed) > 2 * removed.size() && 3 * sum(words.added) > 2 * added.size();
    return mostly ? WordChange{} : words;
}

} // namespace kw::patch
