#pragma once

#include "engine/profile/report.h"
#include "profiler_views/metrics/cell_model.h"

#include <map>
#include <string>
#include <vector>

/// What a launch's tables show. Values that are not known have no row, or a dash.
namespace kw::profiler_views {

struct CellTableData {
    std::vector<CellColumn> columns;
    std::vector<CellRow> rows;
};

/// A launch, and the same launch of a report that it is compared with.
struct LaunchPair {
    const profile::Report* report = nullptr;
    const profile::LaunchProfile* launch = nullptr;
    const profile::LaunchProfile* before = nullptr; ///< null: no comparison
};

/// Every metric of the launch, by section.
[[nodiscard]] CellTableData all_metrics(const LaunchPair& pair);
/// Shares of peak, as bars.
[[nodiscard]] CellTableData speed_of_light(const LaunchPair& pair);
/// By level: requests, sectors, bytes, hit rate, share of peak.
[[nodiscard]] CellTableData memory_table(const LaunchPair& pair);
/// Stall reasons by their share of the time between two instructions of a warp, largest first.
[[nodiscard]] CellTableData stall_table(const LaunchPair& pair);
/// Metrics of a group, one below the other; percentages as bars.
[[nodiscard]] CellTableData group_table(const LaunchPair& pair, std::string_view group);
/// Grid, block, registers, shared memory: what the launch is.
[[nodiscard]] CellTableData launch_table(const LaunchPair& pair);
/// Metrics per source line; `sources` by file name gives the line's text.
[[nodiscard]] CellTableData line_table(const LaunchPair& pair, const std::map<std::string, std::string>& sources);

/// Of the largest stall reasons, what each means; empty when none is known.
[[nodiscard]] QStringList stall_sentences(const LaunchPair& pair, int most);

/// The launch of `others` that is the same kernel as launch `index` of `report`; null when there is none.
[[nodiscard]] const profile::LaunchProfile* counterpart(const profile::Report& report, std::size_t index,
                                                        const profile::Report& others);

} // namespace kw::profiler_views
