#pragma once

#include "agent/trajectory/import_trace.h"
#include "agent/trajectory/session_file.h"

#include <cstddef>
#include <stop_token>

namespace kw::trajectory {

struct StepCounts {
    std::size_t steps = 0;
    std::size_t sources = 0;
};

/// Adds a trace's turns to a session. A step is a turn that changes a kernel (.cu, .cuh, .hip, or Python that holds
/// one), with the turns before it and, for the last, after it; where no turn changes one, every turn is a step. Takes
/// the turns' texts out of `trace`.
[[nodiscard]] Result<StepCounts> write_steps(SessionFile& session, Trace& trace, std::stop_token stop);

} // namespace kw::trajectory
