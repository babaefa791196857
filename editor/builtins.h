#pragma once

#include "engine/base/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What CUDA C++ offers in device code, as data: resources/editor/cuda_builtins.toml.
namespace kw::editor {

struct Builtin {
    enum class Kind { variable, type, qualifier, function, macro, directive };
    std::string name;
    Kind kind = Kind::function;
    std::string group;                   ///< "synchronisation", "shuffle", …
    std::vector<std::string> signatures; ///< overloads; never empty
    std::string about;                   ///< one sentence
    std::string since{};                 ///< where it matters: "sm_80", "CUDA 11"
    std::string header{};                ///< what has to be included, "cuda_fp16.h"
};

[[nodiscard]] std::string_view to_string(Builtin::Kind kind);

/// Sorted by name.
[[nodiscard]] std::span<const Builtin> builtins();
[[nodiscard]] const Builtin* find_builtin(std::string_view name);

/// Reads such a file; an error names the entry. Names are unique.
[[nodiscard]] Result<std::vector<Builtin>> parse_builtins(std::string_view toml, std::string_view file);

} // namespace kw::editor
