#include "engine/profile/cupti/timeline.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace kw::cupti {
namespace {

using Clock = std::chrono::steady_clock;

/// Twice as often as is promised.
constexpr std::chrono::milliseconds kLivePeriod{50};

void append(profile::Sampling& to, profile::Sampling&& more) {
    to.interval_ns = more.interval_ns;
    to.overflowed = to.overflowed || more.overflowed;
    to.end_ns.insert(to.end_ns.end(), more.end_ns.begin(), more.end_ns.end());
    for (auto& [id, values] : more.values) {
        auto& all = to.values[id];
        all.insert(all.end(), values.begin(), values.end());
    }
}

/// Gathers what both collectors have seen, on a thread of its own, until it is stopped.
class Watcher {
public:
    Watcher(ActivityCollector* activities, PmSampling* samples, std::uint64_t zero_ns, std::size_t max_activities,
            const profile::Live& live, Timeline& timeline)
        : activities_(activities),
          samples_(samples),
          zero_ns_(zero_ns),
          max_activities_(max_activities),
          live_(live),
          timeline_(timeline),
          thread_([this](std::stop_token stop) {
              std::mutex mutex;
              std::condition_variable_any wake;
              std::unique_lock lock{mutex};
              while (!stop.stop_requested()) {
                  wake.wait_for(lock, stop, kLivePeriod, [] { return false; });
                  gather();
              }
          }) {}

    /// Ends the thread; what is left is gathered by the caller, once its sources have stopped.
    void stop() {
        thread_.request_stop();
        if (thread_.joinable()) thread_.join();
    }

    void start_sampling() {
        if (sampling(&PmSampling::start)) sampling_ = Sampling::running;
    }
    void stop_sampling() {
        if (sampling_ == Sampling::running && sampling(&PmSampling::stop)) sampling_ = Sampling::ended;
    }

    void gather() {
        profile::LiveUpdate update;
        if (activities_) gather_activities(update);
        gather_samples(update);
        if (live_ && (!update.activities.empty() || !update.sampling.end_ns.empty())) live_(update);
    }

private:
    void gather_activities(profile::LiveUpdate& update) {
        [[maybe_unused]] const auto flushed = activities_->flush(); // if refused, the next round asks again
        auto taken = activities_->take();
        const auto room = max_activities_ - std::min(max_activities_, timeline_.activities.size());
        const auto kept = std::min(room, taken.size());
        timeline_.dropped += taken.size() - kept;
        timeline_.activities.insert(timeline_.activities.end(), taken.begin(),
                                    taken.begin() + static_cast<std::ptrdiff_t>(kept));
        if (taken.size() > profile::kLiveActivities) {
            update.dropped = taken.size() - profile::kLiveActivities;
            taken.erase(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(update.dropped));
        }
        update.activities = std::move(taken);
    }

    bool sampling(Climbed<void> (PmSampling::*step)()) {
        const std::scoped_lock lock{samples_mutex_};
        if (!samples_) return false;
        if (auto done = (samples_->*step)(); !done) {
            timeline_.sampling_failure = std::move(done.error());
            samples_ = nullptr;
        }
        return samples_ != nullptr;
    }

    void gather_samples(profile::LiveUpdate& update) {
        if (sampling_ == Sampling::not_yet) return;
        const std::scoped_lock lock{samples_mutex_};
        if (!samples_) return;
        auto taken = samples_->take();
        if (!taken) {
            timeline_.sampling_failure = std::move(taken.error());
            samples_ = nullptr;
            return;
        }
        for (auto& time : taken->end_ns) time -= std::min(time, zero_ns_);
        update.sampling = *taken;
        append(timeline_.sampling, std::move(*taken));
    }

    ActivityCollector* activities_;
    std::mutex samples_mutex_; ///< guards the next one: sampling starts and stops on the other thread
    PmSampling* samples_;
    enum class Sampling { not_yet, running, ended };
    std::atomic<Sampling> sampling_ = Sampling::not_yet;
    std::uint64_t zero_ns_;
    std::size_t max_activities_;
    const profile::Live& live_;
    Timeline& timeline_;
    std::jthread thread_; ///< last: it uses the others
};

/// Sampling can be started once. Where nobody looks on for a while, that is for the last run alone, so that what lies
/// between the runs, which takes longer than they do, need not be read.
std::optional<Failure> run_all(const profile::Workload& work, const TimelineRequest& request, Watcher& watcher,
                               std::stop_token stop, const device::Progress& progress) {
    const auto start = Clock::now();
    const bool throughout = request.seconds > 0;
    // However the runs end.
    const std::unique_ptr<Watcher, void (*)(Watcher*)> stop_at_end{&watcher, [](Watcher* it) { it->stop_sampling(); }};
    if (throughout) watcher.start_sampling();
    for (std::size_t run = 0;; ++run) {
        const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
        if (run >= request.runs && elapsed >= request.seconds) break;
        progress("profile: timeline", request.seconds > 0 ? std::min(1.0, elapsed / request.seconds) : -1);
        if (auto ready = make_ready(work, request.flush_l2, stop); !ready) return std::move(ready.error());
        if (!throughout && run + 1 == request.runs) watcher.start_sampling();
        if (auto ran = run_once(work, stop); !ran) return std::move(ran.error());
    }
    return std::nullopt;
}

} // namespace

Timeline watch(const CuptiApi& api, const ActivityApi& activity_api, const Target& target, const std::string& chip,
               const profile::Workload& work, const TimelineRequest& request, std::stop_token stop,
               const device::Progress& progress, const profile::Live& live) {
    Timeline timeline;
    std::uint64_t zero_ns = 0;
    if (api.cuptiGetTimestamp) api.cuptiGetTimestamp(&zero_ns);

    PmSampling samples{api};
    PmSampling* sampling = nullptr;
    if (request.sampling) {
        auto opened = samples.open(target, chip, *request.sampling, request.interval_ns);
        if (!opened) timeline.sampling_failure = std::move(opened.error());
        if (opened) sampling = &samples;
    }
    std::unique_ptr<ActivityCollector> collector;
    if (request.activity) {
        ActivityOptions options;
        options.zero_ns = zero_ns;
        options.devices[static_cast<std::uint32_t>(target.device)] = sm_limits(static_cast<int>(request.capability));
        auto started = ActivityCollector::start(activity_api, options);
        if (!started) timeline.activity_failure = Failure{.refusal = {started.error().message, {}}};
        if (started) collector = std::move(*started);
    }
    Watcher watcher{collector.get(), sampling, zero_ns, request.max_activities, live, timeline};
    timeline.run_failure = run_all(work, request, watcher, std::move(stop), progress);
    watcher.stop();
    if (collector) collector->stop();
    watcher.gather();
    if (collector) timeline.dropped += collector->losses().total();
    std::ranges::sort(timeline.activities, {},
                      [](const profile::Activity& each) { return std::pair{each.start_ns, each.correlation}; });
    return timeline;
}

} // namespace kw::cupti
