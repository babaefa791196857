#pragma once

#include "engine/profile/cupti/activity_api.h"
#include "engine/profile/cupti/activity_decoder.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace kw::cupti {

/// Every kind of activity, in the order of docs and options.
inline constexpr profile::Activity::Kind kAllActivities[] = {
    profile::Activity::Kind::kernel, profile::Activity::Kind::copy, profile::Activity::Kind::memset,
    profile::Activity::Kind::synchronization, profile::Activity::Kind::call};

struct ActivityOptions {
    std::vector<profile::Activity::Kind> kinds{std::begin(kAllActivities), std::end(kAllActivities)};
    std::size_t max_kept = 100'000; ///< between two take()s; more are counted as not kept
    /// CUPTI gives a buffer back when everything in it has ended, so small ones come soon.
    std::size_t buffer_bytes = std::size_t{64} << 10;
    std::size_t max_buffers = 2048;              ///< that CUPTI holds at once
    std::uint64_t zero_ns = 0;                   ///< on CUPTI's clock (cuptiGetTimestamp), taken from all times
    std::map<std::uint32_t, SmLimits> devices{}; ///< by CUDA's ordinal, for occupancy; see ActivityDecoder
};

/// Collects what this process's GPUs do. CUPTI knows one collector per process, so there is one at a time. Any thread
/// may call any function.
class ActivityCollector {
public:
    /// Work that starts from now on is seen. Refused by CUPTI, or another collector at work: unsupported.
    [[nodiscard]] static Result<std::unique_ptr<ActivityCollector>> start(const ActivityApi& api,
                                                                          const ActivityOptions& options);
    ~ActivityCollector();
    ActivityCollector(const ActivityCollector&) = delete;
    ActivityCollector& operator=(const ActivityCollector&) = delete;

    /// Has CUPTI hand over the buffers in which everything has ended; `forced`: all. Waits for no kernel: synchronise
    /// before to see all of it.
    Result<void> flush(bool forced = false);
    /// What has come since the last call, in CUPTI's order, which is by time only roughly.
    [[nodiscard]] std::vector<profile::Activity> take();
    /// Returns when `count` activities wait to be taken, or the time has passed.
    void wait(std::size_t count, std::chrono::milliseconds timeout);
    [[nodiscard]] std::vector<TracedDevice> devices() const;
    [[nodiscard]] ActivityLosses losses() const;
    /// Collects no more. What came until now, a forced flush included, can be taken.
    void stop();

private:
    struct Shared;
    ActivityCollector(const ActivityApi& api, const ActivityOptions& options);
    static void buffer_requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records);
    static void buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                                 std::size_t valid);
    void complete(std::uint8_t* buffer, std::size_t valid);

    ActivityApi api_;
    std::unique_ptr<Shared> shared_;
    std::vector<RecordKind> enabled_;
};

} // namespace kw::cupti
