#pragma once

#include "engine/base/result.h"
#include "engine/compile/sources.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// One file's text read once: its includes, macros, kernels and the names it declares.
namespace kw::compile {

/// An #include, #include_next, #embed, import or __has_include.
struct IncludeSite {
    std::string text; ///< the header name without delimiters, or the macro's name
    bool computed = false;
    bool angled = false;
    std::size_t begin = 0; ///< what to replace in the text: the header name with its delimiters, or the macro's name
    std::size_t end = 0;
};

struct MacroDefinition {
    bool simple = false; ///< object-like with exactly one header name as its body
    std::string header;
    bool angled = false;
};

struct FileScan {
    std::vector<IncludeSite> includes;
    std::multimap<std::string, MacroDefinition> macros;
    std::set<std::string>
        declared; ///< names that the file defines as macros, types, constants or functions, as far as the text shows
    std::vector<KernelDeclaration> kernels;
};

/// The text as the compiler shall see it: no byte order mark, lines ended by a line feed alone. Refuses NUL bytes and
/// what is too large.
[[nodiscard]] Result<std::string> clean_text(const std::string& file, std::string_view text);

/// `text` is clean. Refuses what could smuggle an include past the reader. `depth` counts raw strings around the text.
[[nodiscard]] Result<FileScan> scan_file(const std::string& file, std::string_view text, int depth = 0);

} // namespace kw::compile
