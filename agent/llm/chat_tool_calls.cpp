#include "agent/llm/chat_tool_calls.h"

#include "agent/llm/dialect.h"
#include "agent/llm/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

namespace kw::llm {
namespace {

/// More are not looked for when a stream goes on and on.
constexpr std::size_t kMostCalls = 128;

bool is_whole(const std::string& arguments) {
    const auto json = parse_json(arguments);
    return json && json->is_object();
}

} // namespace

std::string ChatToolCalls::add(const Json& piece) {
    const auto& function = member(piece, "function");
    const auto& number = member(piece, "index");
    const auto index = number.is_number_integer() ? std::optional{number.get<std::int64_t>()} : std::nullopt;
    const auto id = text_at(piece, "id");
    const auto name = text_at(function, "name");
    const auto& arguments = member(function, "arguments");
    // Some send the object itself instead of its text.
    const auto text = arguments.is_object() ? dump(arguments) : text_of(arguments);
    auto& call = call_for(index, id, name);
    if (call.id.empty()) call.id = id;
    if (call.name.empty()) call.name = name;
    call.arguments += text;
    return text;
}

ChatToolCalls::Call& ChatToolCalls::call_for(const std::optional<std::int64_t>& index, const std::string& id,
                                             const std::string& name) {
    if (!id.empty())
        if (const auto known = std::ranges::find(calls_, id, &Call::id); known != calls_.end()) return *known;
    Call* last = nullptr;
    for (auto& call : calls_ | std::views::reverse)
        if (!index || call.index == index) {
            last = &call;
            break;
        }
    const bool another = !last || (!id.empty() && !last->id.empty())
                         || (!name.empty() && !last->name.empty() && (name != last->name || is_whole(last->arguments)));
    if (!another || calls_.size() >= kMostCalls) return last ? *last : calls_.back();
    return calls_.emplace_back(Call{index, id, name, {}});
}

std::vector<ToolUse> ChatToolCalls::finish() const {
    std::vector<ToolUse> uses;
    for (const auto& call : calls_) {
        if (call.name.empty()) continue;
        ToolUse use{.id = call.id.empty() ? fmt::format("call_{}", uses.size() + 1) : call.id, .name = call.name};
        set_arguments(use, call.arguments);
        uses.push_back(std::move(use));
    }
    return uses;
}

} // namespace kw::llm
