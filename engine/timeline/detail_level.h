#pragma once

#include "engine/timeline/store.h"

#include <vector>

/// What to draw of a row or a series at a scale: about as many items as there are pixels, whatever is in the store.
namespace kw::timeline {

/// Part of a time axis: pixel x is at `start + x * ns_per_pixel`.
struct Viewport {
    double start = 0; ///< ns
    double ns_per_pixel = 1;
    double width = 0; ///< pixels
};

/// An event at least a pixel wide, or several that share a pixel.
struct RowItem {
    float begin = 0; ///< pixels; clipped to a little beyond the viewport
    float end = 0;
    EventId event = kNoEvent; ///< the longest of them
    std::uint32_t name = 0;   ///< of that event
    std::uint32_t count = 1;
    float coverage = 1; ///< which part of the item is covered by events
};
/// Appends the row's items, in order. At most one shared item per pixel.
void row_items(const Store& store, const Row& row, const Viewport& view, std::vector<RowItem>& items);

/// The least and the most that a series is within a stretch of pixels.
struct SeriesItem {
    float begin = 0;
    float end = 0;
    double least = 0;
    double most = 0;
};
void series_items(const Series& series, const Viewport& view, std::vector<SeriesItem>& items);
/// The value that holds at `at`; nothing before the first and after the last.
[[nodiscard]] std::optional<double> value_at(const Series& series, Ns at);

} // namespace kw::timeline
