#pragma once

#include "engine/timeline/store.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

/// Questions that views ask of a store. Ranges are [begin, end) in ns of the store; an event touches a range when it
/// has a part in it, an instant when it lies in it.
namespace kw::timeline {

/// The first event of the row that starts later than `at`; the row's end when there is none.
[[nodiscard]] EventId first_starting_after(const Store& store, const Row& row, Ns at);
/// The first event of the row that ends after `at`, or is an instant at or after it.
[[nodiscard]] EventId first_touching(const Store& store, const Row& row, Ns at);

/// Events of a lane that touch the range, row by row.
[[nodiscard]] std::vector<EventId> events_in(const Store& store, std::uint32_t lane, Ns begin, Ns end);
/// The event of a row under way at `at`, or within `slack` of it, the nearest.
[[nodiscard]] EventId event_at(const Store& store, std::uint32_t lane, std::uint32_t row, Ns at, Ns slack);

/// How long at least one event of the lane was under way within the range; of part of it when stopped.
[[nodiscard]] Ns busy(const Store& store, std::uint32_t lane, Ns begin, Ns end, std::stop_token stop = {});

/// Which names match, one bit per name of the store.
class NameSet {
public:
    NameSet() = default;
    /// `matches` is asked once per different name.
    NameSet(const StringTable& names, const std::function<bool(std::string_view)>& matches);
    [[nodiscard]] bool contains(std::uint32_t name) const { return name < matches_.size() && matches_[name]; }
    [[nodiscard]] bool empty() const { return !any_; }

private:
    std::vector<bool> matches_;
    bool any_ = false;
};

/// How many events bear a name of the set, and how many of these come before `event` (see next_match).
struct MatchCount {
    std::uint64_t total = 0;
    std::uint64_t before = 0;
};
[[nodiscard]] MatchCount count_matches(const Store& store, const NameSet& names, EventId event);
/// The next event of the set in order of start and, at one time, of number; from the first on when `after` is kNoEvent.
/// kNoEvent when there is none.
[[nodiscard]] EventId next_match(const Store& store, const NameSet& names, EventId after);
[[nodiscard]] EventId previous_match(const Store& store, const NameSet& names, EventId before);

/// Events of one name. Durations are whole, also of events that only reach into the range.
struct NameStatistics {
    std::uint32_t name = 0;
    std::uint64_t count = 0;
    Ns total = 0;
    Ns least = 0;
    Ns most = 0;
    EventId longest = kNoEvent;
};
struct LaneStatistics {
    std::uint32_t lane = 0;
    std::uint64_t count = 0;
    Ns busy = 0;
};
struct Statistics {
    Ns begin = 0;
    Ns end = 0;
    std::uint64_t count = 0;
    std::vector<NameStatistics> names; ///< largest total first
    std::vector<LaneStatistics> lanes; ///< those that have events in the range
};
/// Nothing when stopped.
[[nodiscard]] std::optional<Statistics> statistics(const Store& store, const std::vector<std::uint32_t>& lanes,
                                                   Ns begin, Ns end, std::stop_token stop = {});

} // namespace kw::timeline
