#include "agent/drivers/llm_history.h"

#include "agent/llm/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kw::agent {

std::size_t bytes_of(const llm::Conversation& conversation, std::span<const llm::ToolSpec> tools) {
    std::size_t bytes = conversation.system.size();
    for (const auto& tool : tools)
        bytes += tool.name.size() + tool.description.size() + llm::dump(tool.parameters).size();
    for (const auto& turn : conversation.turns) {
        for (const auto& result : turn.results) bytes += result.id.size() + result.text.size();
        // The server's form of a turn takes the place of ours.
        if (!turn.state.is_null()) {
            bytes += llm::dump(turn.state).size();
            continue;
        }
        bytes += turn.text.size();
        for (const auto& use : turn.tool_uses)
            bytes += use.id.size() + use.name.size() + llm::dump(use.arguments).size();
    }
    return bytes;
}

void TokenEstimate::learn(std::size_t bytes, std::int64_t tokens) {
    if (tokens <= 0 || bytes == 0) return;
    bytes_per_token_ = std::clamp(static_cast<double>(bytes) / static_cast<double>(tokens), 0.5, 8.0);
}

std::int64_t TokenEstimate::operator()(std::size_t bytes) const {
    return std::llround(std::ceil(static_cast<double>(bytes) / bytes_per_token_));
}

bool bound(llm::Reply& reply) {
    bool cut = false;
    for (auto* text : {&reply.text, &reply.reasoning})
        if (text->size() > kMostText) {
            *text = llm::shortened(*text, kMostText);
            cut = true;
        }
    for (auto& use : reply.tool_uses) {
        const auto size = llm::dump(use.arguments).size();
        if (size <= kMostArguments) continue;
        use.arguments = Json::object();
        use.unparsable = fmt::format("({} bytes, more than the {} that are taken)", size, kMostArguments);
        cut = true;
    }
    if (cut) reply.state = nullptr;
    return cut;
}

} // namespace kw::agent
