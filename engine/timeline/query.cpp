#include "engine/timeline/query.h"

#include <algorithm>
#include <limits>
#include <ranges>

namespace kw::timeline {
namespace {

std::ranges::iota_view<EventId, EventId> ids(const Row& row) { return {row.first, row.first + row.count}; }

/// Many events of absurd length may add up to more than there is.
Ns add(Ns a, Ns b) {
    Ns sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<Ns>::max() : sum;
}

/// Order of searching.
bool earlier(const Store& store, EventId a, EventId b) {
    return store.start(a) != store.start(b) ? store.start(a) < store.start(b) : a < b;
}

} // namespace

EventId first_starting_after(const Store& store, const Row& row, Ns at) {
    const auto range = ids(row);
    return static_cast<EventId>(
        row.first
        + (std::ranges::upper_bound(range, at, {}, [&](EventId e) { return store.start(e); }) - range.begin()));
}

EventId first_touching(const Store& store, const Row& row, Ns at) {
    const auto range = ids(row);
    const auto before = [&](EventId e) { return store.duration(e) > 0 ? store.end(e) <= at : store.start(e) < at; };
    return static_cast<EventId>(row.first + (std::ranges::partition_point(range, before) - range.begin()));
}

std::vector<EventId> events_in(const Store& store, std::uint32_t lane, Ns begin, Ns end) {
    std::vector<EventId> found;
    for (const Row& row : store.lanes()[lane].rows)
        for (EventId event = first_touching(store, row, begin);
             event < row.first + row.count && store.start(event) < end; ++event)
            found.push_back(event);
    return found;
}

EventId event_at(const Store& store, std::uint32_t lane, std::uint32_t row_index, Ns at, Ns slack) {
    const auto& rows = store.lanes()[lane].rows;
    if (row_index >= rows.size()) return kNoEvent;
    const Row& row = rows[row_index];
    const EventId after = first_starting_after(store, row, at);
    EventId found = kNoEvent;
    Ns nearest = slack;
    if (after > row.first) {
        const Ns distance = std::max<Ns>(0, at - store.end(after - 1));
        if (distance == 0 || distance <= nearest) {
            found = after - 1;
            nearest = distance;
        }
    }
    if (after < row.first + row.count && store.start(after) - at <= slack
        && (found == kNoEvent || store.start(after) - at < nearest))
        found = after;
    return found;
}

Ns busy(const Store& store, std::uint32_t lane_index, Ns begin, Ns end) {
    const Lane& lane = store.lanes()[lane_index];
    if (lane.rows.empty()) return 0;
    const auto clipped = [&](EventId e) {
        return std::pair(std::max(begin, store.start(e)), std::min(end, store.end(e)));
    };
    Ns total = 0;
    if (lane.nested) {
        const Row& row = lane.rows.front();
        for (EventId e = first_touching(store, row, begin); e < row.first + row.count && store.start(e) < end; ++e) {
            const auto [from, to] = clipped(e);
            total += to - from;
        }
        return total;
    }
    auto events = events_in(store, lane_index, begin, end);
    std::ranges::sort(events, {}, [&](EventId e) { return store.start(e); });
    Ns reached = begin;
    for (const EventId e : events) {
        const auto [from, to] = clipped(e);
        if (to > reached) total += to - std::max(from, reached);
        reached = std::max(reached, to);
    }
    return total;
}

NameSet::NameSet(const StringTable& names, const std::function<bool(std::string_view)>& matches)
    : matches_(names.size()) {
    for (std::uint32_t i = 0; i < names.size(); ++i)
        if (matches(names[i])) matches_[i] = any_ = true;
}

MatchCount count_matches(const Store& store, const NameSet& names, EventId event) {
    MatchCount count;
    if (names.empty()) return count;
    for (const Lane& lane : store.lanes())
        for (EventId e = lane.first; e < lane.first + lane.count; ++e) {
            if (!names.contains(store.name_id(e))) continue;
            ++count.total;
            count.before += event != kNoEvent && earlier(store, e, event);
        }
    return count;
}

EventId next_match(const Store& store, const NameSet& names, EventId after) {
    EventId found = kNoEvent;
    if (names.empty()) return found;
    for (const Lane& lane : store.lanes())
        for (const Row& row : lane.rows) {
            // From the first that starts when `after` does: of these, some numbers come later.
            EventId e = after == kNoEvent ? row.first : first_starting_after(store, row, store.start(after) - 1);
            for (; e < row.first + row.count; ++e) {
                if (found != kNoEvent && !earlier(store, e, found)) break;
                if (!names.contains(store.name_id(e)) || (after != kNoEvent && !earlier(store, after, e))) continue;
                found = e;
                break;
            }
        }
    return found;
}

EventId previous_match(const Store& store, const NameSet& names, EventId before) {
    EventId found = kNoEvent;
    if (names.empty()) return found;
    for (const Lane& lane : store.lanes())
        for (const Row& row : lane.rows) {
            EventId e =
                before == kNoEvent ? row.first + row.count : first_starting_after(store, row, store.start(before));
            while (e-- > row.first) {
                if (found != kNoEvent && !earlier(store, found, e)) break;
                if (!names.contains(store.name_id(e)) || (before != kNoEvent && !earlier(store, e, before))) continue;
                found = e;
                break;
            }
        }
    return found;
}

std::optional<Statistics> statistics(const Store& store, const std::vector<std::uint32_t>& lanes, Ns begin, Ns end,
                                     std::stop_token stop) {
    Statistics result{.begin = begin, .end = end, .names = {}, .lanes = {}};
    std::vector<NameStatistics> names(store.names().size());
    constexpr std::uint32_t kBetweenLooks = 1 << 16;
    for (const std::uint32_t lane : lanes) {
        LaneStatistics of_lane{.lane = lane};
        for (const Row& row : store.lanes()[lane].rows) {
            const EventId last = row.first + row.count;
            for (EventId e = first_touching(store, row, begin); e < last && store.start(e) < end; ++e) {
                if (e % kBetweenLooks == 0 && stop.stop_requested()) return {};
                NameStatistics& name = names[store.name_id(e)];
                const Ns duration = store.duration(e);
                if (name.count == 0 || duration < name.least) name.least = duration;
                if (name.count == 0 || duration > name.most) {
                    name.most = duration;
                    name.longest = e;
                }
                ++name.count;
                name.total = add(name.total, duration);
                ++of_lane.count;
            }
        }
        if (of_lane.count == 0) continue;
        if (stop.stop_requested()) return {};
        of_lane.busy = busy(store, lane, begin, end);
        result.count += of_lane.count;
        result.lanes.push_back(of_lane);
    }
    for (std::uint32_t i = 0; i < names.size(); ++i) {
        if (names[i].count == 0) continue;
        names[i].name = i;
        result.names.push_back(names[i]);
    }
    std::ranges::sort(result.names, std::ranges::greater{},
                      [](const NameStatistics& s) { return std::pair(s.total, s.count); });
    return result;
}

} // namespace kw::timeline
