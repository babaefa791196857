#include "engine/timeline/report_source.h"

#include "engine/profile/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kw::timeline {
namespace {

using Blocks = std::vector<std::shared_ptr<const std::vector<profile::Activity>>>;
constexpr int kBlockShift = 32; // of an origin; below it the place in the block

std::string text_of(const device::Dim3& d) { return fmt::format("{} × {} × {}", d.x, d.y, d.z); }

class Details : public DetailSource {
public:
    explicit Details(Blocks blocks) : blocks_(std::move(blocks)) {}

    Result<std::vector<Detail>> details(std::uint64_t origin) override {
        const profile::Activity& a = (*blocks_[origin >> kBlockShift])[origin & UINT32_MAX];
        std::vector<Detail> found;
        const auto number = [&](std::string_view name, auto value, std::string_view unit = {}) {
            if (value != 0)
                found.push_back({std::string(name), fmt::format("{}{}{}", value, unit.empty() ? "" : " ", unit)});
        };
        if (a.kind == profile::Activity::Kind::kernel) {
            found.push_back({"grid", text_of(a.grid)});
            found.push_back({"block", text_of(a.block)});
            if (a.cluster.x * a.cluster.y * a.cluster.z > 1) found.push_back({"cluster", text_of(a.cluster)});
            number("registers per thread", a.registers);
            number("static shared memory", a.static_shared_bytes, "B");
            number("dynamic shared memory", a.dynamic_shared_bytes, "B");
            number("local memory per thread", a.local_bytes, "B");
            if (a.occupancy > 0) found.push_back({"theoretical occupancy", fmt::format("{:.1f} %", a.occupancy * 100)});
        }
        number("bytes", a.bytes, "B");
        if (a.bytes > 0 && a.end_ns > a.start_ns)
            found.push_back(
                {"throughput", fmt::format("{:.3g} GB/s",
                                           static_cast<double>(a.bytes) / static_cast<double>(a.end_ns - a.start_ns))});
        number("context", a.context);
        number("stream", a.stream);
        number("correlation", a.correlation);
        return found;
    }
    [[nodiscard]] std::uint64_t memory_bytes() const override {
        std::uint64_t bytes = 0;
        for (const auto& block : blocks_) bytes += block->size() * sizeof(profile::Activity);
        return bytes;
    }

private:
    Blocks blocks_;
};

bool on_host(const profile::Activity& activity) {
    return activity.kind == profile::Activity::Kind::call || activity.kind == profile::Activity::Kind::synchronization;
}

} // namespace

LiveTrace::LiveTrace() = default;

void LiveTrace::append(const profile::LiveUpdate& update) {
    append(update.activities, update.sampling, update.dropped);
}

void LiveTrace::append(const profile::Report& report) {
    append(report.activities, report.sampling, report.activities_dropped);
}

std::uint32_t LiveTrace::lane_of(const profile::Activity& a) {
    const bool host = on_host(a);
    const auto [found, is_new] = lanes_.try_emplace({host, host ? a.process : a.device, host ? a.thread : a.stream}, 0);
    if (is_new) {
        const std::string group = host ? fmt::format("process {}", a.process) : fmt::format("GPU {}", a.device);
        builder_.order_group(group, host ? 0 : 1);
        found->second = builder_.shard().lane(group, host ? fmt::format("thread {}", a.thread)
                                                          : fmt::format("stream {}", a.stream));
    }
    return found->second;
}

void LiveTrace::append(const std::vector<profile::Activity>& activities, const profile::Sampling& sampling,
                       std::uint64_t dropped) {
    Shard& shard = builder_.shard();
    Batch batch;
    const auto usable = [](std::uint64_t ns) { return ns <= static_cast<std::uint64_t>(kLatest); };
    const std::size_t taken = std::min(activities.size(), kMostActivities - count_);
    dropped_ += dropped + activities.size() - taken;
    if (taken > 0) {
        batch.origin = std::uint64_t{blocks_.size()} << kBlockShift;
        blocks_.push_back(std::make_shared<const std::vector<profile::Activity>>(
            activities.begin(), activities.begin() + static_cast<std::ptrdiff_t>(taken)));
        count_ += taken;
    }
    for (std::size_t i = 0; i < taken; ++i) {
        const profile::Activity& a = activities[i];
        if (!usable(a.start_ns) || !usable(a.end_ns)) {
            ++unusable_;
            continue;
        }
        const bool host = on_host(a);
        if (!host) sampled_device_ = a.device;
        const std::uint32_t lane = lane_of(a);
        const auto start = static_cast<Ns>(a.start_ns), end = static_cast<Ns>(a.end_ns);
        batch.events.push_back({.start = start,
                                .duration = std::clamp<Ns>(end - start, 0, kLongest),
                                .name = shard.name(a.name),
                                .origin = static_cast<std::uint32_t>(i),
                                .lane = lane,
                                .category = shard.category(profile::to_string(a.kind)),
                                .phase = Phase::complete});
        if (a.correlation != 0 && a.kind != profile::Activity::Kind::synchronization)
            batch.flows.push_back({.kind = host ? RawFlow::Kind::start : RawFlow::Kind::finish,
                                   .chain = a.correlation,
                                   .at = start,
                                   .lane = lane});
    }
    overflowed_ |= sampling.overflowed;
    const auto interval = static_cast<Ns>(std::min<std::uint64_t>(sampling.interval_ns, kLongest));
    if (interval > 0) builder_.set_sample_interval(interval);
    const std::string group = fmt::format("GPU {}", sampled_device_);
    for (const auto& [id, values] : sampling.values) {
        const auto* metric = profile::find_metric(id);
        const std::string label = metric ? metric->label : id;
        builder_.order_group(group, 1);
        if (metric) builder_.unit_of(group, label, metric->unit);
        const std::uint32_t series = shard.series(group, label, label);
        for (std::size_t i = 0; i < std::min(values.size(), sampling.end_ns.size()); ++i) {
            // A value belongs to the interval that ends at its time.
            if (usable(sampling.end_ns[i]) && std::isfinite(values[i]))
                batch.samples.push_back({static_cast<Ns>(sampling.end_ns[i]) - interval, values[i], series});
        }
    }
    batch.sort_by_lane(shard.lanes());
    builder_.commit(std::move(batch));
}

void LiveTrace::append(std::span<const Stage> stages) {
    if (stages.empty()) return;
    constexpr std::string_view kGroup = "evaluation";
    constexpr double kMostMilliseconds = 1e9; // eleven days; longer is a mistake of the clock
    const auto length = [&](const Stage& stage) {
        return static_cast<Ns>(std::clamp(stage.milliseconds, 0.0, kMostMilliseconds) * 1e6);
    };
    const auto profile = std::ranges::find(stages, "profile", &Stage::name);
    Ns at = 0;
    for (auto stage = stages.begin(); stage != profile; ++stage) at -= length(*stage);
    builder_.order_group(kGroup, -1);
    builder_.label_group(kGroup, "Evaluation");
    Shard& shard = builder_.shard();
    const std::uint32_t lane = shard.lane(kGroup, "stages");
    builder_.label_lane(kGroup, "stages", "Stages");
    Batch batch;
    batch.origin = std::uint64_t{blocks_.size()} << kBlockShift;
    std::vector<profile::Activity> entries;
    for (const Stage& stage : stages) {
        batch.events.push_back({.start = at,
                                .duration = length(stage),
                                .name = shard.name(stage.name),
                                .origin = static_cast<std::uint32_t>(entries.size()),
                                .lane = lane,
                                .category = shard.category("stage"),
                                .phase = Phase::complete});
        entries.push_back({.kind = profile::Activity::Kind::call, .name = stage.name});
        at += length(stage);
    }
    blocks_.push_back(std::make_shared<const std::vector<profile::Activity>>(std::move(entries)));
    batch.sort_by_lane(shard.lanes());
    builder_.commit(std::move(batch));
}

std::shared_ptr<const Store> LiveTrace::snapshot() {
    builder_.set_details(std::make_shared<Details>(blocks_));
    builder_.clear_warnings();
    if (dropped_ > 0)
        builder_.warn(fmt::format("{} activities were not kept; profile for a shorter time to see all", dropped_));
    if (overflowed_) builder_.warn("the hardware's sample buffer overflowed, so some samples are missing");
    if (unusable_ > 0)
        builder_.warn(fmt::format("{} activities have times that make no sense and are left out", unusable_));
    auto store = builder_.finish();
    // Nobody stops it, and kMostActivities is below what can be numbered.
    return store ? *store : std::make_shared<const Store>();
}

std::shared_ptr<const Store> store_of(const profile::Report& report, std::span<const Stage> stages) {
    LiveTrace trace;
    trace.append(report);
    trace.append(stages);
    return trace.snapshot();
}

} // namespace kw::timeline
