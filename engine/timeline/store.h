#pragma once

#include "engine/base/result.h"
#include "engine/timeline/strings.h"
#include "engine/timeline/summary.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Events over time, as columns. Built once (builder.h), then only read, by any number of threads.
namespace kw::timeline {

/// Events of one lane at one depth of nesting. They follow each other without overlap.
struct Row {
    EventId first = 0;
    std::uint32_t count = 0;
    Pyramid<RowNode> summary;
};

/// What happened on one thread, stream or track.
struct Lane {
    std::string label;
    std::uint32_t group = 0;
    EventId first = 0;
    std::uint32_t count = 0;
    std::vector<Row> rows;
    /// Every event lies within one of the row above, so that row 0 alone tells when the lane was busy.
    bool nested = true;
};

/// A value over time: `values[i]` holds from `times[i]` to `times[i + 1]`, the last one to `end`.
struct Series {
    std::string label;
    std::vector<Ns> times;
    std::vector<double> values;
    Ns end = 0;
    double least = 0;
    double most = 0;
    Pyramid<SampleNode> summary;
};

struct Counter {
    std::string label;
    std::string unit;
    std::uint32_t group = 0;
    std::vector<Series> series;
};

/// Lanes that belong together: a process, a device. Counters are shown below the lanes.
struct Group {
    std::string label;
    std::vector<std::uint32_t> lanes;
    std::vector<std::uint32_t> counters;
};

/// One event led to another: a call started a kernel.
struct Flow {
    EventId from = kNoEvent;
    EventId to = kNoEvent;
    bool operator==(const Flow&) const = default;
};

/// What an event is known by beyond its columns.
struct Detail {
    std::string name;
    std::string value;
};

/// Where details come from; they stay in the file and are read when they are asked for.
class DetailSource {
public:
    virtual ~DetailSource() = default;
    /// `origin` as the event was added with it. Any thread, one at a time.
    [[nodiscard]] virtual Result<std::vector<Detail>> details(std::uint64_t origin) = 0;
    [[nodiscard]] virtual std::uint64_t memory_bytes() const { return 0; }
};

/// An array that is not written to before it is filled, so that a large one costs memory only as it fills.
template<class T> class Column {
public:
    Column() = default;
    explicit Column(std::size_t size) : data_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}
    [[nodiscard]] T& operator[](std::size_t i) { return data_[i]; }
    [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] const T* data() const { return data_.get(); }
    [[nodiscard]] std::uint64_t memory_bytes() const { return size_ * sizeof(T); }

private:
    std::unique_ptr<T[]> data_;
    std::size_t size_ = 0;
};

class Store {
public:
    /// Times count from here; where that is known, `epoch` is the instant in ns since 1970, else nothing.
    [[nodiscard]] std::optional<Ns> epoch() const { return epoch_; }
    /// The latest end of anything; 0 when there is nothing.
    [[nodiscard]] Ns end() const { return end_; }
    /// How many events there are. Their numbers may have gaps between lanes.
    [[nodiscard]] std::uint32_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0 && counters_.empty(); }

    [[nodiscard]] std::span<const Group> groups() const { return groups_; }
    [[nodiscard]] std::span<const Lane> lanes() const { return lanes_; }
    [[nodiscard]] std::span<const Counter> counters() const { return counters_; }

    // Columns. An event of no duration is an instant.
    [[nodiscard]] Ns start(EventId event) const { return start_[event]; }
    [[nodiscard]] Ns duration(EventId event) const { return duration_[event]; }
    [[nodiscard]] Ns end(EventId event) const { return start_[event] + duration_[event]; }
    [[nodiscard]] std::uint32_t name_id(EventId event) const { return name_[event]; }
    [[nodiscard]] std::string_view name(EventId event) const { return names_[name_[event]]; }
    [[nodiscard]] std::string_view category(EventId event) const { return names_[categories_[category_[event]]]; }
    [[nodiscard]] const StringTable& names() const { return names_; }

    [[nodiscard]] std::uint32_t lane_of(EventId event) const;
    [[nodiscard]] std::uint32_t row_of(EventId event) const; ///< within its lane: the depth

    /// Sorted by `from`.
    [[nodiscard]] std::span<const Flow> flows() const { return flows_; }
    [[nodiscard]] std::span<const Flow> flows_from(EventId event) const;
    [[nodiscard]] std::vector<Flow> flows_to(EventId event) const;

    /// What the source says about an event; empty where it says nothing more.
    [[nodiscard]] Result<std::vector<Detail>> details(EventId event) const;

    /// What was wrong with the source, a sentence each; what is shown is what could be read.
    [[nodiscard]] std::span<const std::string> warnings() const { return warnings_; }
    /// What is held for all of this, in bytes.
    [[nodiscard]] std::uint64_t memory_bytes() const;

private:
    friend class Builder;

    std::optional<Ns> epoch_;
    Ns end_ = 0;
    std::uint32_t size_ = 0;
    std::vector<Group> groups_;
    std::vector<Lane> lanes_;
    std::vector<Counter> counters_;
    Column<Ns> start_;
    Column<Ns> duration_;
    Column<std::uint32_t> name_;
    Column<std::uint16_t> category_;
    Column<std::uint64_t> origin_;
    StringTable names_;
    std::vector<std::uint32_t> categories_; ///< into names_
    std::vector<Flow> flows_;
    std::vector<std::uint32_t> flows_by_to_; ///< into flows_, sorted by `to`
    std::shared_ptr<DetailSource> details_;
    std::vector<std::string> warnings_;
};

} // namespace kw::timeline
