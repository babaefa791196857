#pragma once

#include "engine/timeline/builder.h"

#include <cstdint>
#include <utility>
#include <vector>

/// The steps by which Builder::finish turns what was read into lanes, counters and flows.
namespace kw::timeline {

/// An event with the numbers of the store.
struct LaneItem {
    Ns start;
    Ns duration;
    std::uint64_t origin;
    std::uint32_t name;
    std::uint16_t category;
    Phase phase;
};

/// Joins begins and ends of one lane into complete events, in order of time and, at one time, in the order given. An
/// end closes the last begin of its name, or the last one of all where it has no name. What never ends lasts to the
/// latest time of the lane.
struct PairCounts {
    std::uint64_t never_ended = 0;
    std::uint64_t never_begun = 0;
};
PairCounts close_pairs(std::vector<LaneItem>& items);

/// By start, longer ones first.
void sort_items(std::vector<LaneItem>& items);

inline constexpr std::uint16_t kNoRow = UINT16_MAX;
struct RowAssignment {
    std::vector<std::uint16_t> row_of; ///< per item; kNoRow beyond kMostRows
    std::vector<std::uint32_t> counts; ///< per row
    std::uint64_t too_deep = 0;
    bool nested = true; ///< see Lane::nested
};
/// Gives each sorted item the first row that is free when it starts.
[[nodiscard]] RowAssignment assign_rows(const std::vector<LaneItem>& items);

void summarise(Row& row, const Ns* start, const Ns* duration, const std::uint32_t* name);

/// The last value holds for `interval`, or where that is 0, to `end`.
[[nodiscard]] Series make_series(std::string label, std::vector<std::pair<Ns, double>> points, Ns interval, Ns end);

struct FlowPoint {
    std::uint64_t chain;
    Ns at;
    std::uint32_t lane;
    EventId event;
    RawFlow::Kind kind;
};
/// The innermost event of the point's lane that is under way; for a finish, else the next to start.
[[nodiscard]] EventId event_of(const Store& store, const FlowPoint& point);
/// Arrows from each point of a chain to the next one, sorted by their origin.
[[nodiscard]] std::vector<Flow> link(std::vector<FlowPoint> points);

} // namespace kw::timeline
