#pragma once

#include "agent/trajectory/import_trace.h"
#include "agent/trajectory/session_file.h"

#include <array>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// What other programs recorded of an agent's work, as a session. Nothing of a trace is executed and no path in it is
/// followed; what it does not hold is absent, never made up.
namespace kw::trajectory {

inline constexpr std::array<std::string_view, 6> kImportFormats{"atif",        "swe-agent", "inspect",
                                                                "claude-code", "codex",     "kernelbench"};

struct ImportOptions {
    std::string format = "auto"; ///< one of kImportFormats, or auto: by content
    std::string task{};          ///< name of the session's task; empty: as the trace names it
    std::stop_token stop{};
};

struct ImportReport {
    std::string format;
    std::size_t turns = 0;          ///< of the agent
    std::size_t steps = 0;          ///< turns that change a kernel, each with those around it; lacking any, all turns
    std::size_t sources = 0;        ///< steps whose source the trace holds
    std::vector<std::string> notes; ///< what was left out or is not as it should be, a sentence each
};

/// Reads a file or folder of at most 1 GiB. Errors name it and what is wrong.
[[nodiscard]] Result<Trace> read_trace(const std::filesystem::path& path, const ImportOptions& options);

/// Reads a trace that is in memory; a KernelBench folder is none. `name` is for messages.
[[nodiscard]] Result<Trace> read_trace_text(std::string bytes, const std::string& name, const ImportOptions& options);

/// Writes a new session at `to`, whole or not at all.
[[nodiscard]] Result<ImportReport> import_session(const std::filesystem::path& from, const std::filesystem::path& to,
                                                  const ImportOptions& options);

} // namespace kw::trajectory
