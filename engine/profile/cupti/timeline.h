#pragma once

#include "engine/profile/cupti/activity.h"
#include "engine/profile/cupti/host.h"
#include "engine/profile/cupti/pm_sampling.h"
#include "engine/profile/cupti/session.h"

#include <cstdint>
#include <optional>
#include <vector>

/// The two rungs that watch work as it runs, together, so that samples lie under the kernels they are of.
namespace kw::cupti {

struct Timeline {
    std::vector<profile::Activity> activities; ///< by start
    std::uint64_t dropped = 0;
    profile::Sampling sampling;
    std::optional<Failure> activity_failure;
    std::optional<Failure> sampling_failure;
    std::optional<Failure> run_failure; ///< of the work itself
};

struct TimelineRequest {
    bool activity = true;
    const Configuration* sampling = nullptr; ///< what is sampled; null: nothing
    std::uint64_t interval_ns = 0;
    double seconds = 0;   ///< at least so long
    std::size_t runs = 3; ///< and so often
    bool flush_l2 = true;
    std::size_t max_activities = 0;
    std::uint32_t capability = 0; ///< of the GPU, 90 for 9.0
};

/// Runs the work again and again and tells `live` what is seen, ten times a second or more.
[[nodiscard]] Timeline watch(const CuptiApi& api, const ActivityApi& activity_api, const Target& target,
                             const std::string& chip, const profile::Workload& work, const TimelineRequest& request,
                             std::stop_token stop, const device::Progress& progress, const profile::Live& live);

} // namespace kw::cupti
