#pragma once

#include "app/cli/agent_llm.h"
#include "engine/report/commands.h"
#include "engine/rpc/worker_client.h"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>

namespace kw::cli {

struct AgentArguments {
    report::EvalArguments evaluation; ///< its `output` is the session
    std::string driver = "tuner";
    std::string search = "guided";
    std::string lesson;            ///< folder; for --driver lesson
    std::string replayed;          ///< session; for --driver replay
    std::string metrics = "basic"; ///< "basic" or "full", where a step is profiled
    std::size_t steps = 64;
    std::optional<double> seconds{};
    LlmArguments llm;
};
[[nodiscard]] CLI::App* add_agent_run(CLI::App& agent, AgentArguments& arguments);

/// `kw agent run`: writes every step to the session as it happens and shows it; a session that exists is gone on with
/// when it is of the same task. Status 0 when a step is correct.
[[nodiscard]] int agent_command(const AgentArguments& arguments, rpc::WorkerClient& worker, std::stop_token stop);

} // namespace kw::cli
