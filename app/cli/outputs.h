#pragma once

#include "engine/report/arguments.h"
#include "engine/report/commands.h"
#include "engine/rpc/worker_client.h"
#include "engine/verify/output_map.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace kw::cli {

struct OutputsArguments {
    report::EvalArguments evaluation; ///< task, candidate, device, set, seed (of the check), timeout, json
    std::size_t case_index = 0;
    std::string tensor; ///< empty: the first that is wrong, else the first
    std::string region; ///< "R0:R1,C0:C1"
    std::uint64_t step = 1;
    std::optional<double> atol{}, rtol{};
    std::optional<std::uint64_t> element{};
};

CLI::App* add_outputs(CLI::App& app, OutputsArguments& arguments);

/// Rows and columns of a map from "R0:R1,C0:C1".
[[nodiscard]] Result<verify::Region> parse_region(const std::string& text);

/// Runs one check again and prints what its outputs hold: errors, histograms, a region's values or cells, how many
/// would pass under another tolerance, who wrote an element. Status 1 when the candidate is wrong.
[[nodiscard]] int outputs_command(const OutputsArguments& arguments, rpc::WorkerClient& worker, std::stop_token stop);

} // namespace kw::cli
