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

/// The topmost node that begins at thing `i` and of which `small` holds; the number of things that it covers, 0 when
/// there is none.
template<class Node, class Small>
std::size_t largest_node(const Pyramid<Node>& pyramid, std::size_t i, std::size_t things, const Small& small,
                         const Node** found) {
    std::size_t covered = 0;
    std::size_t span = Pyramid<Node>::kFanOut;
    for (std::size_t level = 0; level < pyramid.levels() && i % span == 0; ++level, span *= Pyramid<Node>::kFanOut) {
        const std::size_t index = i / span;
        const Node& node = pyramid.node(level, index);
        const std::size_t count = std::min(span, things - i);
        if (!small(node, level, index)) break;
        *found = &node;
        covered = count;
    }
    return covered;
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
    const auto flush = [&] {
        if (column == kNone) return;
        shared.coverage = std::min(shared.coverage, 1.0f);
        items.push_back(shared);
        column = kNone;
    };
    const std::size_t count = row.count;
    for (std::size_t i = first_touching(store, row, to_ns(view.start)) - row.first; i < count;) {
        const auto event = static_cast<EventId>(row.first + i);
        const Ns start = store.start(event);
        if (static_cast<double>(start) > until) break;
        Ns end = store.end(event), busy = end - start;
        EventId longest = event;
        std::size_t covered = 1;
        const RowNode* node = nullptr;
        if (const std::size_t many = largest_node(
                row.summary, i, count,
                [&](const RowNode& n, std::size_t, std::size_t) {
                    return static_cast<double>(n.end - n.begin) < view.ns_per_pixel;
                },
                &node);
            many > 0) {
            covered = many;
            end = node->end;
            busy = node->busy;
            longest = node->longest;
        }
        i += covered;
        if (static_cast<double>(end - start) >= view.ns_per_pixel) {
            flush();
            items.push_back({x_of(start), x_of(end), event, 1, 1});
            continue;
        }
        const double at = std::floor((static_cast<double>(start) - view.start) * scale);
        const auto coverage = static_cast<float>(static_cast<double>(busy) * scale);
        if (at == column) {
            if (store.duration(longest) > store.duration(shared.event)) shared.event = longest;
            shared.count += static_cast<std::uint32_t>(covered);
            shared.coverage += coverage;
            continue;
        }
        flush();
        column = at;
        const auto x = static_cast<float>(std::max(at, -4.0));
        shared = {x, x + 1, longest, static_cast<std::uint32_t>(covered), coverage};
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
                &node);
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
