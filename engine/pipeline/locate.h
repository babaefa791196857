#pragma once

#include "engine/pipeline/job.h"

#include <optional>
#include <stop_token>

namespace kw::pipeline {

/// A GPU's fault of kind `told` can be what the simulator names `shown`: a driver tells most of them in a word or two,
/// and some only by never coming back.
[[nodiscard]] bool may_be_same_fault(device::FaultKind told, device::FaultKind shown);

/// Runs the candidate of a verify or bench job on a simulated GPU of its architecture, on the inputs that the job had,
/// until that shows a fault that can be the one that a GPU told of: each case at [sim.sizes] first, then, where this
/// machine's memory allows, at the GPU's own sizes. The message says that the simulator showed it, and at which sizes.
/// Nothing where none shows or the simulator lacks an instruction. Takes as long as all of the job's checks do: callers
/// set a deadline.
[[nodiscard]] Result<std::optional<device::Fault>> find_on_simulator(const Job& job, device::FaultKind told,
                                                                     std::stop_token stop);

} // namespace kw::pipeline
