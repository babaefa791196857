#include "profiler_views/metrics/metric_tables.h"

#include "engine/profile/metrics.h"
#include "profiler_views/metrics/metric_text.h"
#include "profiler_views/translated.h"
#include "widgets/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

namespace kw::profiler_views {
namespace {

std::optional<double> value_in(const profile::LaunchProfile* launch, std::string_view id) {
    if (!launch) return {};
    const auto at = launch->metrics.find(std::string{id});
    return at == launch->metrics.end() || !std::isfinite(at->second) ? std::nullopt : std::optional{at->second};
}

const QString kDash = QStringLiteral("–");
Cell dash() { return {.text = kDash, .tone = Cell::Tone::quiet}; }

Cell value_cell(const profile::Metric& metric, std::optional<double> value) {
    if (!value) return dash();
    return {.text = value_text(metric, *value), .value = *value, .tip = exact_value_text(metric, *value)};
}

Cell value_cell(const LaunchPair& pair, std::string_view id) {
    const auto* metric = profile::find_metric(id);
    return metric ? value_cell(*metric, value_in(pair.launch, id)) : dash();
}

QString ratio_text(double ratio) {
    if (ratio < 0.01) return QStringLiteral("< 0.01×");
    return ratio > 1000 ? QStringLiteral("> 1000×") : widgets::format_ratio(ratio);
}

/// Whether less of it is plainly better. Of most metrics neither direction is: a faster kernel may well keep a unit
/// less busy.
bool less_is_better(const profile::Metric& metric) {
    return metric.unit == "ns" || metric.unit == "µs" || metric.id == "shared_bank_conflicts"
           || metric.id == "local_bytes" || metric.id == "dram_bytes" || metric.id == "l2_bytes";
}

Cell ratio_cell(const profile::Metric& metric, std::optional<double> now, std::optional<double> before) {
    if (!now || !before) return dash();
    if (*before == 0) return dash();
    const double ratio = *now / *before;
    constexpr double kSame = 0.02;
    Cell cell{.text = ratio_text(ratio), .value = ratio, .tone = Cell::Tone::quiet};
    if (std::abs(ratio - 1) < kSame) return cell;
    cell.tone = Cell::Tone::plain;
    if (less_is_better(metric)) cell.tone = ratio < 1 ? Cell::Tone::good : Cell::Tone::bad;
    return cell;
}

void add_comparison(CellTableData& table, const LaunchPair& pair) {
    if (!pair.before) return;
    table.columns.push_back({.id = QStringLiteral("before"), .title = tr("Before")});
    table.columns.push_back({.id = QStringLiteral("ratio"), .title = tr("Ratio"), .tip = tr("Now divided by before")});
}

void add_comparison(CellRow& row, const LaunchPair& pair, const profile::Metric& metric) {
    if (!pair.before) return;
    const auto before = value_in(pair.before, metric.id);
    row.cells.push_back(value_cell(metric, before));
    row.cells.push_back(ratio_cell(metric, value_in(pair.launch, metric.id), before));
}

CellTableData name_and_value(const QString& name, const LaunchPair& pair) {
    CellTableData table;
    table.columns = {{.id = QStringLiteral("name"), .title = name, .numeric = false},
                     {.id = QStringLiteral("value"), .title = tr("Value")}};
    add_comparison(table, pair);
    return table;
}

Cell name_cell(const profile::Metric& metric) { return {.text = text_of(metric.label), .tip = text_of(metric.about)}; }

void add_metric(CellTableData& table, const LaunchPair& pair, std::string_view id, int color) {
    const auto* metric = profile::find_metric(id);
    const auto value = value_in(pair.launch, id);
    if (!metric || !value) return;
    CellRow row{.id = text_of(metric->id)};
    row.cells = {name_cell(*metric), value_cell(*metric, value)};
    if (metric->unit == "%") {
        row.cells[1].bar = *value / 100;
        row.cells[1].color = color;
    }
    add_comparison(row, pair, *metric);
    table.rows.push_back(std::move(row));
}

enum Color { kCompute = 1, kMemory = 0, kStall = 6, kOther = 2 };

} // namespace

CellTableData all_metrics(const LaunchPair& pair) {
    CellTableData table;
    table.columns = {{.id = QStringLiteral("section"), .title = tr("Section"), .numeric = false},
                     {.id = QStringLiteral("name"), .title = tr("Metric"), .numeric = false},
                     {.id = QStringLiteral("value"), .title = tr("Value")}};
    add_comparison(table, pair);
    table.columns.push_back({.id = QStringLiteral("kind"), .title = tr("Kind"), .numeric = false});
    table.columns.push_back({.id = QStringLiteral("source"), .title = tr("Source"), .numeric = false});
    table.columns.push_back({.id = QStringLiteral("how"), .title = tr("Counter or formula"), .numeric = false});
    table.columns.push_back({.id = QStringLiteral("id"), .title = tr("Id"), .numeric = false, .shown = false});
    if (!pair.launch) return table;
    for (const auto& metric : profile::metrics()) {
        const auto value = value_in(pair.launch, metric.id);
        if (!value && !value_in(pair.before, metric.id)) continue;
        const Origin origin = origin_of(metric, *pair.report);
        CellRow row{.id = text_of(metric.id)};
        row.cells = {{.text = section_title(metric.group), .tone = Cell::Tone::quiet},
                     name_cell(metric),
                     value_cell(metric, value)};
        add_comparison(row, pair, metric);
        row.cells.push_back({.text = origin.estimated ? tr("estimated") : tr("measured"), .tone = Cell::Tone::quiet});
        row.cells.push_back({.text = origin.source, .tone = Cell::Tone::quiet});
        row.cells.push_back({.text = origin.how, .tip = origin.how, .tone = Cell::Tone::quiet});
        row.cells.push_back({.text = text_of(metric.id), .tone = Cell::Tone::quiet});
        table.rows.push_back(std::move(row));
    }
    return table;
}

CellTableData speed_of_light(const LaunchPair& pair) {
    CellTableData table = name_and_value(tr("Unit"), pair);
    table.columns[1].title = tr("Of its peak");
    for (const char* id : {"sm_throughput", "memory_throughput", "l1_throughput", "l2_throughput", "dram_throughput"})
        add_metric(table, pair, id, std::string_view{id} == "sm_throughput" ? kCompute : kMemory);
    for (const char* id : {"duration_us", "cycles", "sm_clock"}) add_metric(table, pair, id, kOther);
    return table;
}

CellTableData memory_table(const LaunchPair& pair) {
    CellTableData table;
    table.columns = {
        {.id = QStringLiteral("level"), .title = tr("Level"), .numeric = false},
        {.id = QStringLiteral("requests"), .title = tr("Requests"), .tip = tr("Warp instructions")},
        {.id = QStringLiteral("sectors"),
         .title = tr("Sectors"),
         .tip = tr("Pieces of 32 bytes; of shared memory wavefronts, the turns that it takes")},
        {.id = QStringLiteral("each"), .title = tr("Each"), .tip = tr("Sectors or wavefronts per request")},
        {.id = QStringLiteral("bytes"), .title = tr("Bytes"), .unit = QStringLiteral("B")},
        {.id = QStringLiteral("hits"), .title = tr("Hits"), .unit = QStringLiteral("%")},
        {.id = QStringLiteral("peak"), .title = tr("Of peak"), .unit = QStringLiteral("%")}};
    struct Level {
        QString name;
        const char *about, *requests, *sectors, *bytes, *hits, *peak;
        double bytes_per_sector;
    };
    const Level levels[] = {
        {tr("Global loads"), "global_load_sectors", "global_load_requests", "global_load_sectors", "", "", "", 32},
        {tr("Global stores"), "global_store_sectors", "global_store_requests", "global_store_sectors", "", "", "", 32},
        {tr("Global atomics"), "atomic_requests", "atomic_requests", "", "", "", "", 0},
        {tr("Local"), "local_bytes", "local_requests", "", "local_bytes", "", "", 0},
        {tr("Shared loads"), "shared_load_wavefronts", "shared_load_requests", "shared_load_wavefronts", "", "", "", 0},
        {tr("Shared stores"), "shared_store_wavefronts", "shared_store_requests", "shared_store_wavefronts", "", "", "",
         0},
        {tr("L1"), "l1_hit_rate", "", "", "", "l1_hit_rate", "l1_throughput", 0},
        {tr("L2"), "l2_bytes", "", "", "l2_bytes", "l2_hit_rate", "l2_throughput", 0},
        {tr("DRAM reads"), "dram_read_bytes", "", "", "dram_read_bytes", "", "dram_read_throughput", 0},
        {tr("DRAM writes"), "dram_write_bytes", "", "", "dram_write_bytes", "", "dram_write_throughput", 0},
    };
    for (const Level& level : levels) {
        CellRow row{.id = QLatin1String(level.about)};
        row.cells = {
            {.text = level.name},          value_cell(pair, level.requests), value_cell(pair, level.sectors), dash(),
            value_cell(pair, level.bytes), value_cell(pair, level.hits),     value_cell(pair, level.peak)};
        const auto requests = value_in(pair.launch, level.requests), sectors = value_in(pair.launch, level.sectors);
        if (requests && sectors && *requests > 0)
            row.cells[3] = {.text = widgets::format_number(*sectors / *requests), .value = *sectors / *requests};
        if (sectors && level.bytes_per_sector > 0) {
            const double bytes = *sectors * level.bytes_per_sector;
            row.cells[4] = {.text = widgets::format_quantity(bytes, QStringLiteral("B")),
                            .value = bytes,
                            .tip = widgets::format_exact(bytes, QStringLiteral("B"))};
        }
        // A way to memory that the kernel does not take says nothing.
        const auto says_nothing = [](const Cell& cell) { return std::isnan(cell.value) || cell.value == 0; };
        if (!std::all_of(row.cells.begin() + 1, row.cells.end(), says_nothing)) table.rows.push_back(std::move(row));
    }
    return table;
}

namespace {

constexpr double kLeastStall = 0.005; ///< smaller ones are among all metrics

struct Stall {
    const profile::Metric* metric;
    double value;
    double share;
};
/// Largest first, those that are zero left out.
std::vector<Stall> stalls_of(const profile::LaunchProfile* launch) {
    std::vector<Stall> stalls;
    double all = 0;
    for (const auto& metric : profile::metrics()) {
        if (metric.stall.empty()) continue;
        const auto value = value_in(launch, metric.id);
        if (!value || *value <= 0) continue;
        all += *value;
        stalls.push_back({&metric, *value, 0});
    }
    for (Stall& stall : stalls) stall.share = stall.value / all;
    std::ranges::stable_sort(stalls, std::ranges::greater{}, &Stall::value);
    return stalls;
}

} // namespace

CellTableData stall_table(const LaunchPair& pair) {
    CellTableData table;
    table.columns = {{.id = QStringLiteral("name"), .title = tr("What warps wait for"), .numeric = false},
                     {.id = QStringLiteral("share"), .title = tr("Of their time"), .unit = QStringLiteral("%")}};
    if (pair.before) table.columns.push_back({.id = QStringLiteral("before"), .title = tr("Before")});
    const auto before = stalls_of(pair.before);
    const auto share_cell = [](double share) {
        return Cell{.text = widgets::format_quantity(100 * share, QStringLiteral("%")), .value = 100 * share};
    };
    for (const Stall& stall : stalls_of(pair.launch)) {
        if (stall.share < kLeastStall) break;
        CellRow row{.id = text_of(stall.metric->id)};
        row.cells = {name_cell(*stall.metric),
                     {.text = widgets::format_quantity(100 * stall.share, QStringLiteral("%")),
                      .value = 100 * stall.share,
                      .tip = tr("%1 for each instruction that is issued").arg(value_text(*stall.metric, stall.value)),
                      .bar = stall.share,
                      .color = stall.metric->stall == "selected" ? kOther : kStall}};
        if (pair.before) {
            const auto at = std::ranges::find(before, stall.metric, &Stall::metric);
            row.cells.push_back(at == before.end() ? dash() : share_cell(at->share));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

QStringList stall_sentences(const LaunchPair& pair, int most) {
    QStringList sentences;
    for (const Stall& stall : stalls_of(pair.launch)) {
        if (stall.metric->stall == "selected") continue; // issuing is what a warp is for
        if (sentences.size() == most) break;
        sentences << tr("%1, %2: %3")
                         .arg(text_of(stall.metric->label),
                              widgets::format_quantity(100 * stall.share, QStringLiteral("%")),
                              text_of(stall.metric->about));
    }
    return sentences;
}

CellTableData group_table(const LaunchPair& pair, std::string_view group) {
    CellTableData table = name_and_value(section_title(group), pair);
    for (const auto& metric : profile::metrics())
        if (metric.group == group) add_metric(table, pair, metric.id, kOther);
    return table;
}

CellTableData launch_table(const LaunchPair& pair) {
    CellTableData table;
    table.columns = {{.id = QStringLiteral("name"), .title = tr("Launch"), .numeric = false},
                     {.id = QStringLiteral("value"), .title = tr("Value")}};
    if (pair.before) table.columns.push_back({.id = QStringLiteral("before"), .title = tr("Before")});
    if (!pair.launch) return table;
    const auto extent = [](const device::Dim3& d) {
        QString text = QString::number(d.x);
        if (d.y > 1 || d.z > 1) text += QStringLiteral(" × %1").arg(d.y);
        if (d.z > 1) text += QStringLiteral(" × %1").arg(d.z);
        return text;
    };
    const auto add = [&](const QString& name, auto&& text, const QString& tip) {
        CellRow row;
        row.cells = {{.text = name, .tip = tip}, {.text = text(*pair.launch)}};
        if (pair.before) row.cells.push_back({.text = text(*pair.before), .tone = Cell::Tone::quiet});
        table.rows.push_back(std::move(row));
    };
    using Launch = profile::LaunchProfile;
    const auto bytes = [](std::uint32_t n) { return widgets::format_quantity(n, QStringLiteral("B")); };
    add(tr("Grid"), [&](const Launch& l) { return extent(l.grid); }, tr("Blocks of the launch"));
    add(tr("Block"), [&](const Launch& l) { return extent(l.block); }, tr("Threads of a block"));
    if (pair.launch->cluster.count() > 1)
        add(tr("Cluster"), [&](const Launch& l) { return extent(l.cluster); }, tr("Blocks of a cluster"));
    add(
        tr("Registers per thread"), [](const Launch& l) { return QString::number(l.registers); },
        tr("Registers that the compiler gave to a thread"));
    add(
        tr("Static shared memory"), [&](const Launch& l) { return bytes(l.static_shared_bytes); },
        tr("Shared memory of a block that the source declares with its size"));
    add(
        tr("Dynamic shared memory"), [&](const Launch& l) { return bytes(l.dynamic_shared_bytes); },
        tr("Shared memory of a block that the launch asks for"));
    if (pair.launch->local_bytes > 0)
        add(
            tr("Local memory per thread"), [&](const Launch& l) { return bytes(l.local_bytes); },
            tr("Stack and spilled registers"));
    return table;
}

CellTableData line_table(const LaunchPair& pair, const std::map<std::string, std::string>& sources) {
    CellTableData table;
    if (!pair.launch) return table;
    std::map<std::string, double> total, largest;
    for (const auto& line : pair.launch->lines)
        for (const auto& [id, value] : line.values) {
            total[id] += value;
            largest[id] = std::max(largest[id], value);
        }
    table.columns = {{.id = QStringLiteral("place"), .title = tr("Line"), .numeric = false}};
    if (!sources.empty())
        table.columns.push_back({.id = QStringLiteral("source"), .title = tr("Source"), .numeric = false});
    // Heat first, then the largest reasons to wait; the others on request.
    constexpr std::size_t kStallsShown = 5;
    std::vector<const profile::Metric*> shown;
    std::vector<double> stalls;
    for (const auto& metric : profile::metrics()) {
        if (!total.contains(metric.id)) continue;
        shown.push_back(&metric);
        if (!metric.stall.empty()) stalls.push_back(total[metric.id]);
    }
    std::ranges::sort(stalls, std::ranges::greater{});
    const double least = stalls.empty() ? 0 : stalls[std::min(kStallsShown, stalls.size()) - 1];
    std::ranges::stable_sort(shown, std::ranges::greater{}, [&](const profile::Metric* m) {
        return m->id == "samples" ? 2 : m->id == "warp_instructions" ? 1 : 0;
    });
    const std::set<std::string_view> usual{
        "samples",           "warp_instructions",   "threads_per_instruction", "sectors_per_load",
        "sectors_per_store", "global_load_sectors", "shared_bank_conflicts"};
    for (const auto* metric : shown)
        table.columns.push_back(
            {.id = text_of(metric->id),
             .title = text_of(metric->label),
             .unit = metric->stall.empty() ? text_of(metric->unit) : tr("samples"),
             .shown = metric->stall.empty() ? usual.contains(metric->id) : total[metric->id] >= least,
             .tip = text_of(metric->about)});
    const auto text_at = [&](const profile::LineProfile& line) -> QString {
        const auto file = sources.find(line.file);
        if (file == sources.end() || line.line < 1) return {};
        return text_of(file->second).section(QLatin1Char('\n'), line.line - 1, line.line - 1).trimmed();
    };
    for (const auto& line : pair.launch->lines) {
        CellRow row{.id = QStringLiteral("%1:%2").arg(text_of(line.file)).arg(line.line),
                    .file = text_of(line.file),
                    .line = line.line};
        row.cells.push_back(
            {.text = line.line > 0 ? row.id : tr("no line known"), .value = static_cast<double>(line.line)});
        if (!sources.empty()) row.cells.push_back({.text = text_at(line), .tone = Cell::Tone::quiet});
        for (const auto* metric : shown) {
            const auto at = line.values.find(metric->id);
            if (at == line.values.end()) {
                row.cells.push_back(dash());
                continue;
            }
            // Here a stall is a number of samples.
            const QString text = metric->stall.empty() ? value_text(*metric, at->second)
                                                       : widgets::format_quantity(at->second, QString());
            Cell cell{.text = text, .value = at->second};
            if (metric->id == "samples" || metric->id == "warp_instructions") {
                cell.bar = at->second / largest[metric->id];
                cell.color = kStall;
                cell.tip =
                    tr("%1 of the kernel's")
                        .arg(widgets::format_quantity(100 * at->second / total[metric->id], QStringLiteral("%")));
            }
            row.cells.push_back(std::move(cell));
        }
        table.rows.push_back(std::move(row));
    }
    // The hottest first: that is what one looks for.
    const auto heat = [&](const CellRow& row) {
        const Cell& cell = row.cells[sources.empty() ? 1 : 2];
        return std::isnan(cell.value) ? -1 : cell.value;
    };
    if (!shown.empty()) std::ranges::stable_sort(table.rows, std::ranges::greater{}, heat);
    return table;
}

const profile::LaunchProfile* counterpart(const profile::Report& report, std::size_t index,
                                          const profile::Report& others) {
    const auto& wanted = report.launches[index];
    // The n-th launch of a kernel is compared with the n-th launch of that kernel.
    const auto same = [&](const profile::LaunchProfile& l) { return l.kernel == wanted.kernel; };
    auto nth =
        std::count_if(report.launches.begin(), report.launches.begin() + static_cast<std::ptrdiff_t>(index), same);
    for (const auto& launch : others.launches)
        if (same(launch) && nth-- == 0) return &launch;
    // A kernel that was renamed stands where it stood.
    return report.launches.size() == others.launches.size() ? &others.launches[index] : nullptr;
}

} // namespace kw::profiler_views
