#include "engine/timeline/builder.h"

#include "engine/base/parallel.h"
#include "engine/timeline/lane_filler.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <tuple>

namespace kw::timeline {
namespace {

/// "stream 7" before "stream 20": runs of digits compare by value.
bool natural_less(std::string_view a, std::string_view b) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (digit(a[i]) && digit(b[j])) {
            while (i < a.size() && a[i] == '0') ++i;
            while (j < b.size() && b[j] == '0') ++j;
            std::size_t m = i, n = j;
            while (m < a.size() && digit(a[m])) ++m;
            while (n < b.size() && digit(b[n])) ++n;
            if (m - i != n - j) return m - i < n - j;
            if (const int order = a.substr(i, m - i).compare(b.substr(j, n - j)); order != 0) return order < 0;
            i = m;
            j = n;
        } else {
            if (a[i] != b[j]) return a[i] < b[j];
            ++i;
            ++j;
        }
    }
    return a.size() - i < b.size() - j;
}

std::string default_label(const std::string& prefix, const std::string& key) {
    if (key.empty()) return "unnamed";
    // A key that is a word speaks for itself.
    return key.front() == '-' || (key.front() >= '0' && key.front() <= '9') ? prefix + key : key;
}

} // namespace

void Batch::sort_by_lane(std::uint32_t lanes) {
    std::vector<Segment> by_lane(lanes);
    for (const RawEvent& event : events) {
        ++by_lane[event.lane].count;
        if (event.phase == Phase::end) ++by_lane[event.lane].ends;
        earliest = std::min(earliest, event.start);
    }
    for (const RawAsync& edge : asyncs) earliest = std::min(earliest, edge.at);
    for (const RawSample& sample : samples) earliest = std::min(earliest, sample.at);
    segments.clear();
    std::uint32_t begin = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        by_lane[lane].lane = lane;
        by_lane[lane].begin = begin;
        begin += by_lane[lane].count;
        if (by_lane[lane].count > 0) segments.push_back(by_lane[lane]);
    }
    std::vector<RawEvent> sorted(events.size());
    for (const RawEvent& event : events) sorted[by_lane[event.lane].begin++] = event;
    events = std::move(sorted);
}

std::uint16_t Shard::category(std::string_view text) {
    if (text == last_category_) return last_category_number_;
    const auto [found, is_new] = category_of_.try_emplace(names_.intern(text), std::uint16_t{0});
    if (is_new && !text.empty() && categories_.size() <= std::numeric_limits<std::uint16_t>::max()) {
        found->second = static_cast<std::uint16_t>(categories_.size());
        categories_.push_back(found->first);
    }
    last_category_ = text;
    return last_category_number_ = found->second;
}

std::uint32_t Shard::lane(std::string_view group, std::string_view lane) {
    const LaneKey key{keys_.intern(group), keys_.intern(lane)};
    const std::uint64_t joined = (std::uint64_t{key.group} << 32) | key.lane;
    if (joined == last_lane_key_) return last_lane_;
    const auto [found, is_new] = lane_of_.try_emplace(joined, lanes());
    if (is_new) lanes_.push_back(key);
    last_lane_key_ = joined;
    return last_lane_ = found->second;
}

std::uint32_t Shard::series(std::string_view group, std::string_view counter, std::string_view series) {
    const SeriesKey key{keys_.intern(group), keys_.intern(counter), keys_.intern(series)};
    const auto [found, is_new] =
        series_of_.try_emplace({key.group, key.counter, key.series}, static_cast<std::uint32_t>(series_.size()));
    if (is_new) series_.push_back(key);
    return found->second;
}

/// What finish() puts together on its way.
struct Builder::Work {
    std::shared_ptr<Store> store = std::make_shared<Store>();
    Ns zero = 0;
    std::vector<std::vector<std::uint32_t>> names;      ///< [shard][its number] → the store's
    std::vector<std::vector<std::uint16_t>> categories; ///< likewise
    std::vector<std::vector<std::uint32_t>> lanes;      ///< likewise, in the order of arrange()
    struct LaneOf {
        std::string group, lane;
        std::uint64_t events = 0;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> segments; ///< of which batch, which
        std::vector<LaneItem> more;                                    ///< from asyncs
    };
    std::vector<LaneOf> lanes_of;
    std::map<std::string, std::uint32_t, std::less<>> groups; ///< key → the store's number
    std::atomic<std::uint64_t> never_ended{0}, never_begun{0}, too_deep{0};
};

Builder::Builder(std::uint32_t shards) {
    for (std::uint32_t i = 0; i < std::max(shards, 1u); ++i) shards_.push_back(std::make_unique<Shard>());
}

void Builder::commit(Batch&& batch) {
    committed_ += batch.events.size() + batch.asyncs.size() + batch.samples.size();
    batches_.push_back(std::move(batch));
}

void Builder::label_group(std::string_view group, std::string label) {
    groups_[std::string(group)].label = std::move(label);
}
void Builder::order_group(std::string_view group, double order) { groups_[std::string(group)].order = order; }
void Builder::label_lane(std::string_view group, std::string_view lane, std::string label) {
    lanes_[{std::string(group), std::string(lane)}].label = std::move(label);
}
void Builder::order_lane(std::string_view group, std::string_view lane, double order) {
    lanes_[{std::string(group), std::string(lane)}].order = order;
}
void Builder::unit_of(std::string_view group, std::string_view counter, std::string unit) {
    units_[{std::string(group), std::string(counter)}] = std::move(unit);
}

void Builder::join_names(Work& work) const {
    Interner all;
    Interner categories; // numbers of categories; the texts are in `all`
    std::vector<std::uint32_t> category_names{0};
    for (const auto& shard : shards_) {
        auto& names = work.names.emplace_back();
        const StringTable& texts = shard->names_.strings();
        names.reserve(texts.size());
        for (std::uint32_t i = 0; i < texts.size(); ++i)
            names.push_back(all.intern(decode_ ? std::string_view(decode_(texts[i])) : texts[i]));
        auto& mapped = work.categories.emplace_back();
        for (const std::uint32_t name : shard->categories_) {
            const std::uint32_t category = categories.intern(all.strings()[names[name]]);
            if (category == category_names.size()) category_names.push_back(names[name]);
            mapped.push_back(category <= std::numeric_limits<std::uint16_t>::max()
                                 ? static_cast<std::uint16_t>(category)
                                 : std::uint16_t{0});
        }
    }
    work.store->names_ = all.take();
    work.store->names_.shrink();
    work.store->categories_ = std::move(category_names);
}

void Builder::join_lanes(Work& work) const {
    std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> numbers;
    for (const auto& shard : shards_) {
        auto& mapped = work.lanes.emplace_back();
        for (const auto& key : shard->lanes_) {
            const auto group = shard->keys_.strings()[key.group], lane = shard->keys_.strings()[key.lane];
            const auto [found, is_new] =
                numbers.try_emplace({group, lane}, static_cast<std::uint32_t>(work.lanes_of.size()));
            if (is_new) work.lanes_of.push_back({std::string(group), std::string(lane), 0, {}, {}});
            mapped.push_back(found->second);
        }
    }
    for (std::uint32_t b = 0; b < batches_.size(); ++b) {
        const auto& batch = batches_[b];
        for (std::uint32_t s = 0; s < batch.segments.size(); ++s) {
            auto& lane = work.lanes_of[work.lanes[batch.shard][batch.segments[s].lane]];
            lane.segments.emplace_back(b, s);
            lane.events += batch.segments[s].count - batch.segments[s].ends;
        }
    }
}

void Builder::match_asyncs(Work& work) const {
    struct Edge {
        const RawAsync* raw;
        std::uint32_t lane; ///< of work.lanes_of
        std::uint32_t batch;
        std::size_t order; ///< in which they came
    };
    std::vector<Edge> edges;
    for (std::uint32_t b = 0; b < batches_.size(); ++b)
        for (const RawAsync& raw : batches_[b].asyncs)
            edges.push_back({&raw, work.lanes[batches_[b].shard][raw.lane], b, edges.size()});
    std::ranges::sort(edges, {}, [](const Edge& e) { return std::tuple(e.lane, e.raw->chain, e.raw->at, e.order); });
    const auto add = [&](const Edge& edge, Ns end) {
        const Batch& batch = batches_[edge.batch];
        auto& lane = work.lanes_of[edge.lane];
        lane.more.push_back({.start = edge.raw->at,
                             .duration = end - edge.raw->at,
                             .origin = batch.origin + edge.raw->origin,
                             .name = work.names[batch.shard][edge.raw->name],
                             .category = work.categories[batch.shard][edge.raw->category],
                             .phase = Phase::complete});
        ++lane.events;
    };
    std::vector<const Edge*> open;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const Edge& edge = edges[i];
        switch (edge.raw->kind) {
        case RawAsync::Kind::begin: open.push_back(&edge); break;
        case RawAsync::Kind::instant: add(edge, edge.raw->at); break;
        case RawAsync::Kind::end:
            if (open.empty()) {
                ++work.never_begun;
            } else {
                add(*open.back(), edge.raw->at);
                open.pop_back();
            }
        }
        const bool last =
            i + 1 == edges.size() || edges[i + 1].lane != edge.lane || edges[i + 1].raw->chain != edge.raw->chain;
        if (!last) continue;
        work.never_ended += open.size();
        for (const Edge* begun : open) add(*begun, begun->raw->at);
        open.clear();
    }
}

void Builder::arrange(Work& work) const {
    Store& store = *work.store;
    struct GroupOrder {
        double order;
        bool nameless; ///< and without an order: rarely what one looks for, so it comes last
        std::string label;
    };
    struct Order {
        GroupOrder of_group;
        std::string group;
        double lane_order;
        std::string lane_label;
        std::uint32_t lane; ///< of work.lanes_of
    };
    const auto group_info = [&](const std::string& key) {
        const auto found = groups_.find(key);
        const bool known = found != groups_.end();
        const bool labelled = known && !found->second.label.empty();
        return GroupOrder{known ? found->second.order.value_or(0) : 0.0, !labelled && !(known && found->second.order),
                          labelled ? found->second.label : default_label(group_prefix_, key)};
    };
    std::vector<Order> order;
    for (std::uint32_t i = 0; i < work.lanes_of.size(); ++i) {
        const auto& lane = work.lanes_of[i];
        if (lane.events == 0) continue;
        const auto info = lanes_.find({lane.group, lane.lane});
        const bool labelled = info != lanes_.end() && !info->second.label.empty();
        order.push_back({group_info(lane.group), lane.group,
                         info != lanes_.end() ? info->second.order.value_or(0) : 0.0,
                         labelled ? info->second.label : default_label(lane_prefix_, lane.lane), i});
    }
    // Groups that have only counters.
    for (const auto& shard : shards_)
        for (const auto& key : shard->series_) {
            const std::string group(shard->keys_.strings()[key.group]);
            order.push_back({group_info(group), group, 0, {}, UINT32_MAX});
        }
    std::ranges::sort(order, [](const Order& a, const Order& b) {
        if (a.of_group.nameless != b.of_group.nameless) return b.of_group.nameless;
        if (a.of_group.order != b.of_group.order) return a.of_group.order < b.of_group.order;
        if (a.of_group.label != b.of_group.label) return natural_less(a.of_group.label, b.of_group.label);
        if (a.group != b.group) return a.group < b.group;
        if (a.lane_order != b.lane_order) return a.lane_order < b.lane_order;
        if (a.lane_label != b.lane_label) return natural_less(a.lane_label, b.lane_label);
        return a.lane < b.lane;
    });
    std::vector<Work::LaneOf> arranged;
    std::vector<std::uint32_t> moved(work.lanes_of.size(), UINT32_MAX);
    std::uint64_t first = 0;
    for (Order& entry : order) {
        const auto [group, is_new] =
            work.groups.try_emplace(entry.group, static_cast<std::uint32_t>(store.groups_.size()));
        if (is_new) store.groups_.push_back({.label = entry.of_group.label, .lanes = {}, .counters = {}});
        if (entry.lane == UINT32_MAX) continue;
        const auto number = static_cast<std::uint32_t>(store.lanes_.size());
        moved[entry.lane] = number;
        store.groups_[group->second].lanes.push_back(number);
        const auto count = static_cast<std::uint32_t>(work.lanes_of[entry.lane].events);
        store.lanes_.push_back({.label = std::move(entry.lane_label),
                                .group = group->second,
                                .first = static_cast<EventId>(first),
                                .count = count,
                                .rows = {}});
        first += count;
        arranged.push_back(std::move(work.lanes_of[entry.lane]));
    }
    work.lanes_of = std::move(arranged);
    for (auto& lanes : work.lanes)
        for (auto& lane : lanes) lane = moved[lane];
    store.start_ = Column<Ns>(first);
    store.duration_ = Column<Ns>(first);
    store.name_ = Column<std::uint32_t>(first);
    store.category_ = Column<std::uint16_t>(first);
    store.origin_ = Column<std::uint64_t>(first);
}

void Builder::fill_lane(Work& work, std::uint32_t number) const {
    Store& store = *work.store;
    Work::LaneOf& source = work.lanes_of[number];
    Lane& lane = store.lanes_[number];
    std::vector<LaneItem> items;
    std::size_t total = source.more.size();
    for (const auto& [b, s] : source.segments) total += batches_[b].segments[s].count;
    items.reserve(total);
    for (const auto& [b, s] : source.segments) {
        const Batch& batch = batches_[b];
        const auto& names = work.names[batch.shard];
        const auto& categories = work.categories[batch.shard];
        const auto& segment = batch.segments[s];
        for (std::uint32_t i = segment.begin; i < segment.begin + segment.count; ++i) {
            const RawEvent& raw = batch.events[i];
            items.push_back({raw.start - work.zero, raw.duration, batch.origin + raw.origin, names[raw.name],
                             categories[raw.category], raw.phase});
        }
    }
    for (LaneItem& item : source.more) {
        item.start -= work.zero;
        items.push_back(item);
    }
    source.more = {};
    const auto ends = close_pairs(items);
    work.never_ended += ends.never_ended;
    work.never_begun += ends.never_begun;
    sort_items(items);
    const auto rows = assign_rows(items);
    work.too_deep += rows.too_deep;
    lane.nested = rows.nested;
    lane.count = static_cast<std::uint32_t>(items.size() - rows.too_deep);

    EventId next = lane.first;
    std::vector<EventId> fill;
    for (const std::uint32_t count : rows.counts) {
        lane.rows.push_back({.first = next, .count = count, .summary = {}});
        fill.push_back(next);
        next += count;
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (rows.row_of[i] == kNoRow) continue;
        const EventId event = fill[rows.row_of[i]]++;
        store.start_[event] = items[i].start;
        store.duration_[event] = items[i].duration;
        store.name_[event] = items[i].name;
        store.category_[event] = items[i].category;
        store.origin_[event] = items[i].origin;
    }
    for (Row& row : lane.rows) summarise(row, store.start_.data(), store.duration_.data(), store.name_.data());
}

void Builder::build_counters(Work& work) const {
    Store& store = *work.store;
    struct Points {
        std::uint32_t counter = 0, series = 0;
        std::vector<std::pair<Ns, double>> points;
    };
    std::map<std::tuple<std::string, std::string, std::string>, Points> all;
    std::vector<std::vector<Points*>> mapped;
    for (const auto& shard : shards_) {
        auto& of_shard = mapped.emplace_back();
        const auto& texts = shard->keys_.strings();
        for (const auto& key : shard->series_)
            of_shard.push_back(
                &all[{std::string(texts[key.group]), std::string(texts[key.counter]), std::string(texts[key.series])}]);
    }
    for (const Batch& batch : batches_)
        for (const RawSample& sample : batch.samples)
            mapped[batch.shard][sample.series]->points.emplace_back(sample.at - work.zero, sample.value);
    std::map<std::pair<std::string, std::string>, std::uint32_t> counters;
    for (auto& [key, points] : all) {
        if (points.points.empty()) continue;
        const auto& [group, counter, series] = key;
        const auto [found, is_new] =
            counters.try_emplace({group, counter}, static_cast<std::uint32_t>(store.counters_.size()));
        if (is_new) {
            const auto unit = units_.find({group, counter});
            const std::uint32_t number = work.groups.at(group);
            store.groups_[number].counters.push_back(found->second);
            store.counters_.push_back(
                {.label = counter, .unit = unit == units_.end() ? "" : unit->second, .group = number, .series = {}});
        }
        store.counters_[found->second].series.push_back(
            make_series(series, std::move(points.points), sample_interval_, store.end_));
    }
    for (const Counter& counter : store.counters_)
        for (const Series& series : counter.series) store.end_ = std::max(store.end_, series.end);
}

void Builder::build_flows(Work& work) const {
    Store& store = *work.store;
    std::vector<FlowPoint> points;
    for (const Batch& batch : batches_)
        for (const RawFlow& raw : batch.flows) {
            const std::uint32_t lane = work.lanes[batch.shard][raw.lane];
            if (lane == UINT32_MAX) continue;
            points.push_back(
                {.chain = raw.chain, .at = raw.at - work.zero, .lane = lane, .event = kNoEvent, .kind = raw.kind});
        }
    parallel_for(points.size(), 4096, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) points[i].event = event_of(store, points[i]);
    });
    store.flows_ = link(std::move(points));
    store.flows_by_to_.resize(store.flows_.size());
    for (std::uint32_t i = 0; i < store.flows_by_to_.size(); ++i) store.flows_by_to_[i] = i;
    std::ranges::sort(store.flows_by_to_, {}, [&](std::uint32_t i) { return std::pair(store.flows_[i].to, i); });
}

Result<std::shared_ptr<const Store>> Builder::finish(std::stop_token stop, const Progress& progress) {
    Work work;
    Store& store = *work.store;
    bool any = false;
    Ns earliest = kLatest;
    for (const Batch& batch : batches_) {
        any |= !batch.events.empty() || !batch.asyncs.empty() || !batch.samples.empty();
        earliest = std::min(earliest, batch.earliest);
    }
    work.zero = any ? earliest : 0;
    // Without a word about it, times that large are of the clock that counts from 1970: it passed there in 2001.
    constexpr Ns kSurelyEpoch = 1'000'000'000'000'000'000;
    if (epoch_ || work.zero >= kSurelyEpoch) store.epoch_ = epoch_.value_or(0) + work.zero;
    join_names(work);
    join_lanes(work);
    match_asyncs(work);
    std::uint64_t total = 0;
    for (const auto& lane : work.lanes_of) total += lane.events;
    if (total >= kNoEvent)
        return fail(
            Stage::profile, ErrorCode::unsupported,
            fmt::format("the trace has {} events, more than the timeline can number (2³² − 1); record a shorter "
                        "time",
                        total));
    arrange(work);
    // Large lanes first, so that the last thread to end does not begin with the largest.
    std::vector<std::uint32_t> by_size(store.lanes_.size());
    for (std::uint32_t i = 0; i < by_size.size(); ++i) by_size[i] = i;
    std::ranges::sort(by_size, std::ranges::greater{},
                      [&](std::uint32_t i) { return std::pair(store.lanes_[i].count, i); });
    std::atomic<std::uint64_t> done{0};
    parallel_for(by_size.size(), 1, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) {
            if (stop.stop_requested()) return;
            fill_lane(work, by_size[i]);
            done += store.lanes_[by_size[i]].count;
        }
    });
    if (stop.stop_requested()) return fail(Stage::profile, ErrorCode::cancelled, "opening the trace was stopped");
    if (progress) progress(1);
    for (const Lane& lane : store.lanes_) {
        store.size_ += lane.count;
        for (const Row& row : lane.rows)
            if (row.count > 0) store.end_ = std::max(store.end_, store.end(row.first + row.count - 1));
    }
    build_counters(work);
    build_flows(work);
    store.details_ = details_;
    store.warnings_ = warnings_;
    const auto tell = [&](std::uint64_t count, std::string_view what) {
        if (count > 0) store.warnings_.push_back(fmt::format("{} {}", count, what));
    };
    tell(work.never_ended, "events begin and never end; they are shown as long as what else is known allows");
    tell(work.never_begun, "ends of events that never began are left out");
    tell(work.too_deep, fmt::format("events are nested more than {} levels deep and are left out", kMostRows));
    return std::shared_ptr<const Store>(std::move(work.store));
}

} // namespace kw::timeline
