#pragma once

#include "engine/profile/metrics.h"
#include "engine/profile/report.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// One metric of a profile by source line or by instruction, for the margin beside a text.
namespace kw::editor {

struct HeatColumn {
    std::string id;
    std::string label;
    std::string unit;
    std::string about;
    bool estimated = false;
    std::map<int, double> lines; ///< by line from 1
    double total = 0; ///< of the whole profile, other files and unknown lines included; 0: values are ratios, which do
                      ///< not add up
};

/// Whether the values of several launches or lines may be added. What is per something, or a share, may not.
[[nodiscard]] inline bool adds_up(const profile::Metric& metric) {
    const auto is_ratio = [](const std::string& expression) { return expression.find('/') != std::string::npos; };
    return metric.unit != "%" && metric.unit != "threads" && metric.unit.find('/') == std::string::npos
           && !is_ratio(metric.sim);
}

namespace heat_detail {

/// Values of one metric by key, over all launches: the sum, or for ratios the mean weighted by instructions executed,
/// by samples where there are none, else plain.
template<class Key> struct Means {
    std::map<Key, double> value, weight;
    void add(const Key& key, const std::map<std::string, double>& values, double measured, bool sums) {
        double w = 1;
        if (!sums) {
            for (const char* id : {"warp_instructions", "samples"})
                if (const auto found = values.find(id); found != values.end() && found->second > 0) {
                    w = found->second;
                    break;
                }
        }
        value[key] += measured * w;
        weight[key] += w;
    }
    void finish(bool sums) {
        if (!sums)
            for (auto& [key, sum] : value) sum /= weight[key];
    }
};

} // namespace heat_detail

/// What `report` knows per line of `file`, in the order in which metrics are shown. Launches are taken together.
[[nodiscard]] inline std::vector<HeatColumn> heat_columns_of(const profile::Report& report, std::string_view file) {
    std::set<std::string, std::less<>> known;
    for (const auto& launch : report.launches)
        for (const auto& line : launch.lines)
            if (line.file == file && line.line > 0)
                for (const auto& [id, value] : line.values) known.insert(id);
    std::vector<HeatColumn> columns;
    for (const auto& metric : profile::metrics()) {
        if (!known.contains(metric.id)) continue;
        HeatColumn column{metric.id, metric.label, metric.unit, metric.about, report.estimated, {}, 0};
        const bool sums = adds_up(metric);
        heat_detail::Means<int> means;
        for (const auto& launch : report.launches)
            for (const auto& line : launch.lines) {
                const auto value = line.values.find(metric.id);
                if (value == line.values.end()) continue;
                if (sums) column.total += value->second;
                if (line.file == file && line.line > 0) means.add(line.line, line.values, value->second, sums);
            }
        means.finish(sums);
        column.lines = std::move(means.value);
        if (std::ranges::any_of(column.lines, [](const auto& entry) { return entry.second != 0; }))
            columns.push_back(std::move(column));
    }
    return columns;
}

/// The values of one metric by instruction (bytes from the kernel's start) of the kernel with this mangled name.
[[nodiscard]] inline std::map<std::uint64_t, double>
heat_of_instructions(const profile::Report& report, std::string_view lowered, std::string_view id) {
    const auto* metric = profile::find_metric(id);
    heat_detail::Means<std::uint64_t> means;
    const bool sums = metric && adds_up(*metric);
    for (const auto& launch : report.launches) {
        if (launch.lowered != lowered) continue;
        for (const auto& instruction : launch.instructions)
            if (const auto value = instruction.values.find(std::string(id)); value != instruction.values.end())
                means.add(instruction.offset, instruction.values, value->second, sums);
    }
    means.finish(sums);
    return std::move(means.value);
}

} // namespace kw::editor
