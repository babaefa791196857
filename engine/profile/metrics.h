#pragma once

#include "engine/base/result.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Metrics are data: resources/profile/metrics.toml says what there is, what each means and what a GPU calls it.
namespace kw::profile {

struct Metric {
    std::string id;         ///< "dram_throughput"
    std::string label;      ///< "DRAM throughput"
    std::string unit;       ///< "%", "B", "", "1/request", …
    std::string group;      ///< "speed_of_light", "roofline", "memory", "stalls", "scheduler", "launch", "instructions"
    std::string about;      ///< one sentence for someone who meets it for the first time
    bool per_line = false;  ///< also known per source line
    bool over_time = false; ///< can be sampled inside a kernel
    std::vector<std::string> sets;          ///< "basic", "full"
    std::vector<std::string> names;         ///< what GPUs call it, in the order to try
    std::vector<std::string> sampled_names; ///< what PM sampling calls it, in the order to try
    std::string formula;                    ///< computed from other ids instead: "fadd + fmul + 2 * ffma"
    std::string sim;                        ///< computed from the simulator's events: "32 * unique_load_sectors"
    bool more_is_better = false;
    std::string stall; ///< for stall reasons: the name that PC sampling gives it, without prefix
};

/// Every metric, in the order to show them.
[[nodiscard]] std::span<const Metric> metrics();
[[nodiscard]] const Metric* find_metric(std::string_view id);
/// The metrics of a set, or those named; with the operands of their formulas. An unknown name is an error with a
/// suggestion.
[[nodiscard]] Result<std::vector<const Metric*>> select_metrics(std::string_view set, std::span<const std::string> ids);
/// Fills in what formulas give, where all operands are there.
void derive(std::map<std::string, double>& values);

/// What the simulator's events say, by metric id: the `sim` expressions that have a value. `names` are those that
/// resources/profile/metrics.toml lists. `line`: only metrics that are known per line, and none that is 0.
[[nodiscard]] std::map<std::string, double> simulated(const std::map<std::string, double, std::less<>>& names,
                                                      bool line);

/// Reads a file such as resources/profile/metrics.toml. Errors name the metric and what is wrong with it.
[[nodiscard]] Result<std::vector<Metric>> parse_metrics(std::string_view toml, std::string_view file);

} // namespace kw::profile
