#pragma once

#include "engine/profile/metrics.h"
#include "engine/profile/report.h"

#include <QString>

/// How metrics are named, written and explained.
namespace kw::profiler_views {

[[nodiscard]] QString text_of(std::string_view text);
/// "Speed of light" of "speed_of_light".
[[nodiscard]] QString section_title(std::string_view group);
/// Three significant digits with SI prefix and unit.
[[nodiscard]] QString value_text(const profile::Metric& metric, double value);
[[nodiscard]] QString exact_value_text(const profile::Metric& metric, double value);

/// Where a launch's values come from.
struct Origin {
    bool estimated = false;
    QString source; ///< "CUPTI counters", "Simulator", "Computed"
    QString how;    ///< the counter's name, or the formula; may be empty
};
[[nodiscard]] Origin origin_of(const profile::Metric& metric, const profile::Report& report);
/// The same for values of source lines.
[[nodiscard]] Origin line_origin_of(const profile::Metric& metric, const profile::Report& report);

[[nodiscard]] QString rung_title(profile::Rung rung);
/// "PC sampling was skipped: reason Remedy"; empty where the rung is done.
[[nodiscard]] QString rung_problem(const profile::RungState& state);
[[nodiscard]] const profile::RungState* rung_of(const profile::Report& report, profile::Rung rung);

} // namespace kw::profiler_views
