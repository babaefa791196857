#include "engine/timeline/detail_level.h"

#include "engine/timeline/query.h"

#include <algorithm>
#include <cmath>

namespace kw::timeline {
namespace {

Ns to_ns(double time) {
    constexpr double kMost = 9e18;
    return static_cast<Ns>(std::clamp(std::floor(time), -kMost, kMost));
}

/// Finds the topmost node that begins at thing `i` and is small. `hint` is the level found last, where the search
/// begins: neighbours are mostly alike. Returns the number of things covered, 0 when no node is small.
template<class Node, class Small>
std::size_t largest_node(const Pyramid<Node>& pyramid, std::size_t i, std::size_t things, const Small& small,
                         std::size_t& hint, const Node** found) {
    constexpr std::size_t kShift = Pyramid<Node>::kShift;
    const auto aligned = [&](std::size_t level) { return (i & ((std::size_t{1} << (kShift * (level + 1))) - 1)) == 0; };
    const auto fits = [&](std::size_t level) {
        const std::size_t index = i >> (kShift * (level + 1));
        const Node& node = pyramid.node(level, index);
        if (!small(node, level, index)) return false;
        *found = &node;
        return true;
    };
    const auto covered = [&](std::size_t level) {
        hint = level;
        return std::min(std::size_t{1} << (kShift * (level + 1)), things - i);
    };
    std::size_t level = std::min(hint + 1, pyramid.levels());
    while (level > 0 && !aligned(level - 1)) --level;
    while (level > 0 && !fits(level - 1)) --level;
    if (level == 0) {
        hint = 0;
        return 0;
    }
    while (level < pyramid.levels() && aligned(level) && fits(level)) ++level;
    return covered(level - 1);
}

} // namespace

void row_items(const Store& store, const Row& row, const Viewport& view, std::vector<RowItem>& items) {
    const double scale = 1 / view.ns_per_pixel;
    const double until = view.start + view.width * view.ns_per_pixel;
    const auto x_of = [&](Ns time) {
        return static_cast<float>(std::clamp((static_cast<double>(time) - view.start) * scale, -4.0, view.width + 4));
    };
    constexpr double kNone = -1e9;
    double column = kNone; // whose events are collected in `shared`
    RowItem shared;
    float shared_longest = 0;
    const auto flush = [&] {
        if (column == kNone) return;
        shared.coverage = std::min(shared.coverage, 1.0f);
        items.push_back(shared);
        column = kNone;
    };
    const auto small = [&](const RowNode& n, std::size_t, std::size_t) {
        return static_cast<double>(n.end - n.begin) < view.ns_per_pixel;
    };
    const std::size_t count = row.count;
    std::size_t hint = 0;
    std::size_t i = first_touching(store, row, to_ns(view.start)) - row.first;
    while (i < count) {
        // Columns are read only where no node speaks for their events: reading them is what costs.
        const RowNode* node = nullptr;
        const std::size_t many = largest_node(row.summary, i, count, small, hint, &node);
        const auto event = static_cast<EventId>(row.first + i);
        RowNode single;
        if (many == 0) {
            const auto length = static_cast<float>(store.duration(event));
            single = {store.start(event), store.end(event), event, store.name_id(event), length, length};
        }
        if (many == 0) node = &single;
        if (static_cast<double>(node->begin) > until) break;
        const auto covered = static_cast<std::uint32_t>(std::max<std::size_t>(many, 1));
        i += covered;
        if (many == 0 && !small(single, 0, 0)) {
            flush();
            items.push_back({x_of(single.begin), x_of(single.end), event, single.name, 1, 1});
            continue;
        }
        const double at = std::floor((static_cast<double>(node->begin) - view.start) * scale);
        const auto coverage = static_cast<float>(static_cast<double>(node->busy_ns) * scale);
        if (at == column) {
            if (node->longest_ns > shared_longest) {
                shared.event = node->longest;
                shared.name = node->name;
                shared_longest = node->longest_ns;
            }
            shared.count += covered;
            shared.coverage += coverage;
            continue;
        }
        flush();
        column = at;
        const auto x = static_cast<float>(std::max(at, -4.0));
        shared = {x, x + 1, node->longest, node->name, covered, coverage};
        shared_longest = node->longest_ns;
    }
    flush();
}

void series_items(const Series& series, const Viewport& view, std::vector<SeriesItem>& items) {
    const double until = view.start + view.width * view.ns_per_pixel;
    const auto x_of = [&](Ns time) {
        return static_cast<float>(
            std::clamp((static_cast<double>(time) - view.start) / view.ns_per_pixel, -4.0, view.width + 4));
    };
    const auto& times = series.times;
    const auto end_of = [&](std::size_t i) { return i < times.size() ? times[i] : series.end; };
    // From the sample that holds at the viewport's start.
    std::size_t i = static_cast<std::size_t>(std::ranges::upper_bound(times, to_ns(view.start)) - times.begin());
    if (i > 0) --i;
    std::size_t hint = 0;
    while (i < times.size() && static_cast<double>(times[i]) <= until) {
        SeriesItem item{0, 0, series.values[i], series.values[i]};
        std::size_t covered = 1;
        const SampleNode* node = nullptr;
        if (const std::size_t many = largest_node(
                series.summary, i, times.size(),
                [&](const SampleNode& n, std::size_t level, std::size_t index) {
                    const std::size_t span = std::size_t{1} << (Pyramid<SampleNode>::kShift * (level + 1));
                    return static_cast<double>(end_of((index + 1) * span) - n.begin) < view.ns_per_pixel;
                },
                hint, &node);
            many > 0) {
            covered = many;
            item.least = node->least;
            item.most = node->most;
        }
        item.begin = x_of(times[i]);
        item.end = x_of(end_of(i + covered));
        i += covered;
        if (!items.empty() && item.end - items.back().begin < 1) {
            items.back().end = item.end;
            items.back().least = std::min(items.back().least, item.least);
            items.back().most = std::max(items.back().most, item.most);
        } else {
            items.push_back(item);
        }
    }
}

std::optional<double> value_at(const Series& series, Ns at) {
    const auto after = std::ranges::upper_bound(series.times, at);
    if (after == series.times.begin() || at >= series.end) return {};
    return series.values[static_cast<std::size_t>(after - series.times.begin()) - 1];
}

} // namespace kw::timeline
