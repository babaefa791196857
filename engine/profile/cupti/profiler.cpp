#include "engine/profile/cupti/profiler.h"

#include "engine/profile/cupti/counters.h"
#include "engine/profile/cupti/pc_sampling.h"
#include "engine/profile/cupti/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <mutex>
#include <span>
#include <utility>

namespace kw::cupti {
namespace {

using profile::Report;
using profile::Rung;
using profile::RungState;
using Clock = std::chrono::steady_clock;

/// So long, putting the work back included, its lines are sampled; a short kernel has few samples then.
constexpr double kPcSeconds = 0.02;
constexpr std::size_t kTimelineRuns = 3;

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

bool asked_for(const profile::Options& options, Rung rung) {
    return std::ranges::find(options.rungs, rung) != options.rungs.end();
}

/// "sm_90" and "sm_90a" are 90.
std::uint32_t capability_of(const std::string& arch) {
    std::uint32_t number = 0;
    if (arch.starts_with("sm_")) std::from_chars(arch.data() + 3, arch.data() + arch.size(), number);
    return number;
}

/// configure(), remembered for the life of the process: it takes tenths of a second and depends on names alone.
Result<Configuration> remembered(const CuptiApi& api, const std::string& chip,
                                 std::span<const profile::Metric* const> metrics) {
    static std::mutex mutex;
    static std::map<std::pair<std::string, std::vector<const profile::Metric*>>, Configuration> known;
    const std::scoped_lock lock{mutex};
    const std::pair key{chip, std::vector<const profile::Metric*>{metrics.begin(), metrics.end()}};
    if (const auto found = known.find(key); found != known.end()) return found->second;
    auto made = configure(api, kRangeProfiler, chip, metrics);
    if (made) known.emplace(key, *made);
    return made;
}

/// Works up one report, rung by rung.
class Climb {
public:
    Climb(const Cupti& cupti, const Target& target, const profile::Workload& work, const profile::Options& options,
          std::stop_token stop, const device::Progress& progress, const profile::Live& live)
        : cupti_(&cupti),
          target_(target),
          work_(&work),
          options_(&options),
          stop_(std::move(stop)),
          progress_(&progress),
          live_(&live) {}

    Result<Report> run(Report report, const std::vector<RungState>& ladder) {
        report_ = std::move(report);
        report_.launches = work_->launches;
        for (const auto& state : ladder)
            if (asked_for(*options_, state.rung)) report_.rungs.push_back(state);
        auto chip = chip_name(cupti_->api, target_.device);
        if (chip) report_.chip = std::move(*chip);
        chosen_ = profile::select_metrics(options_->set, options_->metrics);
        if (!chosen_) return std::unexpected(chosen_.error());

        // One run to load the code lazily and to see how long it takes, without anything that watches.
        const auto warm = warm_up();
        if (!warm) settle(nullptr, warm.error());
        if (going()) watch_timeline(*warm);
        if (going()) count_events();
        if (going()) sample_lines();
        if (error_) return std::unexpected(std::move(*error_));
        for (auto& state : report_.rungs)
            if (state.state == RungState::State::available) {
                state.state = RungState::State::skipped;
                state.reason = report_.fault ? "the kernel had faulted before" : "the plan launches nothing";
            }
        for (auto& launch : report_.launches) profile::derive(launch.metrics);
        return std::move(report_);
    }

private:
    [[nodiscard]] bool going() const { return !error_ && !report_.fault; }

    /// The rung's state if it is to be tried.
    RungState* available(Rung rung) {
        const auto found = std::ranges::find(report_.rungs, rung, &RungState::rung);
        return found != report_.rungs.end() && found->state == RungState::State::available ? &*found : nullptr;
    }

    void settle(RungState* state, Failure failure) {
        if (failure.error) error_ = std::move(failure.error);
        if (failure.fault && !report_.fault) report_.fault = std::move(failure.fault);
        if (!state) return;
        state->state = RungState::State::failed;
        state->reason = report_.fault ? report_.fault->message : std::move(failure.refusal.reason);
        state->remedy = report_.fault ? std::string{} : std::move(failure.refusal.remedy);
    }

    static void finish(RungState& state, Clock::time_point start) {
        if (state.state == RungState::State::available) state.state = RungState::State::done;
        state.milliseconds = milliseconds_since(start);
    }

    /// How long a run takes, in ns of the host's clock.
    Climbed<double> warm_up() {
        double shortest = 0;
        for (int i = 0; i < 2; ++i) {
            if (auto ready = make_ready(*work_, options_->flush_l2, stop_); !ready)
                return std::unexpected(ready.error());
            const auto start = Clock::now();
            if (auto ran = run_once(*work_, stop_); !ran) return std::unexpected(ran.error());
            const double ns = milliseconds_since(start) * 1e6;
            shortest = i == 0 ? ns : std::min(shortest, ns);
        }
        return shortest;
    }

    void watch_timeline(double run_ns) {
        auto* activity = available(Rung::activity);
        auto* sampling = available(Rung::pm_sampling);
        if (!activity && !sampling) return;
        const auto start = Clock::now();
        TimelineRequest request;
        request.activity = activity != nullptr;
        request.seconds = options_->seconds;
        request.runs = kTimelineRuns;
        request.flush_l2 = options_->flush_l2;
        request.max_activities = options_->max_activities;
        request.capability = capability_of(report_.device.arch);
        const double total_ns = std::max(options_->seconds * 1e9, run_ns * static_cast<double>(kTimelineRuns));
        request.interval_ns =
            options_->sampling_interval_ns ? options_->sampling_interval_ns : choose_interval_ns(run_ns, total_ns);
        Configuration sampled;
        if (sampling) {
            std::vector<const profile::Metric*> wanted;
            for (const auto& metric : profile::metrics())
                if (metric.over_time) wanted.push_back(&metric);
            auto configured = configure_single_pass(cupti_->api, kPmSampler, report_.chip, wanted);
            if (!configured) {
                settle(sampling, Failure{.refusal = {configured.error().message, {}}});
                sampling = nullptr;
            } else {
                sampled = std::move(*configured);
                request.sampling = &sampled;
            }
        }
        auto timeline =
            watch(cupti_->api, cupti_->activity, target_, report_.chip, *work_, request, stop_, *progress_, *live_);
        report_.activities = std::move(timeline.activities);
        report_.activities_dropped = timeline.dropped;
        report_.sampling = std::move(timeline.sampling);
        if (activity && timeline.activity_failure) settle(activity, std::move(*timeline.activity_failure));
        if (sampling && timeline.sampling_failure) settle(sampling, std::move(*timeline.sampling_failure));
        if (timeline.run_failure) {
            // What was seen until then is kept; the rungs are not what they would have been.
            if (activity) settle(activity, *timeline.run_failure);
            if (sampling) settle(sampling, *timeline.run_failure);
            settle(nullptr, std::move(*timeline.run_failure));
        }
        if (activity) finish(*activity, start);
        if (sampling) finish(*sampling, start);
        describe_launches();
    }

    /// Activity records know what the driver made of each launch. Kernels are matched in the order of the first run.
    void describe_launches() {
        std::size_t next = 0;
        for (const auto& activity : report_.activities) {
            if (activity.kind != profile::Activity::Kind::kernel) continue;
            if (next == report_.launches.size()) return;
            auto& launch = report_.launches[next++];
            launch.registers = activity.registers;
            launch.static_shared_bytes = activity.static_shared_bytes;
            launch.dynamic_shared_bytes = activity.dynamic_shared_bytes;
            launch.local_bytes = activity.local_bytes;
            if (activity.occupancy > 0) launch.metrics["theoretical_occupancy"] = 100 * activity.occupancy;
        }
    }

    void count_events() {
        auto* state = available(Rung::counters);
        if (!state || report_.launches.empty()) return;
        const auto start = Clock::now();
        const auto configuration = remembered(cupti_->api, report_.chip, *chosen_);
        if (!configuration) {
            settle(state, Failure{.refusal = {configuration.error().message, {}}});
        } else if (configuration->names.empty()) {
            settle(state, Failure{.refusal = {fmt::format("{} has none of the metrics asked for", report_.chip), {}}});
        } else {
            auto counted = count(cupti_->api, target_, report_.chip, *configuration, *work_, options_->flush_l2, stop_,
                                 *progress_);
            if (counted) {
                state->passes = static_cast<std::uint32_t>(counted->passes);
                for (std::size_t i = 0; i < counted->launches.size(); ++i)
                    report_.launches[i].metrics.merge(counted->launches[i]);
            } else {
                settle(state, std::move(counted.error()));
            }
        }
        finish(*state, start);
    }

    void sample_lines() {
        auto* state = available(Rung::pc_sampling);
        if (!state) return;
        const auto start = Clock::now();
        (*progress_)("profile: source lines", -1);
        auto sampled = sample_pcs(cupti_->api, target_, *work_, kPcSeconds, options_->flush_l2, stop_);
        if (!sampled) {
            settle(state, std::move(sampled.error()));
        } else {
            for (auto& kernel : sampled->kernels) {
                // A kernel launched more than once has its samples together, at the first.
                const auto launch =
                    std::ranges::find(report_.launches, kernel.lowered, &profile::LaunchProfile::lowered);
                if (launch == report_.launches.end()) continue;
                launch->lines = by_line(kernel.instructions);
                launch->instructions = std::move(kernel.instructions);
            }
        }
        finish(*state, start);
    }

    const Cupti* cupti_;
    Target target_;
    const profile::Workload* work_;
    const profile::Options* options_;
    std::stop_token stop_;
    const device::Progress* progress_;
    const profile::Live* live_;
    Report report_;
    Result<std::vector<const profile::Metric*>> chosen_;
    std::optional<Error> error_;
};

class CuptiProfiler final : public profile::Profiler {
public:
    CuptiProfiler(const Cupti& cupti, const Target& target, device::Info info, const Privilege& privilege)
        : cupti_(&cupti), target_(target), info_(std::move(info)), privilege_(privilege) {}

    std::vector<RungState> ladder() override { return probe_ladder(cupti_->api, target_, privilege_); }

    Result<Report> profile(const profile::Workload& work, const profile::Options& options, std::stop_token stop,
                           const device::Progress& progress, const profile::Live& live) override {
        const auto start = Clock::now();
        Report report;
        report.device = info_;
        report.profiler = fmt::format("CUPTI {}", cupti_->api.toolkit);
        auto done =
            Climb{*cupti_, target_, work, options, std::move(stop), progress, live}.run(std::move(report), ladder());
        if (done) done->milliseconds = milliseconds_since(start);
        return done;
    }

private:
    const Cupti* cupti_;
    Target target_;
    device::Info info_;
    Privilege privilege_;
};

/// What there is to say of a GPU without CUPTI.
class NoProfiler final : public profile::Profiler {
public:
    NoProfiler(device::Info info, Error why) : info_(std::move(info)), why_(std::move(why)) {}

    std::vector<RungState> ladder() override { return no_ladder(why_); }

    Result<Report> profile(const profile::Workload& work, const profile::Options& options, std::stop_token,
                           const device::Progress&, const profile::Live&) override {
        if (auto known = profile::select_metrics(options.set, options.metrics); !known)
            return std::unexpected(known.error());
        Report report;
        report.device = info_;
        report.launches = work.launches;
        for (const auto& state : ladder())
            if (asked_for(options, state.rung)) report.rungs.push_back(state);
        return report;
    }

private:
    device::Info info_;
    Error why_;
};

Result<Cupti> open(const std::string& toolkit_setting) {
    auto api = open_cupti(toolkit_setting);
    if (!api) return std::unexpected(api.error());
    auto activity = bind_activity(api->library);
    if (!activity) return std::unexpected(activity.error());
    return Cupti{std::move(*api), *activity};
}

} // namespace

Result<const Cupti*> cupti(const std::string& toolkit_setting) {
    // Never closed: the driver keeps calling into it until the process ends.
    static const auto* opened = new Result<Cupti>{open(toolkit_setting)};
    if (!*opened) return std::unexpected(opened->error());
    return &**opened;
}

std::unique_ptr<profile::Profiler> open_profiler(const cuda::CudaDevice& device, const std::string& toolkit_setting) {
    const auto opened = cupti(toolkit_setting);
    if (!opened) return std::make_unique<NoProfiler>(device.info(), opened.error());
    const Target target{reinterpret_cast<CUcontext>(device.context()), device.handle()};
    return make_profiler(**opened, target, device.info(), read_privilege());
}

std::unique_ptr<profile::Profiler> make_profiler(const Cupti& cupti, const Target& target, const device::Info& info,
                                                 const Privilege& privilege) {
    return std::make_unique<CuptiProfiler>(cupti, target, info, privilege);
}

} // namespace kw::cupti
