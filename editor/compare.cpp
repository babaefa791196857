#include "editor/compare.h"

#include <algorithm>

namespace kw::editor {

Fillers fillers_of(const Comparison& comparison, bool right) {
    Fillers fillers;
    for (const auto& hunk : comparison.hunks) {
        const int line = right ? hunk.right_line : hunk.left_line, lines = right ? hunk.right_lines : hunk.left_lines;
        const int rows = (right ? hunk.left_lines : hunk.right_lines) - lines;
        if (rows > 0) fillers[std::max(0, line + lines - 1)] += rows;
    }
    return fillers;
}

int line_beside(const Comparison& comparison, int line, bool from_right) {
    int shift = 0;
    for (const auto& hunk : comparison.hunks) {
        const int from = from_right ? hunk.right_line : hunk.left_line;
        const int from_lines = from_right ? hunk.right_lines : hunk.left_lines;
        const int to = from_right ? hunk.left_line : hunk.right_line;
        const int to_lines = from_right ? hunk.left_lines : hunk.right_lines;
        if (line < from) break;
        if (line < from + from_lines) return to + std::min(line - from, std::max(0, to_lines - 1));
        shift = to + to_lines - from - from_lines;
    }
    return line + shift;
}

} // namespace kw::editor
