#include "engine/profile/sim_profiler.h"

#include "engine/device/sim/estimate.h"
#include "engine/device/sim/gpu_model.h"
#include "engine/device/sim/occupancy.h"
#include "engine/profile/metrics.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

namespace kw::profile {
namespace {

using Names = std::map<std::string, double, std::less<>>;
using Clock = std::chrono::steady_clock;

/// Of the model's bounds (sim::Estimate), those that are arithmetic and those on the way to memory.
constexpr std::string_view kComputeBounds[] = {"issue", "FP32", "FP64", "FP16", "INT", "SFU", "tensor"};
constexpr std::string_view kMemoryBounds[] = {"shared memory", "L1", "L2", "DRAM", "atomics"};

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double largest(const sim::Estimate& estimate, std::span<const std::string_view> names) {
    double most = 0;
    for (const auto& [name, us] : estimate.bounds_us)
        if (std::ranges::find(names, name) != names.end()) most = std::max(most, us);
    return most;
}

/// From the blocks that were executed to all.
Names scaled(const device::Events& events, double scale, double unique_scale) {
    Names names;
    for (const auto& field : device::event_fields()) {
        const auto value = static_cast<double>(events.*field.value);
        names[field.name] = value * (std::string_view{field.name}.starts_with("unique_") ? unique_scale : scale);
    }
    return names;
}

/// Keeps what was asked for.
void keep_only(std::map<std::string, double>& values, const std::set<std::string_view>& asked) {
    std::erase_if(values, [&](const auto& value) { return !asked.contains(value.first); });
}

class SimProfiler final : public Profiler {
public:
    SimProfiler(device::Device& device, const sim::GpuModel& model) : device_(device), model_(model) {}

    std::vector<RungState> ladder() override {
        return {{.rung = Rung::activity},
                {.rung = Rung::counters},
                {.rung = Rung::pc_sampling,
                 .state = RungState::State::skipped,
                 .reason = "the simulator counts every instruction of a line instead of sampling"},
                {.rung = Rung::pm_sampling,
                 .state = RungState::State::skipped,
                 .reason = "the simulator does not model how a kernel's time passes",
                 .remedy = "profile on a GPU"}};
    }

    Result<Report> profile(const Workload& work, const Options& options, std::stop_token stop,
                           const device::Progress& progress, const Live& live) override {
        const auto start = Clock::now();
        const auto metrics = select_metrics(options.set, options.metrics);
        if (!metrics) return std::unexpected(metrics.error());
        std::set<std::string_view> asked;
        for (const auto* metric : *metrics) asked.insert(metric->id);

        Report report;
        report.device = device_.info();
        report.estimated = true;
        report.profiler = "simulator";
        if (auto ready = work.prepare(); !ready) return std::unexpected(std::move(ready.error()));
        const device::Work run{.label = "the launches", .run = [&](std::size_t) { return work.run(stop); }};
        auto measured = device_.measure({&run, 1}, {.noise = {}}, stop, progress);
        if (!measured) return std::unexpected(std::move(measured.error()));
        const auto& measurement = measured->front();
        report.sampled = measurement.sampled;
        report.fault = measurement.fault;

        const bool counted = std::ranges::find(options.rungs, Rung::counters) != options.rungs.end();
        const bool timed = std::ranges::find(options.rungs, Rung::activity) != options.rungs.end();
        double now_us = 0;
        for (std::size_t i = 0; i < measurement.counters.size(); ++i) {
            auto& launch = report.launches.emplace_back(i < work.launches.size() ? work.launches[i] : LaunchProfile{});
            const auto& counters = measurement.counters[i];
            if (launch.lowered.empty()) launch.lowered = launch.kernel = counters.kernel;
            const auto estimate = sim::estimate(model_, counters);
            launch.limited_by = estimate.limited_by;
            if (counted) fill(launch, counters, estimate, asked);
            if (timed && report.activities.size() < options.max_activities)
                report.activities.push_back(activity_of(launch, counters, now_us, estimate.us));
            else if (timed)
                ++report.activities_dropped;
            now_us += estimate.us;
        }
        if (live && !report.activities.empty()) send(report.activities, live);
        report.milliseconds = milliseconds_since(start);
        for (auto state : ladder()) {
            if (std::ranges::find(options.rungs, state.rung) == options.rungs.end()) continue;
            if (state.state == RungState::State::available) conclude(state, report);
            report.rungs.push_back(std::move(state));
        }
        return report;
    }

private:
    static void conclude(RungState& state, const Report& report) {
        state.state = report.fault ? RungState::State::failed : RungState::State::done;
        if (report.fault) state.reason = report.fault->message;
        state.milliseconds = report.milliseconds;
        if (state.rung == Rung::counters) state.passes = 1;
    }

    static void send(std::span<const Activity> activities, const Live& live) {
        LiveUpdate update;
        const auto shown = activities.last(std::min(activities.size(), kLiveActivities));
        update.activities.assign(shown.begin(), shown.end());
        update.dropped = activities.size() - shown.size();
        live(update);
    }

    void fill(LaunchProfile& launch, const device::LaunchCounters& counters, const sim::Estimate& estimate,
              const std::set<std::string_view>& asked) const {
        const double blocks = static_cast<double>(counters.blocks);
        const double scale = blocks / static_cast<double>(std::max<std::uint64_t>(counters.blocks_executed, 1));
        const double unique_scale = std::pow(scale, std::clamp(counters.unique_exponent, 0.0, 1.0));
        auto names = scaled(counters.events, scale, unique_scale);
        const auto fit = sim::occupancy(model_, counters.threads_per_block, counters.registers, counters.shared_bytes);
        names["blocks"] = blocks;
        names["threads_per_block"] = counters.threads_per_block;
        names["warps_per_block"] = (counters.threads_per_block + 31) / 32;
        names["estimated_us"] = estimate.us;
        names["compute_us"] = largest(estimate, kComputeBounds);
        names["memory_us"] = largest(estimate, kMemoryBounds);
        constexpr std::string_view kL1[] = {"L1", "shared memory"};
        names["l1_us"] = largest(estimate, kL1);
        names["l2_bytes"] = estimate.l2_bytes;
        names["dram_bytes"] = estimate.dram_bytes;
        names["l2_gbps"] = model_.l2_gbps;
        names["dram_gbps"] = model_.dram_gbps;
        names["occupancy"] = fit.fraction;
        launch.metrics = simulated(names, false);
        derive(launch.metrics);
        keep_only(launch.metrics, asked);
        for (const auto& line : counters.lines) {
            auto values = simulated(scaled(line.events, scale, unique_scale), true);
            keep_only(values, asked);
            if (!values.empty()) launch.lines.push_back({line.file, line.line, std::move(values)});
        }
    }

    static Activity activity_of(const LaunchProfile& launch, const device::LaunchCounters& counters, double start_us,
                                double us) {
        Activity activity;
        activity.name = launch.kernel;
        activity.start_ns = static_cast<std::uint64_t>(std::llround(start_us * 1000));
        activity.end_ns = static_cast<std::uint64_t>(std::llround((start_us + us) * 1000));
        activity.grid = launch.grid;
        activity.block = launch.block;
        activity.cluster = launch.cluster;
        activity.registers = counters.registers;
        activity.static_shared_bytes = launch.static_shared_bytes;
        activity.dynamic_shared_bytes = launch.dynamic_shared_bytes;
        activity.local_bytes = launch.local_bytes;
        if (const auto at = launch.metrics.find("theoretical_occupancy"); at != launch.metrics.end())
            activity.occupancy = at->second / 100;
        return activity;
    }

    device::Device& device_;
    const sim::GpuModel& model_;
};

} // namespace

Result<std::unique_ptr<Profiler>> open_sim_profiler(device::Device& device) {
    constexpr std::string_view kPrefix = "sim:";
    const auto& id = device.info().id;
    for (const auto& model : sim::gpu_models())
        if (id.starts_with(kPrefix) && std::string_view{id}.substr(kPrefix.size()) == model.id)
            return std::make_unique<SimProfiler>(device, model);
    return fail(Stage::profile, ErrorCode::internal, fmt::format("device {} is not a simulator of a known GPU", id));
}

} // namespace kw::profile
