#pragma once

#include "agent/llm/models.h"
#include "agent/llm/provider.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace kw::cli {

/// Which server, and how it is reached.
struct ServerArguments {
    std::string provider = "chat";
    std::string base_url;
    std::string key_env;
    std::string proxy;
    std::string ca_file;
};

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

/// The provider that the arguments name, with the key that was found for it.
[[nodiscard]] Result<std::unique_ptr<llm::Provider>> open_provider(const ServerArguments& arguments,
                                                                   const llm::Catalog& catalog, std::stop_token stop);

/// `kw agent models`: what the server lists, with context and prices where they are known.
[[nodiscard]] int agent_models_command(const ServerArguments& arguments, bool json, std::stop_token stop);

} // namespace kw::cli
