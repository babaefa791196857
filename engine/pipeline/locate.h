#pragma once

#include "engine/device/sim/gpu_model.h"
#include "engine/pipeline/job.h"

#include <optional>
#include <stop_token>
#include <string_view>

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

/// The simulated GPU whose architecture the code was compiled for; where there is none, the first.
[[nodiscard]] const sim::GpuModel& model_for(std::string_view ptx);

/// Whether the data of a job at the GPU's own sizes fits into this machine.
[[nodiscard]] bool fits_at_full_size(task::Task task, const Job& job, const device::Info& info);

} // namespace kw::pipeline
