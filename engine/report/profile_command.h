#pragma once

#include "engine/profile/report.h"
#include "engine/report/arguments.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace kw::report {

struct ProfileArguments {
    EvalArguments evaluation;
    std::string metrics = "full"; ///< "basic", "full" or a list of ids
    std::string rungs;            ///< a list; empty: all
    std::optional<double> seconds{};
};

/// `profile TASK …`, filled into `arguments` when it was the one given.
CLI::App* add_profile(CLI::App& app, ProfileArguments& arguments);
CLI::App* add_metrics(CLI::App& app, bool& json);

/// Compiles and profiles a candidate. `use` is given the profile before it is printed. Statuses: 1 when the candidate
/// does not compile or faults, 3 when no rung gave anything.
[[nodiscard]] int profile_command(const ProfileArguments& arguments, Backend& backend, std::stop_token stop,
                                  const std::function<Result<void>(const profile::Report&)>& use = {});
/// What can be asked for with --metrics.
[[nodiscard]] int metrics_command(bool json);

} // namespace kw::report
