#include "engine/timeline/store.h"

#include <algorithm>

namespace kw::timeline {

std::uint32_t Store::lane_of(EventId event) const {
    const auto after = std::ranges::upper_bound(lanes_, event, {}, &Lane::first);
    return static_cast<std::uint32_t>(after - lanes_.begin()) - 1;
}

std::uint32_t Store::row_of(EventId event) const {
    const auto& rows = lanes_[lane_of(event)].rows;
    const auto after = std::ranges::upper_bound(rows, event, {}, &Row::first);
    return static_cast<std::uint32_t>(after - rows.begin()) - 1;
}

std::span<const Flow> Store::flows_from(EventId event) const {
    const auto [first, last] = std::ranges::equal_range(flows_, event, {}, &Flow::from);
    return {first, last};
}

std::vector<Flow> Store::flows_to(EventId event) const {
    const auto range =
        std::ranges::equal_range(flows_by_to_, event, {}, [this](std::uint32_t flow) { return flows_[flow].to; });
    std::vector<Flow> found;
    for (const std::uint32_t flow : range) found.push_back(flows_[flow]);
    return found;
}

Result<std::vector<Detail>> Store::details(EventId event) const {
    if (!details_) return std::vector<Detail>{};
    return details_->details(origin_[event]);
}

std::uint64_t Store::memory_bytes() const {
    std::uint64_t bytes = start_.memory_bytes() + duration_.memory_bytes() + name_.memory_bytes()
                          + category_.memory_bytes() + origin_.memory_bytes() + names_.memory_bytes()
                          + categories_.capacity() * sizeof(std::uint32_t) + flows_.capacity() * sizeof(Flow)
                          + flows_by_to_.capacity() * sizeof(std::uint32_t);
    if (details_) bytes += details_->memory_bytes();
    for (const Lane& lane : lanes_) {
        bytes += sizeof(Lane) + lane.label.capacity() + lane.rows.capacity() * sizeof(Row);
        for (const Row& row : lane.rows) bytes += row.summary.memory_bytes();
    }
    for (const Counter& counter : counters_)
        for (const Series& series : counter.series)
            bytes += sizeof(Series) + series.times.capacity() * sizeof(Ns) + series.values.capacity() * sizeof(double)
                     + series.summary.memory_bytes();
    return bytes;
}

} // namespace kw::timeline
