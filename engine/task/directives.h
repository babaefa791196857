#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Finding the `//@` comments of a CUDA source.
namespace kw::task {

/// Offsets of line beginnings, for turning byte offsets into positions.
class LineTable {
public:
    LineTable(std::string_view text, std::string file);
    [[nodiscard]] Where where(std::size_t offset) const;

private:
    std::string file_;
    std::vector<std::size_t> lines_;
};

/// What follows `//@`, with lines that end in a backslash joined (the joint is one space).
struct DirectiveText {
    std::string text;
    std::vector<std::size_t> offsets; ///< into the source, of each byte of `text` and of its end
    std::size_t begin = 0;            ///< offset of `//@` in the source
    std::shared_ptr<const LineTable> lines;

    /// The position of a byte of `text`.
    [[nodiscard]] Where where(std::size_t offset) const;
};

/// Every directive outside string literals, character literals and block comments, in order. A line that continues a
/// directive may begin with `//` or `//@`.
[[nodiscard]] std::vector<DirectiveText> find_directives(std::string_view source, const std::string& file);

} // namespace kw::task
