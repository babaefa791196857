#pragma once

#include "engine/rpc/worker_client.h"

#include <CLI/CLI.hpp>

#include <stop_token>
#include <string>

namespace kw::cli {

struct TaskNewArguments {
    std::string problem;
    std::string folder; ///< empty: the problem's name, here
    bool json = false;
};
[[nodiscard]] CLI::App* add_task_new(CLI::App& task, TaskNewArguments& arguments);

/// Makes a task folder around a PyTorch problem, which the worker's PyTorch is asked about. Never writes into a folder
/// that is there.
[[nodiscard]] int task_new_command(const TaskNewArguments& arguments, rpc::WorkerClient& worker, std::stop_token stop);

} // namespace kw::cli
