#pragma once

#include "editor/heat.h"
#include "engine/compile/disasm.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// PTX or SASS as it is shown beside its source.
namespace kw::editor {

struct Listing {
    enum class Kind { ptx, sass };
    struct Kernel {
        std::string name;    ///< demangled: "softmax<256>"
        std::string lowered; ///< mangled
        int first_line = 0;  ///< from 1
        bool operator==(const Kernel&) const = default;
    };

    Kind kind = Kind::ptx;
    std::string text;
    std::vector<int> source_line;     ///< of each line of `text`, in the source file; 0: none
    std::vector<std::int64_t> offset; ///< of each line: bytes from the kernel's start (SASS); -1: no instruction
    std::vector<Kernel> kernels;

    /// Lines from 1 that came from this line of the source, ascending.
    [[nodiscard]] std::vector<int> lines_of(int source) const;
    /// The kernel that a line from 1 belongs to; null above the first.
    [[nodiscard]] const Kernel* kernel_at(int line) const;
};

/// Of a listing as engine/compile has it. A line inside a function that was inlined counts for the line of `source`
/// that called it, where the function itself is not in `source`.
[[nodiscard]] Listing listing_of(const compile::Listing& listing, std::string_view source);
/// Of what a worker answers to `disassemble` (its member "listing"); an error names the member that is wrong.
[[nodiscard]] Result<Listing> listing_from_json(const Json& answer, std::string_view source);
/// Of PTX, or of nvdisasm's text as `-c -gi` writes it; any text in.
[[nodiscard]] Listing parse_listing(std::string_view text, std::string_view source);

/// A metric by instruction as a column for the lines of a SASS listing; nothing where the profile does not have it.
[[nodiscard]] std::optional<HeatColumn> instruction_heat(const Listing& listing, const profile::Report& report,
                                                         std::string_view id);

} // namespace kw::editor
