#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/compile/compiler.h"
#include "engine/compile/line_table.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// PTX and SASS as listings: functions of lines that know their source line.
namespace kw::compile {

struct ListingLine {
    enum class Kind { label, instruction, directive };
    Kind kind = Kind::instruction;
    std::string text;                       ///< without indentation and comments of the tool
    std::uint64_t address = 0;              ///< SASS: offset in the function, bytes; PTX: line of the PTX text, from 1
    SourceLine source{};                    ///< innermost; line 0: unknown
    std::optional<SourceLine> inlined_at{}; ///< where the inlined function was called
};

struct ListingFunction {
    std::string name;    ///< demangled: "softmax<256>"
    std::string lowered; ///< mangled
    std::vector<ListingLine> lines;
};

struct Listing {
    std::string language; ///< "ptx" or "sass"
    std::string target;   ///< "sm_90"
    std::vector<ListingFunction> functions;
};

[[nodiscard]] Listing ptx_listing(std::string_view ptx);

/// Runs nvdisasm on a cubin. Errors: not_found with the remedy when there is none (it comes with the toolkit, or as the
/// wheel nvidia-cuda-nvdisasm), what it says when it fails, cancelled.
[[nodiscard]] Result<Listing> sass_listing(std::string_view cubin, const std::string& user_setting,
                                           std::stop_token stop);

/// Reads nvdisasm's text as `-c -gi` writes it.
[[nodiscard]] Listing parse_nvdisasm(std::string_view text);

/// As text for people: before each run of lines the source line that they came from, taken from `files` where it is
/// known.
[[nodiscard]] std::string render(const Listing& listing, const Files& files);

[[nodiscard]] Json to_json(const Listing& listing);

} // namespace kw::compile
