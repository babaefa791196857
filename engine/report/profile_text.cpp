#include "engine/report/profile_text.h"

#include "engine/profile/findings.h"
#include "engine/profile/metrics.h"
#include "engine/profile/roofline.h"
#include "engine/report/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace kw::report {
namespace {

using profile::LaunchProfile;
using profile::Report;
using profile::RungState;

constexpr std::size_t kLaunchesInFull = 4;
constexpr std::size_t kTopStalls = 6;
constexpr std::size_t kHottestLines = 6;

std::optional<double> value_of(const std::map<std::string, double>& values, std::string_view id) {
    const auto at = values.find(std::string{id});
    return at == values.end() ? std::nullopt : std::optional{at->second};
}

std::string text_of(const std::map<std::string, double>& values, std::string_view id) {
    const auto value = value_of(values, id);
    const auto* metric = profile::find_metric(id);
    return value ? quantity(*value, metric ? metric->unit : "") : std::string{};
}

/// "12.3 T": decimal prefixes.
std::string scaled(double value) {
    constexpr std::array<std::pair<double, std::string_view>, 5> kPrefixes{
        {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
    for (const auto& [unit, prefix] : kPrefixes)
        if (std::abs(value) >= unit * 0.9995) return fmt::format("{} {}", number(value / unit), prefix);
    return number(value) + ' ';
}

std::string trimmed(std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
}

std::string dim_text(const device::Dim3& dim) {
    if (dim.z > 1) return fmt::format("{}×{}×{}", dim.x, dim.y, dim.z);
    if (dim.y > 1) return fmt::format("{}×{}", dim.x, dim.y);
    return fmt::format("{}", dim.x);
}

std::string bar(double percent) {
    constexpr int kWidth = 30;
    const int filled = std::clamp(static_cast<int>(std::lround(percent / 100 * kWidth)), 0, kWidth);
    std::string text;
    for (int i = 0; i < kWidth; ++i) text += i < filled ? "█" : "░";
    return text;
}

std::string launch_table(const Report& report, const Style& style) {
    const auto bold = [&](std::string_view text) { return style.paint(Color::bold, text); };
    Table table{{2, 3, 4, 5, 6, 7}};
    table.add({bold("#"), bold("kernel"), bold("grid"), bold("block"), bold("registers"), bold("shared"),
               bold("occupancy"), bold("duration"), bold("limited by")});
    for (std::size_t i = 0; i < report.launches.size(); ++i) {
        const auto& launch = report.launches[i];
        auto occupancy = text_of(launch.metrics, "achieved_occupancy");
        if (occupancy.empty()) occupancy = text_of(launch.metrics, "theoretical_occupancy");
        table.add({fmt::format("{}", i + 1), printable(launch.kernel), dim_text(launch.grid), dim_text(launch.block),
                   launch.registers > 0 ? fmt::format("{}", launch.registers) : std::string{},
                   bytes(std::uint64_t{launch.static_shared_bytes} + launch.dynamic_shared_bytes), occupancy,
                   text_of(launch.metrics, "duration_us"), printable(launch.limited_by)});
    }
    return table.render("  ");
}

std::string speed_of_light(const LaunchProfile& launch) {
    Table table{{1}};
    for (const auto& metric : profile::metrics()) {
        if (metric.group != "speed_of_light" || metric.unit != "%") continue;
        if (const auto value = value_of(launch.metrics, metric.id))
            table.add({metric.label, quantity(*value, "%"), bar(*value)});
    }
    return table.render("    ");
}

/// Every metric of a group that is known, two to a row.
std::string group_table(const LaunchProfile& launch, std::string_view group,
                        std::span<const std::string_view> skipped) {
    Table table{{1, 3}};
    std::vector<std::string> row;
    for (const auto& metric : profile::metrics()) {
        if (metric.group != group || std::ranges::find(skipped, metric.id) != skipped.end()) continue;
        const auto value = value_of(launch.metrics, metric.id);
        if (!value) continue;
        row.insert(row.end(), {metric.label, quantity(*value, metric.unit)});
        if (row.size() < 4) continue;
        table.add(std::exchange(row, {}));
    }
    if (!row.empty()) table.add(std::move(row));
    return table.render("    ");
}

std::string roofline_lines(const Report& report, std::size_t index) {
    std::string text;
    const auto label = [&](const std::string& id) {
        const auto at = std::ranges::find(report.ceilings, id, &profile::Ceiling::id);
        return at == report.ceilings.end() ? id : at->label;
    };
    for (const auto& point : profile::roofline_points(report)) {
        if (point.launch != index) continue;
        text += fmt::format("    {} at {}", quantity(point.rate, "FLOP/s"),
                            quantity(point.intensity, "FLOP/B") + " of " + label(point.memory));
        if (point.reached > 0)
            text += fmt::format(": {} of what the roof allows there, bound by {}", quantity(100 * point.reached, "%"),
                                point.memory_bound ? label(point.memory) : label(point.compute));
        text += '\n';
    }
    return text;
}

std::string stalls(const LaunchProfile& launch) {
    std::vector<std::pair<double, const profile::Metric*>> found;
    double all = 0;
    for (const auto& metric : profile::metrics()) {
        // Issuing is what warps should do.
        if (metric.stall.empty()) continue;
        const auto value = value_of(launch.metrics, metric.id);
        if (!value) continue;
        all += *value;
        if (*value > 0 && metric.stall != "selected") found.emplace_back(*value, &metric);
    }
    std::ranges::stable_sort(found, std::ranges::greater{}, [](const auto& each) { return each.first; });
    if (found.size() > kTopStalls) found.resize(kTopStalls);
    Table table{{1}};
    for (const auto& [value, metric] : found)
        table.add({metric->label, quantity(100 * value / all, "%"), metric->about});
    return table.render("    ");
}

std::string_view source_line(const task::Files& files, const profile::LineProfile& line) {
    const auto file = files.find(line.file);
    if (file == files.end() || line.line < 1) return {};
    std::string_view text = file->second;
    for (int i = 1; i < line.line; ++i) {
        const auto end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    text = text.substr(0, text.find('\n'));
    const auto start = text.find_first_not_of(" \t");
    return start == std::string_view::npos ? std::string_view{} : text.substr(start, 90);
}

/// By the first of these that any line has: samples say where time went, instructions where work is.
std::string hottest_lines(const LaunchProfile& launch, const task::Files& files, const Style& style) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kHeat{
        {{"samples", "of the samples"}, {"warp_instructions", "of the instructions"}}};
    for (const auto& [id, what] : kHeat) {
        std::vector<std::pair<double, const profile::LineProfile*>> lines;
        double all = 0;
        for (const auto& line : launch.lines) {
            const auto value = value_of(line.values, id).value_or(0);
            all += value;
            if (value > 0) lines.emplace_back(value, &line);
        }
        if (lines.empty()) continue;
        std::ranges::stable_sort(lines, std::ranges::greater{}, [](const auto& each) { return each.first; });
        if (lines.size() > kHottestLines) lines.resize(kHottestLines);
        Table table{{1}};
        for (const auto& [value, line] : lines)
            table.add({line->line > 0 ? fmt::format("{}:{}", printable(line->file), line->line) : "no line known",
                       quantity(100 * value / all, "%"), printable(source_line(files, *line))});
        return fmt::format("  {} {}\n{}", style.paint(Color::cyan, "hottest lines,"), what, table.render("    "));
    }
    return {};
}

void add_section(std::string& text, std::string_view title, const std::string& body, const Style& style) {
    if (!body.empty()) text += fmt::format("  {}\n{}", style.paint(Color::cyan, title), body);
}

std::string launch_text(const Report& report, std::size_t index, const task::Files& files, const Style& style) {
    constexpr std::array<std::string_view, 2> kInTable{"achieved_occupancy", "theoretical_occupancy"};
    const auto& launch = report.launches[index];
    std::string text;
    std::string limits;
    for (const auto& finding : profile::findings(report, index)) limits += fmt::format("    {}\n", finding.text);
    add_section(text, "what limits it", limits, style);
    add_section(text, "speed of light", speed_of_light(launch), style);
    add_section(text, "roofline", roofline_lines(report, index), style);
    add_section(text, "memory", group_table(launch, "memory", {}), style);
    add_section(text, "scheduler", group_table(launch, "scheduler", {}), style);
    add_section(text, "launch", group_table(launch, "launch", kInTable), style);
    add_section(text, "instructions", group_table(launch, "instructions", {}), style);
    add_section(text, "what warps wait for", stalls(launch), style);
    text += hottest_lines(launch, files, style);
    if (text.empty()) return text;
    return fmt::format("\n{} {}\n", style.paint(Color::bold, fmt::format("{}.", index + 1)),
                       style.paint(Color::bold, printable(launch.kernel)))
           + text;
}

} // namespace

std::string quantity(double value, std::string_view unit) {
    if (!std::isfinite(value)) return "–";
    if (unit == "B" && value >= 0 && value < 0x1p63) return bytes(static_cast<std::uint64_t>(std::llround(value)));
    if (unit == "ns") return duration(value / 1000);
    if (unit == "µs") return duration(value);
    if (unit == "%") return number(value) + " %";
    if (unit == "FLOP" || unit == "OP" || unit.ends_with("/s") || unit == "Hz" || unit == "cycle")
        return fmt::format("{}{}", scaled(value), unit);
    // Counts may be large, ratios are not.
    const auto shown = std::abs(value) < 1000 ? number(value) : trimmed(scaled(value));
    return unit.empty() ? shown : fmt::format("{} {}", shown, unit);
}

std::string render_ladder(std::span<const RungState> rungs, const Style& style, std::string_view indent) {
    Table table;
    std::string remedies;
    for (const auto& rung : rungs) {
        const bool good = rung.state == RungState::State::done || rung.state == RungState::State::available;
        const auto color = good ? Color::green : rung.state == RungState::State::failed ? Color::red : Color::yellow;
        auto why = printable(rung.reason);
        if (rung.state == RungState::State::done) {
            why = fmt::format("in {}", duration(rung.milliseconds * 1e3));
            if (rung.passes > 0) why += fmt::format(", {} pass{}", rung.passes, rung.passes == 1 ? "" : "es");
            if (!rung.reason.empty()) why += "; " + printable(rung.reason);
        }
        table.add({std::string{to_string(rung.rung)}, style.paint(color, to_string(rung.state)), why});
        if (!rung.remedy.empty())
            remedies += fmt::format("{}{} {}: {}\n", indent, style.paint(Color::cyan, "hint:"), to_string(rung.rung),
                                    printable(rung.remedy));
    }
    return table.render(indent) + remedies;
}

std::string render_metrics(const Style& style) {
    Table table;
    table.add({style.paint(Color::bold, "id"), style.paint(Color::bold, "unit"), style.paint(Color::bold, "group"),
               style.paint(Color::bold, "set"), style.paint(Color::bold, "what it is")});
    for (const auto& metric : profile::metrics()) {
        const bool basic = std::ranges::find(metric.sets, "basic") != metric.sets.end();
        table.add({metric.id, metric.unit, metric.group,
                   basic                 ? "basic"
                   : metric.sets.empty() ? ""
                                         : "full",
                   metric.about});
    }
    return table.render();
}

std::string render(const Report& report, const task::Files& files, const Style& style) {
    auto text = style.paint(Color::bold, "profile");
    if (!report.profiler.empty()) text += "   " + printable(report.profiler);
    if (!report.chip.empty()) text += ", " + printable(report.chip);
    if (report.estimated) text += ", estimated for " + printable(report.device.name);
    if (report.sampled) text += " from a sample of the blocks";
    std::string sizes;
    for (const auto& [name, value] : report.sizes)
        sizes += fmt::format("{}{}={}", sizes.empty() ? "" : " ", name, value);
    if (!sizes.empty()) text += ", at " + sizes;
    text += fmt::format(", in {}\n", duration(report.milliseconds * 1e3));
    if (report.fault) {
        const auto& where = report.fault->where;
        text += fmt::format("  {} {}{}\n", style.paint(Color::red, "fault:"),
                            where.file.empty() ? std::string{} : fmt::format("{}:{}: ", where.file, where.line),
                            printable(report.fault->message));
        if (const auto& other = report.fault->other)
            text += fmt::format("  {}{}\n", place(other->where), printable(device::other_party_text(*report.fault)));
    }
    if (!report.launches.empty()) text += '\n' + launch_table(report, style);
    const auto shown = std::min(report.launches.size(), kLaunchesInFull);
    for (std::size_t i = 0; i < shown; ++i) text += launch_text(report, i, files, style);
    if (report.launches.size() > shown)
        text += fmt::format("\n… and {} more launches; --json has them all\n", report.launches.size() - shown);
    if (!report.activities.empty())
        text += fmt::format(
            "\n{} {}{}\n", count(report.activities.size()), report.activities.size() == 1 ? "activity" : "activities",
            report.activities_dropped > 0 ? fmt::format(", {} more were not kept", count(report.activities_dropped))
                                          : std::string{});
    if (!report.sampling.end_ns.empty())
        text += fmt::format("{} samples over time, every {}\n", count(report.sampling.end_ns.size()),
                            duration(static_cast<double>(report.sampling.interval_ns) / 1000));
    if (!report.rungs.empty())
        text += fmt::format("\n{}\n{}", style.paint(Color::bold, "ladder"), render_ladder(report.rungs, style, "  "));
    return text;
}

} // namespace kw::report
