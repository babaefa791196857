#pragma once

#include "agent/llm/conversation.h"

#include <optional>
#include <string>
#include <vector>

namespace kw::llm {

/// Puts the tool calls of a Chat Completions stream together. Servers agree on little: the id comes in the first piece
/// only, or in each; `index` may be missing, or be 0 for every one of several calls.
class ChatToolCalls {
public:
    /// An element of `delta.tool_calls`; the arguments' text in it.
    std::string add(const Json& piece);
    [[nodiscard]] bool empty() const { return calls_.empty(); }
    /// Calls without a name are dropped; those without an id get one.
    [[nodiscard]] std::vector<ToolUse> finish() const;

private:
    struct Call {
        std::optional<std::int64_t> index;
        std::string id;
        std::string name;
        std::string arguments;
    };
    [[nodiscard]] Call& call_for(const std::optional<std::int64_t>& index, const std::string& id,
                                 const std::string& name);

    std::vector<Call> calls_;
};

} // namespace kw::llm
