#pragma once

#include "engine/base/result.h"
#include "engine/profile/report.h"

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace kw::profile {

struct Options {
    std::vector<Rung> rungs{std::begin(kRungs), std::end(kRungs)};
    std::string set = "basic";          ///< of counters: "basic" or "full", see metrics.h
    std::vector<std::string> metrics{}; ///< ids instead of a set; an id that does not exist is an error of the caller
    std::uint64_t sampling_interval_ns = 0; ///< PM sampling; 0: chosen from how long the work takes
    double seconds = 0;                     ///< how long activities and samples are collected at least; 0: a few runs
    bool flush_l2 = true;                   ///< before each counted run, as when timing
    std::size_t max_activities = 100'000;   ///< kept in the report; the rest are counted
};

/// What is profiled: one execution of a plan. Functions are called on the profiler's thread.
struct Workload {
    /// Puts what a run changes back as it was, so that every pass sees the same work; not counted.
    std::function<Result<void>()> prepare;
    /// Enqueues every launch.
    std::function<Result<device::LaunchOutcome>(std::stop_token)> run;
    /// Waits for it.
    std::function<Result<device::LaunchOutcome>(std::stop_token)> finish;
    /// Loads the code anew; launches use that from then on.
    std::function<Result<void>()> reload{};
    /// Empties the L2 cache, without waiting.
    std::function<Result<void>()> flush;
    /// What the launches are, in order, as far as it is known before they run.
    std::vector<LaunchProfile> launches{};
    /// Their machine code, for finding the source line of an instruction; empty on the simulator.
    std::string cubin{};
};

/// What is new since the last call, while work runs: at least ten times a second, at most kLiveActivities at a time.
struct LiveUpdate {
    std::vector<Activity> activities;
    Sampling sampling;
    std::uint64_t dropped = 0;         ///< activities that were not sent
    std::uint64_t dropped_samples = 0; ///< times of `sampling` that were not sent
};
using Live = std::function<void(const LiveUpdate&)>;
inline constexpr std::size_t kLiveActivities = 2000;

/// A device's profiler. Used by one thread at a time.
class Profiler {
public:
    virtual ~Profiler() = default;
    /// What would be refused, found without running anything. One entry per rung, in order.
    [[nodiscard]] virtual std::vector<RungState> ladder() = 0;
    /// `progress` is told phrases and fractions as everywhere. A rung that is refused or fails is in Report::rungs; a
    /// fault of the kernel is in Report::fault. Errors: cancellation, an unknown metric, the device itself.
    [[nodiscard]] virtual Result<Report> profile(const Workload& work, const Options& options, std::stop_token stop,
                                                 const device::Progress& progress, const Live& live) = 0;
};

} // namespace kw::profile
