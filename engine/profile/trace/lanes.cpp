#include "engine/profile/trace/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace kw::trace {
namespace {

using profile::Activity;

/// In place of a device: waits belong to none.
constexpr std::uint64_t kWaits = 1ull << 32;
/// Above every process and thread number of Linux (at most 4 194 304).
constexpr std::uint32_t kFirstMadeUp = 10'000'000;
/// Lanes that one stream's work may spread over; what overlaps even more shares the last.
constexpr std::size_t kMaxSlots = 255;

void sort_unique(std::vector<std::uint64_t>& values) {
    std::ranges::sort(values);
    const auto rest = std::ranges::unique(values);
    values.erase(rest.begin(), rest.end());
}

} // namespace

Lanes::Key Lanes::key_of(const Activity& activity) {
    if (activity.kind == Activity::Kind::synchronization) return {activity.process, kWaits, 0, activity.thread};
    return {activity.process, activity.device, activity.context, activity.stream};
}

std::uint64_t Lanes::flow_key(const Activity& activity) {
    return std::uint64_t{activity.process} << 32 | activity.correlation;
}

void Lanes::add(const Activity& activity) {
    processes_.insert(activity.process);
    if (activity.kind == Activity::Kind::call) {
        threads_.insert({activity.process, activity.thread});
        if (activity.correlation != 0) calls_.push_back(flow_key(activity));
        return;
    }
    const auto [group, is_new] = groups_.try_emplace(key_of(activity), static_cast<std::uint32_t>(groups_.size()));
    spans_.push_back({activity.start_ns, activity.end_ns, group->second, static_cast<std::uint32_t>(spans_.size())});
    if (activity.kind != Activity::Kind::synchronization && activity.correlation != 0)
        started_.push_back(flow_key(activity));
}

void Lanes::settle() {
    sort_unique(started_);
    sort_unique(calls_);
    std::vector<std::uint64_t> joined;
    std::ranges::set_intersection(started_, calls_, std::back_inserter(joined));
    started_ = std::move(joined);
    calls_ = {};
    flow_seen_.assign(started_.size(), 0);

    std::ranges::sort(spans_, [](const Span& a, const Span& b) {
        return std::tie(a.group, a.start, b.end) < std::tie(b.group, b.start, a.end);
    });
    slots_.assign(spans_.size(), 0);
    std::vector<std::uint32_t> widths(groups_.size(), 0);
    std::vector<std::uint64_t> ends; // of each slot of the group at hand
    for (std::size_t i = 0; i < spans_.size(); ++i) {
        const auto& span = spans_[i];
        if (i == 0 || spans_[i - 1].group != span.group) ends.clear();
        const auto is_free = std::ranges::find_if(ends, [&](std::uint64_t end) { return end <= span.start; });
        auto slot = static_cast<std::size_t>(is_free - ends.begin());
        if (is_free == ends.end()) {
            if (ends.size() < kMaxSlots)
                ends.push_back(0);
            else
                slot = kMaxSlots - 1;
        }
        ends[slot] = std::max(ends[slot], span.end);
        slots_[span.sequence] = static_cast<std::uint8_t>(slot);
        widths[span.group] = std::max(widths[span.group], static_cast<std::uint32_t>(slot) + 1);
    }
    spans_ = {};
    name_gpus();
    number_lanes(widths);
}

void Lanes::name_gpus() {
    auto taken = processes_;
    std::uint32_t made_up = kFirstMadeUp;
    for (const auto& [key, group] : groups_) {
        const auto [process, device, context, stream] = key;
        if (device == kWaits) continue;
        const auto same = [&](const GpuLanes& gpu) { return gpu.process == process && gpu.device == device; };
        if (std::ranges::any_of(gpus_, same)) continue;
        auto pid = static_cast<std::uint32_t>(device);
        while (!taken.insert(pid).second) pid = made_up++;
        gpus_.push_back({pid, process, static_cast<std::uint32_t>(device)});
    }
}

void Lanes::number_lanes(const std::vector<std::uint32_t>& widths) {
    lanes_.resize(groups_.size());
    std::set<std::pair<std::uint32_t, std::uint32_t>> taken;
    std::uint32_t made_up = kFirstMadeUp;
    std::uint32_t order = 0;
    for (const auto& [key, group] : groups_) {
        const auto [process, device, context, stream] = key;
        const bool waits = device == kWaits;
        const auto gpu =
            std::ranges::find_if(gpus_, [&](const GpuLanes& g) { return g.process == process && g.device == device; });
        const auto pid = waits ? process : gpu->pid;
        for (std::uint32_t slot = 0; slot < widths[group]; ++slot) {
            // Threads of the process have numbers below the made-up ones.
            auto tid = waits || slot > 0 ? made_up++ : stream;
            while (!taken.emplace(pid, tid).second) tid = made_up++;
            lanes_[group].push_back({pid, tid});
            auto name = !waits       ? fmt::format("stream {}", stream)
                        : stream > 0 ? fmt::format("waits of thread {}", stream)
                                     : "waits";
            if (slot > 0) name += fmt::format(" ({})", slot + 1);
            names_.push_back({{pid, tid}, std::move(name), waits ? kFirstMadeUp + order : order});
            ++order;
        }
    }
}

Lanes::Place Lanes::place(const Activity& activity) {
    const bool call = activity.kind == Activity::Kind::call;
    Place place;
    if (call)
        place.lane = {activity.process, activity.thread};
    else
        place.lane = lanes_[groups_.at(key_of(activity))][slots_[next_++]];
    if (activity.kind == Activity::Kind::synchronization || activity.correlation == 0) return place;
    const auto found = std::ranges::lower_bound(started_, flow_key(activity));
    if (found == started_.end() || *found != flow_key(activity)) return place;
    const auto index = static_cast<std::size_t>(found - started_.begin());
    const std::uint8_t side = call ? 1 : 2;
    if (flow_seen_[index] & side) return place;
    flow_seen_[index] = static_cast<std::uint8_t>(flow_seen_[index] | side);
    place.flow = index + 1;
    return place;
}

} // namespace kw::trace
