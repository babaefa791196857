#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Which source line each line of PTX came from, and back, read from its .file and .loc directives.
namespace kw::compile {

struct SourceLine {
    std::string file; ///< as .file names it; task files are task-relative in Output::ptx
    int line = 0;
    int column = 0;

    bool operator==(const SourceLine&) const = default;
};

struct PtxLine {
    SourceLine source;                      ///< innermost: inside an inlined function it is that function's line
    std::optional<SourceLine> inlined_at{}; ///< where that function was called
};

class LineTable {
public:
    /// Any text in; a table without entries when it has no line information.
    explicit LineTable(std::string_view ptx);

    /// Null for lines outside of functions, before a function's first .loc, or past the end. `ptx_line` counts from 1.
    [[nodiscard]] const PtxLine* source_of(std::size_t ptx_line) const;

    /// PTX lines, ascending, whose innermost source line this is.
    [[nodiscard]] const std::vector<std::size_t>& ptx_of(std::string_view file, int line) const;

    /// The first source line given after PTX line `first`, up to `last`: of an entry, where its body begins.
    [[nodiscard]] std::optional<SourceLine> first_between(std::size_t first, std::size_t last) const;

    [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

private:
    std::vector<std::string> files_;    ///< in the order of their numbers
    std::vector<PtxLine> locations_;    ///< each .loc
    std::vector<int> location_of_line_; ///< by PTX line - 1; -1: none
    std::map<std::pair<std::string, int>, std::vector<std::size_t>, std::less<>> lines_;
};

} // namespace kw::compile
