#pragma once

#include "engine/compile/compiler.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Reading the text that NVRTC leaves behind: front end messages, ptxas messages and ptxas statistics.
namespace kw::compile {

/// What ptxas reports for one entry with -v. Bytes per thread for stack and spills, per block for shared memory.
struct PtxasStatistics {
    std::uint32_t registers = 0;
    std::uint32_t shared_bytes = 0;
    std::uint32_t stack_bytes = 0;
    std::uint32_t spill_store_bytes = 0;
    std::uint32_t spill_load_bytes = 0;
    std::uint32_t constant_bytes = 0;
};

/// A message about one of the name expressions given to the compiler. (Its line does not tell which: NVRTC sorts them.)
struct NameExpressionMessage {
    std::string expression;
    Diagnostic diagnostic;
};

struct ParsedLog {
    std::vector<Diagnostic> diagnostics;
    std::vector<NameExpressionMessage> name_expressions;
    std::map<std::string, PtxasStatistics, std::less<>> statistics; ///< by lowered name
};

/// Any text in; lines that are not understood are skipped. Columns count bytes from 1 and come from the caret lines.
/// Lines and columns of ptxas messages are positions in the PTX ("ptx" is their file) until the caller maps them to the
/// source.
[[nodiscard]] ParsedLog parse_log(std::string_view log);

/// Invalid UTF-8 bytes are taken as Latin-1, so that any text of a user's file can go into JSON.
[[nodiscard]] std::string to_utf8(std::string_view text);

} // namespace kw::compile
