#include "engine/timeline/lane_filler.h"

#include "engine/timeline/query.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace kw::timeline {

PairCounts close_pairs(std::vector<LaneItem>& items) {
    PairCounts counts;
    if (std::ranges::all_of(items, [](const LaneItem& i) { return i.phase == Phase::complete; })) return counts;
    std::vector<LaneItem> edges, complete;
    Ns latest = items.front().start;
    for (const LaneItem& item : items) {
        (item.phase == Phase::complete ? complete : edges).push_back(item);
        latest = std::max(latest, item.start + item.duration);
    }
    std::ranges::sort(edges, {}, [](const LaneItem& e) { return std::pair(e.start, e.origin); });
    std::vector<LaneItem> open;
    const auto close = [&](std::size_t i, Ns at) {
        LaneItem item = open[i];
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
        item.duration = at - item.start;
        item.phase = Phase::complete;
        complete.push_back(item);
    };
    for (const LaneItem& edge : edges) {
        if (edge.phase == Phase::begin) {
            open.push_back(edge);
            continue;
        }
        std::size_t i = open.size();
        while (i > 0 && edge.name != 0 && open[i - 1].name != edge.name) --i;
        if (i == 0)
            ++counts.never_begun;
        else
            close(i - 1, edge.start);
    }
    counts.never_ended = open.size();
    while (!open.empty()) close(open.size() - 1, latest);
    items = std::move(complete);
    return counts;
}

void sort_items(std::vector<LaneItem>& items) {
    const auto less = [](const LaneItem& a, const LaneItem& b) {
        if (a.start != b.start) return a.start < b.start;
        return a.duration != b.duration ? a.duration > b.duration : a.origin < b.origin;
    };
    // Traces are written as a few sorted runs, one per kind of event: merging runs is cheaper than sorting anew.
    std::vector<std::size_t> runs{0};
    for (std::size_t i = 1; i < items.size(); ++i)
        if (less(items[i], items[i - 1])) runs.push_back(i);
    if (runs.size() == 1) return;
    constexpr std::size_t kFewRuns = 64;
    if (runs.size() > kFewRuns) {
        std::ranges::sort(items, less);
        return;
    }
    runs.push_back(items.size());
    std::vector<LaneItem> merged(items.size());
    const auto at = [](auto& of, std::size_t place) { return of.begin() + static_cast<std::ptrdiff_t>(place); };
    while (runs.size() > 2) {
        std::vector<std::size_t> longer{0};
        for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
            const std::size_t middle = runs[i + 1], end = runs[std::min(i + 2, runs.size() - 1)];
            std::merge(at(items, runs[i]), at(items, middle), at(items, middle), at(items, end), at(merged, runs[i]),
                       less);
            longer.push_back(end);
        }
        std::swap(items, merged);
        runs = std::move(longer);
    }
}

RowAssignment assign_rows(const std::vector<LaneItem>& items) {
    RowAssignment result;
    result.row_of.resize(items.size());
    std::vector<Ns> row_end;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Ns start = items[i].start, end = start + items[i].duration;
        std::size_t row = 0;
        while (row < row_end.size() && row_end[row] > start) ++row;
        if (row == row_end.size()) {
            if (row == kMostRows) {
                result.row_of[i] = kNoRow;
                ++result.too_deep;
                continue;
            }
            row_end.push_back(end);
            result.counts.push_back(0);
        }
        if (row > 0 && end > row_end[row - 1]) result.nested = false;
        row_end[row] = end;
        result.row_of[i] = static_cast<std::uint16_t>(row);
        ++result.counts[row];
    }
    return result;
}

void summarise(Row& row, const Ns* start, const Ns* duration, const std::uint32_t* name) {
    const auto take = [](RowNode& node, EventId event, std::uint32_t event_name, float length, float busy) {
        node.busy_ns += busy;
        if (length <= node.longest_ns) return;
        node.longest = event;
        node.name = event_name;
        node.longest_ns = length;
    };
    row.summary.build(
        row.count,
        [&](std::size_t begin, std::size_t end) {
            const auto first = static_cast<EventId>(row.first + begin), last = static_cast<EventId>(row.first + end);
            RowNode node{.begin = start[first], .end = start[last - 1] + duration[last - 1]};
            for (EventId event = first; event < last; ++event) {
                const auto length = static_cast<float>(duration[event]);
                take(node, event, name[event], length, length);
            }
            return node;
        },
        [&](std::span<const RowNode> nodes) {
            RowNode node{.begin = nodes.front().begin, .end = nodes.back().end};
            for (const RowNode& part : nodes) take(node, part.longest, part.name, part.longest_ns, part.busy_ns);
            return node;
        });
}

Series make_series(std::string label, std::vector<std::pair<Ns, double>> points, Ns interval, Ns end) {
    // By time and, of one time, as they came.
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(points[i].first, i); });
    Series series{.label = std::move(label), .times = {}, .values = {}, .summary = {}};
    series.times.reserve(points.size());
    series.values.reserve(points.size());
    for (const std::size_t i : order) {
        const auto& [at, value] = points[i];
        // Of several values at one time the last one counts.
        if (!series.times.empty() && series.times.back() == at) {
            series.values.back() = value;
            continue;
        }
        series.times.push_back(at);
        series.values.push_back(value);
    }
    const auto [least, most] = std::ranges::minmax(series.values);
    series.least = least;
    series.most = most;
    series.end = interval > 0 ? series.times.back() + interval : std::max(end, series.times.back());
    series.summary.build(
        series.times.size(),
        [&](std::size_t begin, std::size_t last) {
            const auto [low, high] = std::minmax_element(series.values.begin() + static_cast<std::ptrdiff_t>(begin),
                                                         series.values.begin() + static_cast<std::ptrdiff_t>(last));
            return SampleNode{series.times[begin], *low, *high};
        },
        [](std::span<const SampleNode> nodes) {
            SampleNode node = nodes.front();
            for (const SampleNode& part : nodes) {
                node.least = std::min(node.least, part.least);
                node.most = std::max(node.most, part.most);
            }
            return node;
        });
    return series;
}

EventId event_of(const Store& store, const FlowPoint& point) {
    const Lane& lane = store.lanes()[point.lane];
    EventId found = kNoEvent, next = kNoEvent;
    for (const Row& row : lane.rows) {
        const EventId after = first_starting_after(store, row, point.at);
        if (after > row.first && store.end(after - 1) >= point.at) {
            found = after - 1;
        } else {
            if (after < row.first + row.count && (next == kNoEvent || store.start(after) < store.start(next)))
                next = after;
            if (lane.nested) break; // nothing below lies within nothing
        }
    }
    if (found != kNoEvent) return found;
    return point.kind == RawFlow::Kind::finish ? next : kNoEvent;
}

std::vector<Flow> link(std::vector<FlowPoint> points) {
    std::erase_if(points, [](const FlowPoint& p) { return p.event == kNoEvent; });
    std::ranges::sort(points, {}, [](const FlowPoint& p) { return std::tuple(p.chain, p.at, p.kind, p.event); });
    std::vector<Flow> flows;
    for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
        std::size_t starts = 0;
        for (end = begin; end < points.size() && points[end].chain == points[begin].chain; ++end)
            starts += points[end].kind == RawFlow::Kind::start;
        // Clocks of two devices differ a little: where there is one start, all follow it, whatever their times say.
        EventId from = kNoEvent;
        if (starts == 1)
            for (std::size_t i = begin; i < end; ++i)
                if (points[i].kind == RawFlow::Kind::start) from = points[i].event;
        for (std::size_t i = begin; i < end; ++i) {
            const FlowPoint& point = points[i];
            if (point.kind != RawFlow::Kind::start && from != kNoEvent && from != point.event)
                flows.push_back({from, point.event});
            if (point.kind == RawFlow::Kind::start && starts == 1) continue;
            if (point.kind != RawFlow::Kind::finish) from = point.event;
        }
    }
    std::ranges::sort(flows, {}, [](const Flow& f) { return std::pair(f.from, f.to); });
    const auto [first, last] = std::ranges::unique(flows);
    flows.erase(first, last);
    flows.shrink_to_fit();
    return flows;
}

} // namespace kw::timeline
