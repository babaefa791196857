#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kw::cli {

struct TraceArguments {
    std::vector<std::string> command; ///< with its arguments
    std::string output;               ///< Chrome trace; empty: named after the command, in the current folder
    std::string report;               ///< also a profile::Report as JSON, to this file
    std::string kinds;                ///< "kernel,copy,memset,synchronization,call"; empty: all
    std::uint64_t max_events = 10'000'000;
    bool json = false; ///< the summary as JSON
    bool live = false; ///< a line per second while the program runs
    std::string toolkit;
};

/// Runs a program with its GPU activities collected. Standard output is the program's alone: everything that is said
/// goes to standard error. Gives the program's own status (128 + signal when one ended it, 127 or 126 when it could not
/// be started), 3 when tracing is not possible here, in which case the program is not started.
[[nodiscard]] int trace_command(const TraceArguments& arguments);

/// Takes what follows `--` in `kw … trace … -- COMMAND ARGS…` out of the arguments, as it is.
[[nodiscard]] std::vector<std::string> take_traced_command(int& argc, char** argv);

} // namespace kw::cli
