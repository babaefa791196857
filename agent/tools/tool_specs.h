#pragma once

#include "agent/llm/conversation.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace kw::tools {

/// The tools that a model is offered: resources/agent/tools.json.
[[nodiscard]] std::span<const llm::ToolSpec> tool_specs();
/// The same as {"type": "function", "function": {…}} by name, as training data has them.
[[nodiscard]] std::map<std::string, Json, std::less<>> tool_functions();
[[nodiscard]] const llm::ToolSpec* find_tool(std::string_view name);

/// Whether arguments fit a tool's schema; else one sentence that says what does not, for the model. What the schemas
/// use is understood: properties, required, additionalProperties, type, enum, minimum, maximum, items.
[[nodiscard]] std::string misfit(const llm::ToolSpec& tool, const Json& arguments);

} // namespace kw::tools
