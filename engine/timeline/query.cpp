#include "engine/timeline/query.h"

#include <queue>

#include <algorithm>
#include <limits>
#include <ranges>

namespace kw::timeline {
namespace {

std::ranges::iota_view<EventId, EventId> ids(const Row& row) { return {row.first, row.first + row.count}; }

/// How many events are gone through before looking whether to stop.
constexpr std::uint32_t kBetweenLooks = 1 << 16;

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

Ns busy(const Store& store, std::uint32_t lane_index, Ns begin, Ns end, std::stop_token stop) {
    const Lane& lane = store.lanes()[lane_index];
    // The next event of each row, the earliest on top.
    struct Next {
        EventId event;
        EventId last;
    };
    const auto later = [&](const Next& a, const Next& b) { return store.start(a.event) > store.start(b.event); };
    std::priority_queue<Next, std::vector<Next>, decltype(later)> rows(later);
    const auto push = [&](EventId event, EventId last) {
        if (event < last && store.start(event) < end) rows.push({event, last});
    };
    for (const Row& row : lane.rows) {
        push(first_touching(store, row, begin), row.first + row.count);
        if (lane.nested) break; // what lies below lies within
    }
    Ns total = 0, reached = begin;
    for (std::uint32_t looked = 0; !rows.empty(); ++looked) {
        if (looked % kBetweenLooks == 0 && stop.stop_requested()) break;
        const auto [event, last] = rows.top();
        rows.pop();
        push(event + 1, last);
        const Ns from = std::max(reached, store.start(event)), to = std::min(end, store.end(event));
        if (to > from) total += to - from;
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
        of_lane.busy = busy(store, lane, begin, end, stop);
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
