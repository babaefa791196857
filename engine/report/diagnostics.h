#pragma once

#include "engine/compile/compiler.h"
#include "engine/report/text.h"

#include <span>
#include <string>

namespace kw::report {

/// "softmax.cu:3:5: ", as far as it is known; empty without a file.
[[nodiscard]] std::string place(const Where& where);

/// A line of a source with a caret under a column (from 1, in bytes); empty when there is no such line.
[[nodiscard]] std::string excerpt(const compile::Files& files, const Where& where, const Style& style);

/// "softmax.cu:3:5: error: …" with the line, a caret and the notes below. At most `limit` are shown, then how many were
/// left out.
[[nodiscard]] std::string render(std::span<const compile::Diagnostic> diagnostics, const compile::Files& files,
                                 const Style& style, std::size_t limit = 20);

} // namespace kw::report
