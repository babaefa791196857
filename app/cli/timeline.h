#pragma once

#include "engine/base/json.h"
#include "engine/timeline/store.h"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <stop_token>
#include <string>

namespace kw::cli {

struct TimelineArguments {
    std::string trace;
    std::size_t top = 15; ///< names shown
    bool json = false;
};
[[nodiscard]] CLI::App* add_timeline(CLI::App& app, TimelineArguments& arguments);

/// What a trace holds: its lanes and how busy each was, and what took the time.
[[nodiscard]] int timeline_command(const TimelineArguments& arguments, std::stop_token stop);

[[nodiscard]] std::string timeline_text(const timeline::Store& store, std::size_t top);
/// Times are in ns from the start of the trace; every name is listed.
[[nodiscard]] Json timeline_json(const timeline::Store& store);

} // namespace kw::cli
