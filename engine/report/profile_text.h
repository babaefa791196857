#pragma once

#include "engine/profile/report.h"
#include "engine/report/text.h"
#include "engine/task/task.h"

#include <string>
#include <string_view>

namespace kw::report {

/// A profile for a person: launches, and for each how near it is to the limits, its memory table, what warps wait for
/// and its hottest lines; then which rungs of the ladder gave it. `files` are the task's, for the text of lines.
[[nodiscard]] std::string render(const profile::Report& report, const task::Files& files, const Style& style);

/// A rung per line: what became of it, why, and what to do about it.
[[nodiscard]] std::string render_ladder(std::span<const profile::RungState> rungs, const Style& style,
                                        std::string_view indent);

/// Three significant digits with the unit: "41.5 %", "3.21 TB/s", "1.50 MiB", "12.3 µs", "1.23 M". `unit` is a
/// metric's.
[[nodiscard]] std::string quantity(double value, std::string_view unit);

/// A list of the metrics that exist.
[[nodiscard]] std::string render_metrics(const Style& style);

} // namespace kw::report
