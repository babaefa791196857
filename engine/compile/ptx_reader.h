#pragma once

#include "engine/compile/compiler.h"

#include <string>
#include <string_view>
#include <vector>

/// What the compiler's own PTX says about its entries. Not a PTX parser: the simulator has that.
namespace kw::compile {

struct PtxEntry {
    std::string name;                  ///< lowered
    std::vector<Parameter> parameters; ///< offset, bytes, align and ptx_type; `pointer` only where the PTX says .ptr
    std::uint32_t max_threads = 0;     ///< .maxntid, or 0
    std::uint32_t shared_bytes = 0;    ///< static shared memory declared inside it
    std::size_t first_line = 0;        ///< line of ".entry", from 1
    std::size_t last_line = 0;         ///< line of its closing brace
};

/// Entries in the order of the text.
[[nodiscard]] std::vector<PtxEntry> ptx_entries(std::string_view ptx);

/// The C++ types of a mangled function's parameters, "float const*"; empty for a name that is not mangled (extern "C").
[[nodiscard]] std::vector<std::string> parameter_types(const std::string& lowered);

/// "softmax<128>" of "_Z7softmaxILi128EEvPKfPfii"; the name itself when it is not mangled.
[[nodiscard]] std::string demangled_name(const std::string& lowered);

} // namespace kw::compile
