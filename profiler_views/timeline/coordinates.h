#pragma once

#include "engine/timeline/detail_level.h"

#include <algorithm>
#include <cmath>

/// Arithmetic of the time axis. Nothing is clamped unless a function says so: a time outside the viewport has a pixel
/// outside [0, width].
namespace kw::profiler_views {

using timeline::Viewport;

/// A hundredth of a ns per pixel: closer, doubles no longer tell times of a day apart.
inline constexpr double kNearest = 0.01;

[[nodiscard]] inline double x_of(const Viewport& view, double time) { return (time - view.start) / view.ns_per_pixel; }
[[nodiscard]] inline double time_of(const Viewport& view, double x) { return view.start + x * view.ns_per_pixel; }
[[nodiscard]] inline double end_of(const Viewport& view) { return time_of(view, view.width); }

/// The time under `x` stays there. `factor` below 1 comes nearer.
[[nodiscard]] inline Viewport zoomed(const Viewport& view, double x, double factor) {
    const double scale = std::max(view.ns_per_pixel * factor, kNearest);
    return {time_of(view, x) - x * scale, scale, view.width};
}

[[nodiscard]] inline Viewport panned(const Viewport& view, double pixels) {
    return {view.start + pixels * view.ns_per_pixel, view.ns_per_pixel, view.width};
}

/// Shows [begin, end] with a margin on both sides.
[[nodiscard]] inline Viewport fitted(const Viewport& view, double begin, double end) {
    constexpr double kMargin = 0.02;
    const double length = std::max(end - begin, view.width * kNearest);
    const double shown = length * (1 + 2 * kMargin);
    return {begin - length * kMargin, shown / std::max(view.width, 1.0), view.width};
}

/// Neither farther away than all of [0, end] nor beyond its ends.
[[nodiscard]] inline Viewport bounded(const Viewport& view, double end) {
    const Viewport all = fitted(view, 0, end);
    if (view.ns_per_pixel >= all.ns_per_pixel) return all;
    Viewport result = view;
    result.start = std::clamp(view.start, all.start, std::max(all.start, end_of(all) - view.width * view.ns_per_pixel));
    return result;
}

/// Same times, another width: the start stays.
[[nodiscard]] inline Viewport resized(const Viewport& view, double width) {
    return {view.start, view.ns_per_pixel, width};
}

} // namespace kw::profiler_views
