#pragma once

#include "engine/timeline/store.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// How sources hand over events. A source that reads with several threads gives each its own Shard; every shard's
/// numbers are its own and are joined by finish().
namespace kw::timeline {

/// Bounds of times and durations that are taken, 36 years before to 146 years after 1970, so that neither a difference
/// of two times nor the end of an event overflows.
inline constexpr Ns kEarliest = -(Ns{1} << 60);
inline constexpr Ns kLatest = Ns{1} << 62;
inline constexpr Ns kLongest = Ns{1} << 61;
/// Rows of a lane; deeper nesting is drawn in the last row.
inline constexpr std::uint32_t kMostRows = 512;

enum class Phase : std::uint8_t {
    complete,
    begin, ///< its duration is not known yet: it ends with the `end` of the same lane that closes it
    end,
};

struct RawEvent {
    Ns start;
    Ns duration;
    std::uint32_t name;   ///< Shard::name
    std::uint32_t origin; ///< added to Batch::origin
    std::uint32_t lane;   ///< Shard::lane
    std::uint16_t category;
    Phase phase;
};

/// A point of a chain that leads from event to event: it belongs to the event of `lane` that is under way at `at`.
struct RawFlow {
    enum class Kind : std::uint8_t { start, step, finish } kind;
    std::uint64_t chain; ///< equal for points of one chain
    Ns at;
    std::uint32_t lane;
};

/// One edge of an event that may overlap others of its lane.
struct RawAsync {
    enum class Kind : std::uint8_t { begin, instant, end } kind;
    std::uint64_t chain; ///< joins begin and end
    Ns at;
    std::uint32_t lane;
    std::uint32_t name;
    std::uint32_t origin;
    std::uint16_t category;
};

struct RawSample {
    Ns at;
    double value;
    std::uint32_t series; ///< Shard::series
};

/// What a thread read in one go.
struct Batch {
    std::uint32_t shard = 0;
    std::uint64_t origin = 0;
    std::vector<RawEvent> events;
    std::vector<RawFlow> flows;
    std::vector<RawAsync> asyncs;
    std::vector<RawSample> samples;

    struct Segment {
        std::uint32_t lane;
        std::uint32_t begin;
        std::uint32_t count;
        std::uint32_t ends; ///< how many of them only end others
    };
    std::vector<Segment> segments;
    Ns earliest = kLatest; ///< of anything
    /// Brings events of a lane together, in the order in which they came, and notes what commit() needs.
    void sort_by_lane(std::uint32_t lanes);
};

class Shard {
public:
    [[nodiscard]] std::uint32_t name(std::string_view text) { return names_.intern(text); }
    /// Beyond 65535 of them, further categories are the empty one.
    [[nodiscard]] std::uint16_t category(std::string_view text);
    /// `group` and `lane` are keys: what they are called is told to the builder.
    [[nodiscard]] std::uint32_t lane(std::string_view group, std::string_view lane);
    [[nodiscard]] std::uint32_t lanes() const { return static_cast<std::uint32_t>(lanes_.size()); }
    [[nodiscard]] std::uint32_t series(std::string_view group, std::string_view counter, std::string_view series);

private:
    friend class Builder;
    struct LaneKey {
        std::uint32_t group;
        std::uint32_t lane;
    };
    struct SeriesKey {
        std::uint32_t group;
        std::uint32_t counter;
        std::uint32_t series;
    };
    Interner names_;
    Interner keys_;
    std::unordered_map<std::uint64_t, std::uint32_t> lane_of_;
    std::vector<LaneKey> lanes_;
    std::unordered_map<std::uint32_t, std::uint16_t> category_of_;
    std::string last_category_;
    std::uint16_t last_category_number_ = 0;
    std::vector<std::uint32_t> categories_{0}; ///< into names_
    std::map<std::array<std::uint32_t, 3>, std::uint32_t> series_of_;
    std::vector<SeriesKey> series_;
    std::uint64_t last_lane_key_ = UINT64_MAX;
    std::uint32_t last_lane_ = 0;
};

using Progress = std::function<void(double fraction)>;

class Builder {
public:
    explicit Builder(std::uint32_t shards = 1);

    [[nodiscard]] Shard& shard(std::uint32_t index = 0) { return *shards_[index]; }
    [[nodiscard]] std::uint32_t shards() const { return static_cast<std::uint32_t>(shards_.size()); }
    /// Takes what a thread read, after sort_by_lane(). Batches keep the order in which they are given.
    void commit(Batch&& batch);
    [[nodiscard]] std::uint64_t committed() const { return committed_; }

    // What keys are called and in which order they are shown: by `order`, then as they appeared.
    void label_group(std::string_view group, std::string label);
    void order_group(std::string_view group, double order);
    void label_lane(std::string_view group, std::string_view lane, std::string label);
    void order_lane(std::string_view group, std::string_view lane, double order);
    /// What is put before a key that has no label.
    void set_default_labels(std::string group_prefix, std::string lane_prefix) {
        group_prefix_ = std::move(group_prefix);
        lane_prefix_ = std::move(lane_prefix);
    }
    void unit_of(std::string_view group, std::string_view counter, std::string unit);

    void warn(std::string sentence) { warnings_.push_back(std::move(sentence)); }
    void clear_warnings() { warnings_.clear(); }
    /// What a time of 0 is, in ns since 1970.
    void set_epoch(Ns epoch) { epoch_ = epoch; }
    void set_details(std::shared_ptr<DetailSource> source) { details_ = std::move(source); }
    /// Turns the text under which a shard interned a name into the name, once per different text.
    void set_decode(std::function<std::string(std::string_view)> decode) { decode_ = std::move(decode); }
    /// How long sampled values hold that have no successor.
    void set_sample_interval(Ns interval) { sample_interval_ = interval; }

    /// Sorts, nests and summarises. Events whose end is not known last as long as their lane. Errors: cancellation,
    /// more events than numbers. What was committed stays, so that more can be added and all of it finished again.
    [[nodiscard]] Result<std::shared_ptr<const Store>> finish(std::stop_token stop = {}, const Progress& progress = {});

private:
    struct GroupInfo {
        std::string label;
        std::optional<double> order{};
    };
    struct LaneInfo {
        std::string label;
        std::optional<double> order{};
    };
    struct Work;

    void join_names(Work& work) const;
    void join_lanes(Work& work) const;
    void match_asyncs(Work& work) const;
    void arrange(Work& work) const;
    void fill_lane(Work& work, std::uint32_t lane) const;
    void build_counters(Work& work) const;
    void build_flows(Work& work) const;

    std::vector<std::unique_ptr<Shard>> shards_;
    std::vector<Batch> batches_;
    std::uint64_t committed_ = 0;
    std::map<std::string, GroupInfo, std::less<>> groups_;
    std::map<std::pair<std::string, std::string>, LaneInfo> lanes_;
    std::map<std::pair<std::string, std::string>, std::string> units_;
    std::string group_prefix_, lane_prefix_;
    std::vector<std::string> warnings_;
    std::optional<Ns> epoch_;
    std::shared_ptr<DetailSource> details_;
    std::function<std::string(std::string_view)> decode_;
    Ns sample_interval_ = 0;
};

} // namespace kw::timeline
