#pragma once

#include <QString>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

/// Two texts beside each other, as plain values. Lines count from 0.
namespace kw::editor {

/// Bytes [begin, end) of a text.
struct ByteRange {
    long begin = 0, end = 0;
    bool operator==(const ByteRange&) const = default;
};

enum class HunkState {
    open,     ///< can be taken
    taken,    ///< is in the text already
    rejected, ///< somebody does not want it
    stale     ///< the text has moved on where it belongs
};

/// A run of lines in which the left and the right text differ.
struct CompareHunk {
    std::string id;
    int left_line = 0, left_lines = 0;
    int right_line = 0, right_lines = 0;
    std::vector<ByteRange> left_words{}, right_words{}; ///< what differs within the lines
    HunkState state = HunkState::open;
    QString note{}; ///< why it is rejected or stale, or who took it, in a sentence
    bool operator==(const CompareHunk&) const = default;
};

struct Comparison {
    std::vector<CompareHunk> hunks; ///< ascending
    bool unfinished = false;        ///< the right text is still being written; nothing of it can be taken
    bool operator==(const Comparison&) const = default;
};

/// Rows to be left free below a line, by line, so that the same lines are beside each other. There is no room above a
/// text's first line: what would go there goes below it.
using Fillers = std::map<int, int>;
[[nodiscard]] Fillers fillers_of(const Comparison& comparison, bool right);

/// The line of the other text that stands beside `line`.
[[nodiscard]] int line_beside(const Comparison& comparison, int line, bool from_right);

} // namespace kw::editor
