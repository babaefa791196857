#pragma once

#include "agent/launch/server.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace kw::cli {

using ServerArguments = agent::ServerChoice;

/// What is asked of a model.
struct LlmArguments {
    ServerArguments server;
    std::string model;
    std::optional<double> temperature{};
    std::int64_t max_tokens = 16384;
    std::string effort;
    std::optional<std::int64_t> context{};
    std::optional<std::int64_t> tokens{};
    std::optional<double> cost{};
    std::optional<std::int64_t> from{};
    std::string message;
};

void add_server_options(CLI::App& command, ServerArguments& arguments);
void add_llm_options(CLI::App& command, LlmArguments& arguments);

/// `kw agent models`: what the server lists, with context and prices where they are known.
[[nodiscard]] int agent_models_command(const ServerArguments& arguments, bool json, std::stop_token stop);

} // namespace kw::cli
