#pragma once

#include "engine/profile/cupti/host.h"
#include "engine/profile/cupti/ladder.h"
#include "engine/profile/cupti/session.h"

#include <map>
#include <string>
#include <vector>

namespace kw::cupti {

/// Hardware counters by launch, in the order of the plan.
struct Counted {
    std::vector<std::map<std::string, double>> launches; ///< by metric id
    std::size_t passes = 0;
};

/// Counts with the Range Profiler: every kernel is a range, and the work is run once a pass, put back each time, so
/// that CUPTI needs not save and restore memory.
[[nodiscard]] Climbed<Counted> count(const CuptiApi& api, const Target& target, const std::string& chip,
                                     const Configuration& configuration, const profile::Workload& work, bool flush_l2,
                                     std::stop_token stop, const device::Progress& progress);

} // namespace kw::cupti
