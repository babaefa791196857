#pragma once

#include <QString>

#include <cstdint>
#include <vector>

/// How times are written on the timeline.
namespace kw::profiler_views {

/// A duration with three significant digits.
[[nodiscard]] QString duration_text(std::int64_t ns);
/// Every digit: "12.345 678 ms" for details and tooltips.
[[nodiscard]] QString exact_text(std::int64_t ns);

struct Tick {
    double time = 0;
    QString label;
};
/// Ticks at 1, 2 or 5 times a power of ten ns, at least `least_pixels` apart; labels have as many digits as the step
/// needs, in the unit that suits the largest time shown.
[[nodiscard]] std::vector<Tick> ticks(double start, double ns_per_pixel, double width, double least_pixels);
/// The distance between two ticks in ns, at least 1.
[[nodiscard]] double tick_step(double ns_per_pixel, double least_pixels);

} // namespace kw::profiler_views
