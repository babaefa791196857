#include "engine/profile/trace/summary.h"

#include <algorithm>

namespace kw::trace {
namespace {

using profile::Activity;

std::vector<Total> sorted(const std::unordered_map<std::string, Total>& totals) {
    std::vector<Total> result;
    result.reserve(totals.size());
    for (const auto& [name, total] : totals) result.push_back(total);
    std::ranges::sort(result, [](const Total& a, const Total& b) {
        return std::tie(b.total_ns, a.name) < std::tie(a.total_ns, b.name);
    });
    return result;
}

DeviceTotal united(std::uint32_t device, std::vector<std::pair<std::uint64_t, std::uint64_t>> intervals) {
    std::ranges::sort(intervals);
    DeviceTotal total{.device = device};
    total.first_ns = intervals.front().first;
    std::uint64_t until = 0;
    for (const auto& [start, end] : intervals) {
        const auto from = std::max(start, until);
        if (end > from) total.busy_ns += end - from;
        until = std::max(until, end);
    }
    total.last_ns = until;
    return total;
}

Json to_json(const std::vector<Total>& totals, bool moved) {
    Json list = Json::array();
    for (const auto& total : totals) {
        Json item{{"name", total.name},
                  {"count", total.count},
                  {"total_ns", total.total_ns},
                  {"min_ns", total.min_ns},
                  {"max_ns", total.max_ns}};
        if (moved) item["bytes"] = total.bytes;
        list.push_back(std::move(item));
    }
    return list;
}

} // namespace

void Total::add(std::uint64_t ns, std::uint64_t moved) {
    min_ns = count == 0 ? ns : std::min(min_ns, ns);
    max_ns = std::max(max_ns, ns);
    ++count;
    total_ns += ns;
    bytes += moved;
}

void Summarizer::add(const Activity& activity) {
    ++activities_;
    const auto ns = activity.end_ns - activity.start_ns;
    const auto count = [&](Totals& totals) {
        auto& total = totals[activity.name];
        if (total.count == 0) total.name = activity.name;
        total.add(ns, activity.bytes);
    };
    switch (activity.kind) {
    case Activity::Kind::kernel:
        ++kernel_count_;
        kernel_ns_ += ns;
        count(kernels_);
        break;
    case Activity::Kind::copy: count(copies_); break;
    case Activity::Kind::memset: count(memsets_); break;
    case Activity::Kind::synchronization: count(waits_); return;
    case Activity::Kind::call: count(calls_); return;
    }
    busy_[activity.device].emplace_back(activity.start_ns, activity.end_ns);
}

Summary Summarizer::summary() const {
    Summary summary;
    summary.activities = activities_;
    for (const auto& [device, intervals] : busy_) summary.devices.push_back(united(device, intervals));
    summary.kernels = sorted(kernels_);
    summary.copies = sorted(copies_);
    summary.memsets = sorted(memsets_);
    summary.calls = sorted(calls_);
    summary.waits = sorted(waits_);
    return summary;
}

Json to_json(const Summary& summary) {
    Json devices = Json::array();
    for (const auto& device : summary.devices)
        devices.push_back({{"device", device.device},
                           {"busy_ns", device.busy_ns},
                           {"first_ns", device.first_ns},
                           {"last_ns", device.last_ns}});
    return {{"activities", summary.activities},           {"devices", std::move(devices)},
            {"kernels", to_json(summary.kernels, false)}, {"copies", to_json(summary.copies, true)},
            {"memsets", to_json(summary.memsets, true)},  {"waits", to_json(summary.waits, false)},
            {"calls", to_json(summary.calls, false)}};
}

} // namespace kw::trace
