#pragma once

#include "engine/profile/profiler.h"

#include <memory>

namespace kw::profile {

/// The simulator's: one counted execution, from which counters per launch and line follow, and the model's estimate of
/// how long each launch takes. `device` is a simulator that outlives the profiler.
[[nodiscard]] Result<std::unique_ptr<Profiler>> open_sim_profiler(device::Device& device);

} // namespace kw::profile
