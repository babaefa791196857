#pragma once

#include "engine/report/commands.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace kw::report {

/// `eval TASK …`, filled into `arguments` when it was the one given.
CLI::App* add_eval(CLI::App& app, EvalArguments& arguments);
/// The options that say how an evaluation is made, for commands that make several.
void add_evaluation_options(CLI::App& command, EvalArguments& arguments);
/// --log, how much a worker writes to standard error; empty when not given.
void add_log(CLI::App& app, std::string& level);
CLI::App* add_devices(CLI::App& app, bool& json);
CLI::App* add_doctor(CLI::App& app, bool& json);

/// Parses, and answers --help and --version. No value: go on. A usage error has been said on standard error, with what
/// to do.
[[nodiscard]] std::optional<int> parse(CLI::App& app, int argc, char** argv);

} // namespace kw::report
