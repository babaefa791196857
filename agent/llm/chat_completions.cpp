#include "agent/llm/chat_tool_calls.h"
#include "agent/llm/dialect.h"
#include "agent/llm/json_text.h"

#include <algorithm>

namespace kw::llm {
namespace {

/// Text that is a string or a list of parts with text in them.
std::string parts_text(const Json& content) {
    if (content.is_string()) return text_of(content);
    std::string text;
    if (!content.is_array()) return text;
    for (const auto& part : content) {
        const auto piece = text_at(part, "text");
        text += piece.empty() ? text_at(part, "summary") : piece;
    }
    return text;
}

/// The first of the places in which servers put it that says something.
std::string reasoning_of(const Json& delta) {
    for (const char* key : {"reasoning_details", "reasoning_content", "reasoning"})
        if (auto text = parts_text(member(delta, key)); !text.empty()) return text;
    return {};
}

class ChatReader final : public ReplyReader {
public:
    bool event(const SseEvent& event, const OnDelta& on_delta) override {
        if (event.data == "[DONE]") {
            done_ = true;
            return false;
        }
        const auto body = parse_json(event.data);
        if (!body) {
            failure_ = StreamFailure{true, {}, "an event of the stream is not JSON"};
            return false;
        }
        take(*body, "delta", on_delta);
        return !failure_;
    }

    void whole(const Json& body, const OnDelta& on_delta) override { take(body, "message", on_delta); }

    std::expected<Reply, StreamFailure> finish() override {
        if (failure_) return std::unexpected(*failure_);
        if (finish_.empty())
            return std::unexpected(StreamFailure{true, {}, done_ ? "the reply is empty" : "the stream broke off"});
        reply_.tool_uses = calls_.finish();
        separate_thinking();
        if (!reply_.tool_uses.empty())
            reply_.finish = Reply::Finish::tool_use;
        else if (finish_ == "length")
            reply_.finish = Reply::Finish::length;
        else if (finish_ == "content_filter" || refused_)
            reply_.finish = Reply::Finish::refusal;
        return std::move(reply_);
    }

private:
    void take(const Json& body, const char* key, const OnDelta& on_delta) {
        if (const auto& error = member(body, "error"); error.is_object() || error.is_string()) {
            failure_ = failure_of(body);
            return;
        }
        if (reply_.model.empty()) reply_.model = text_at(body, "model");
        take_usage(member(body, "usage"));
        const auto& choices = member(body, "choices");
        if (!choices.is_array() || choices.empty()) return;
        const auto& choice = choices.front();
        const auto& delta = member(choice, key);
        if (auto text = reasoning_of(delta); !text.empty()) {
            reply_.reasoning += text;
            on_delta({Delta::Kind::reasoning, std::move(text)});
        }
        auto text = parts_text(member(delta, "content"));
        if (auto refusal = text_at(delta, "refusal"); !refusal.empty()) {
            refused_ = true;
            text += refusal;
        }
        if (!text.empty()) {
            reply_.text += text;
            on_delta({Delta::Kind::text, std::move(text)});
        }
        if (const auto& calls = member(delta, "tool_calls"); calls.is_array())
            for (const auto& call : calls) on_delta({Delta::Kind::tool, calls_.add(call)});
        if (auto finish = text_at(choice, "finish_reason"); !finish.empty()) finish_ = std::move(finish);
        take_usage(member(choice, "usage")); // where one server puts it
    }

    void take_usage(const Json& usage) {
        if (!usage.is_object()) return;
        auto& tokens = reply_.tokens;
        tokens.prompt = count_at(usage, "prompt_tokens");
        // Nobody is asked with nothing: a server that says so does not count, and what is used is estimated.
        tokens.known = tokens.prompt > 0;
        tokens.completion = count_at(usage, "completion_tokens");
        tokens.cached = count_at(member(usage, "prompt_tokens_details"), "cached_tokens");
        tokens.reasoning = count_at(member(usage, "completion_tokens_details"), "reasoning_tokens");
        if (const auto cost = number_at(usage, "cost"); cost && *cost >= 0) tokens.cost_usd = cost;
    }

    /// Models served without a reasoning parser think at the beginning of their text.
    void separate_thinking() {
        constexpr std::string_view kOpen = "<think>", kClose = "</think>";
        const auto start = reply_.text.find_first_not_of(" \t\r\n");
        if (start == std::string::npos || !std::string_view{reply_.text}.substr(start).starts_with(kOpen)) return;
        const auto end = reply_.text.find(kClose, start);
        const auto from = start + kOpen.size();
        reply_.reasoning += reply_.text.substr(from, end == std::string::npos ? end : end - from);
        reply_.text = end == std::string::npos ? std::string{} : reply_.text.substr(end + kClose.size());
        reply_.text.erase(0, std::min(reply_.text.find_first_not_of(" \t\r\n"), reply_.text.size()));
    }

    Reply reply_;
    ChatToolCalls calls_;
    std::string finish_;
    bool done_ = false;
    bool refused_ = false;
    std::optional<StreamFailure> failure_;
};

class ChatDialect final : public Dialect {
public:
    explicit ChatDialect(bool openai) : openai_(openai) {}

    std::string_view name() const override { return "chat"; }
    std::string_view path() const override { return "/chat/completions"; }
    std::pair<std::string, std::string> key_header() const override { return {"Authorization", "Bearer "}; }
    std::vector<std::string> optional_members() const override {
        return {"stream_options", "max_completion_tokens", "max_tokens", "reasoning_effort", "temperature", "seed"};
    }

    Json request(const Conversation& conversation, std::span<const ToolSpec> tools, const Settings& settings,
                 const Refused& refused) const override {
        Json body{{"model", settings.model}, {"messages", messages(conversation)}};
        const auto add = [&](const char* key, Json value) {
            if (!refused.contains(key)) body[key] = std::move(value);
        };
        if (!tools.empty()) {
            auto list = Json::array();
            for (const auto& tool : tools)
                list.push_back(
                    {{"type", "function"},
                     {"function",
                      {{"name", tool.name}, {"description", tool.description}, {"parameters", tool.parameters}}}});
            body["tools"] = std::move(list);
        }
        body["stream"] = true;
        add("stream_options", {{"include_usage", true}});
        const bool newer = (openai_ && !refused.contains("max_completion_tokens")) || refused.contains("max_tokens");
        add(newer ? "max_completion_tokens" : "max_tokens", settings.max_tokens);
        if (settings.temperature) add("temperature", *settings.temperature);
        if (!settings.effort.empty()) add("reasoning_effort", settings.effort);
        if (settings.seed) add("seed", *settings.seed);
        return body;
    }

    std::unique_ptr<ReplyReader> reader() const override { return std::make_unique<ChatReader>(); }

private:
    static Json messages(const Conversation& conversation) {
        auto list = Json::array();
        if (!conversation.system.empty()) list.push_back({{"role", "system"}, {"content", conversation.system}});
        for (const auto& turn : conversation.turns) {
            if (turn.role == Turn::Role::assistant) {
                Json message{{"role", "assistant"}, {"content", turn.text}};
                if (!turn.tool_uses.empty()) {
                    auto calls = Json::array();
                    for (const auto& use : turn.tool_uses)
                        calls.push_back({{"id", use.id},
                                         {"type", "function"},
                                         {"function", {{"name", use.name}, {"arguments", dump(use.arguments)}}}});
                    message["tool_calls"] = std::move(calls);
                }
                list.push_back(std::move(message));
                continue;
            }
            for (const auto& result : turn.results)
                list.push_back({{"role", "tool"}, {"tool_call_id", result.id}, {"content", result.text}});
            if (!turn.text.empty()) list.push_back({{"role", "user"}, {"content", turn.text}});
        }
        return list;
    }

    bool openai_;
};

} // namespace

std::unique_ptr<Dialect> make_chat_dialect(bool openai) { return std::make_unique<ChatDialect>(openai); }

} // namespace kw::llm
