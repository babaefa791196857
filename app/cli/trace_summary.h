#pragma once

#include "engine/base/json.h"
#include "engine/profile/trace/collection.h"

#include <cstdint>
#include <string>

namespace kw::cli {

struct TraceOutcome {
    std::string output;        ///< where the trace is
    std::uint64_t written = 0; ///< activities in it
    std::uint64_t run_ns = 0;  ///< how long the program ran
    int status = 0;            ///< what it ended with, as a shell has it
};

/// What a person wants to know at the end: how busy the GPUs were and with what, what was copied, what is missing.
[[nodiscard]] std::string summary_text(const trace::Collection& collection, const TraceOutcome& outcome);
/// The same, and more of it, as one JSON value.
[[nodiscard]] Json summary_json(const trace::Collection& collection, const TraceOutcome& outcome);

} // namespace kw::cli
