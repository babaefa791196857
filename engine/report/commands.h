#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/pipeline/evaluate.h"
#include "engine/task/task.h"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

/// The commands that kw and kw-worker share, over whatever evaluates for them. Each returns the process's exit status
/// (docs/design.md §5) and has said on standard error, in one line, why it is not 0.
namespace kw::report {

/// What evaluates: a worker behind a pipe, or this process itself.
class Backend {
public:
    virtual ~Backend() = default;
    /// The value of pipeline::to_json(Evaluation).
    [[nodiscard]] virtual Result<Json> evaluate(const task::Files& files, const pipeline::Options& options,
                                                std::stop_token stop, const pipeline::Progress& progress) = 0;
    [[nodiscard]] virtual Result<Json> devices(std::stop_token stop) = 0;
    [[nodiscard]] virtual Result<Json> doctor(std::stop_token stop) = 0;
};

struct EvalArguments {
    std::string task;
    std::string candidate;
    std::string device = "auto";
    std::string stages;           ///< a list; empty: compile, verify, bench, reward
    std::vector<std::string> set; ///< NAME=VALUE
    std::string seed;
    std::optional<double> timeout_s{}; ///< none: the pipeline's own limits
    std::string sanitize{};
    std::string shuffle_schedule{};
    bool warm = false; ///< leave L2 as it is between samples
    bool json = false;
    std::string output; ///< also write the JSON to this file
};

/// The options that the arguments ask for, the candidate aside.
[[nodiscard]] Result<pipeline::Options> to_options(const EvalArguments& arguments);

/// Whether the file that the evaluation is to be written to looks writable, asked before the work is done.
[[nodiscard]] Result<void> check_output(const EvalArguments& arguments);
/// Refuses an output that is the same file as another, or as what is read; empty paths are none.
[[nodiscard]] Result<void> check_different(const std::filesystem::path& first, const std::filesystem::path& second);

/// Reads a task folder (or the folder of a task.toml). A candidate outside it is added under its file name, which is
/// then `options.candidate`; of the task's files it may take the place of the kernel only.
[[nodiscard]] Result<task::Files> read_task(const EvalArguments& arguments, pipeline::Options& options);

[[nodiscard]] int eval_command(const EvalArguments& arguments, Backend& backend, std::stop_token stop);
[[nodiscard]] int devices_command(bool json, Backend& backend, std::stop_token stop);
[[nodiscard]] int doctor_command(bool json, Backend& backend, std::stop_token stop);

/// Writes the program's name and the error, on one line, to standard error and gives the status.
[[nodiscard]] int report_error(const Error& error);

/// Writes to standard output. A full disk or a closed pipe is an error.
[[nodiscard]] Result<void> print(std::string_view text);

} // namespace kw::report
