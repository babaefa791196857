#pragma once

#include "engine/compile/compiler.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What a compilation hands to NVRTC, after every include of the task's own files has been followed and checked.
namespace kw::compile {

/// A __global__ function as the text declares it; templates and overloads appear once each.
struct KernelDeclaration {
    std::string name;
    std::string parameters; ///< as written, in one line
    Where where;
};

struct PreparedSources {
    std::string main; ///< text of the main file for NVRTC
    std::vector<std::pair<std::string, std::string>>
        headers;                   ///< in-memory headers: reachable task files, stand-ins, prelude
    std::string prelude_name;      ///< which of the headers comes before the first line
    std::string headers_sha256;    ///< of all headers' contents; also in their names
    bool main_is_included = false; ///< by a header or itself, so that the hash does not cover what is read
    bool uses_toolkit = false;     ///< includes headers of the toolkit, which take long to read
    std::vector<KernelDeclaration> kernels;
};

/// Above this a source is refused: the compiler would take minutes and gigabytes.
inline constexpr std::size_t kMaxSourceBytes = std::size_t{16} << 20;

/// Follows includes from the main file through the task. An include may name a task file (relative to the including
/// file or to the task's root, ".." within the task allowed) or, without "..", a header of the toolkit. Everything else
/// is invalid_input with its position: an absolute path, a path out of the task, a computed include whose macro is not
/// defined exactly once as a header name,
/// __has_include in a macro's body. Line numbers stay as they are.
[[nodiscard]] Result<PreparedSources> prepare_sources(const Request& request);

} // namespace kw::compile
