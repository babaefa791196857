#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// What the C++ lexer cannot see in CUDA source: directives, launch brackets and the PTX inside asm strings.
namespace kw::editor {

enum class SpanKind : std::uint8_t {
    directive,         ///< "//@" and what is nothing else below
    directive_keyword, ///< tune, scratch, launch, cooperative, cluster
    directive_name,    ///< names that a directive introduces or launches
    launch_bracket,    ///< "<<<" and ">>>"
    ptx_opcode,        ///< "ld.global.f32" inside an asm string
    ptx_operand,       ///< "%0", "%%tid.x"
};
inline constexpr int kSpanKinds = 6;

struct Span {
    std::size_t begin = 0; ///< bytes from the line's start
    std::size_t end = 0;
    SpanKind kind = SpanKind::directive;
    bool operator==(const Span&) const = default;
};

/// What a line needs to know of those above it. 0 at the start of a text.
using LineState = std::uint16_t;

/// Appends the spans of one line (with or without its line end) and gives the state for the next.
[[nodiscard]] LineState scan_line(std::string_view line, LineState state, std::vector<Span>& spans);

} // namespace kw::editor
