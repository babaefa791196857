#pragma once

#include "engine/base/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What is said to a model and what it says, whatever the server's dialect.
namespace kw::llm {

/// A tool that a model may use; `parameters` is a JSON schema of an object.
struct ToolSpec {
    std::string name;
    std::string description;
    Json parameters = Json::object();
};

/// A model's wish to use a tool.
struct ToolUse {
    std::string id;
    std::string name;
    Json arguments = Json::object(); ///< an object; empty where `unparsable` is not
    /// What came instead of a JSON object. It is never sent back.
    std::string unparsable{};
    bool operator==(const ToolUse&) const = default;
};

struct ToolResult {
    std::string id; ///< the ToolUse's
    std::string text;
    bool ok = true;
};

/// One party's turn. Results come before the text in a user's turn.
struct Turn {
    enum class Role { user, assistant } role = Role::user;
    std::string text{};
    std::vector<ToolUse> tool_uses{};  ///< assistant
    std::vector<ToolResult> results{}; ///< user: of all tool uses of the turn before
    /// Assistant: what the dialect named in it wants back as it was (signed thinking, encrypted reasoning).
    Json state{};
};

struct Conversation {
    std::string system{};
    std::vector<Turn> turns{};
};

/// What is asked of a model beside the conversation; what is absent is left to the server.
struct Settings {
    std::string model;
    std::int64_t max_tokens = 16384; ///< of one reply
    std::optional<double> temperature{};
    std::string effort{}; ///< minimal, low, medium, high; empty: the server's own
    std::optional<std::uint64_t> seed{};
    bool adaptive =
        false; ///< Anthropic: the model decides how much it thinks, and takes neither budget nor temperature
};

/// Tokens as a server counted them. Cached tokens are among the prompt's, reasoning tokens among the completion's.
struct TokenCounts {
    bool known = false;
    std::int64_t prompt = 0;
    std::int64_t cached = 0;        ///< read from the server's cache
    std::int64_t cache_written = 0; ///< Anthropic: charged above the price of others
    std::int64_t completion = 0;
    std::int64_t reasoning = 0;
    std::optional<double> cost_usd{}; ///< where the server tells it
};

struct Reply {
    std::string text{};
    std::string reasoning{}; ///< kept apart from the text
    std::vector<ToolUse> tool_uses{};
    Json state{}; ///< for Turn::state
    enum class Finish { stop, tool_use, length, refusal } finish = Finish::stop;
    TokenCounts tokens{};
    std::string model{}; ///< as the server names it
};

} // namespace kw::llm
