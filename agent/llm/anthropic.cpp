#include "agent/llm/dialect.h"
#include "agent/llm/json_text.h"

#include <algorithm>
#include <map>

namespace kw::llm {
namespace {

constexpr const char* kName = "anthropic";

/// A block of a message while it comes.
struct Block {
    Json value = Json::object();
    std::string text{};
    std::string signature{};
    std::string arguments{};
};

class AnthropicReader final : public ReplyReader {
public:
    bool event(const SseEvent& event, const OnDelta& on_delta) override {
        const auto body = parse_json(event.data);
        if (!body) {
            failure_ = StreamFailure{true, {}, "an event of the stream is not JSON"};
            return false;
        }
        auto type = text_at(*body, "type");
        if (type.empty()) type = event.type;
        if (type == "message_start") {
            const auto& message = member(*body, "message");
            reply_.model = text_at(message, "model");
            take_usage(member(message, "usage"));
        } else if (type == "content_block_start") {
            start(count_at(*body, "index"), member(*body, "content_block"), on_delta);
        } else if (type == "content_block_delta") {
            add(count_at(*body, "index"), member(*body, "delta"), on_delta);
        } else if (type == "message_delta") {
            if (auto reason = text_at(member(*body, "delta"), "stop_reason"); !reason.empty()) stop_ = reason;
            take_usage(member(*body, "usage"));
        } else if (type == "error") {
            failure_ = failure_of(*body);
        }
        return !failure_ && type != "message_stop";
    }

    void whole(const Json& body, const OnDelta& on_delta) override {
        if (text_at(body, "type") == "error") {
            failure_ = failure_of(body);
            return;
        }
        reply_.model = text_at(body, "model");
        stop_ = text_at(body, "stop_reason");
        take_usage(member(body, "usage"));
        const auto& content = member(body, "content");
        if (!content.is_array()) return;
        for (std::size_t i = 0; i < content.size(); ++i) start(static_cast<std::int64_t>(i), content[i], on_delta);
    }

    std::expected<Reply, StreamFailure> finish() override {
        if (failure_) return std::unexpected(*failure_);
        if (stop_.empty()) return std::unexpected(StreamFailure{true, {}, "the stream broke off"});
        auto state = Json::array();
        for (auto& [number, block] : blocks_) take_block(block, state);
        if (!state.empty()) reply_.state = {{"dialect", kName}, {"blocks", std::move(state)}};
        if (!reply_.tool_uses.empty())
            reply_.finish = Reply::Finish::tool_use;
        else if (stop_ == "max_tokens" || stop_ == "model_context_window_exceeded")
            reply_.finish = Reply::Finish::length;
        else if (stop_ == "refusal")
            reply_.finish = Reply::Finish::refusal;
        return std::move(reply_);
    }

private:
    void start(std::int64_t number, const Json& value, const OnDelta& on_delta) {
        auto& block = blocks_[number];
        block = Block{.value = value.is_object() ? value : Json::object()};
        block.signature = text_at(value, "signature");
        const auto type = text_at(value, "type");
        block.text = text_at(value, type == "thinking" ? "thinking" : "text");
        // The start of a streamed block has an empty input; of a whole one it is the arguments.
        if (const auto& input = member(value, "input"); input.is_object() && !input.empty())
            block.arguments = dump(input);
        if (!block.text.empty())
            on_delta({type == "thinking" ? Delta::Kind::reasoning : Delta::Kind::text, block.text});
    }

    void add(std::int64_t number, const Json& delta, const OnDelta& on_delta) {
        auto& block = blocks_[number];
        const auto type = text_at(delta, "type");
        if (type == "text_delta") {
            block.text += text_at(delta, "text");
            on_delta({Delta::Kind::text, text_at(delta, "text")});
        } else if (type == "thinking_delta") {
            block.text += text_at(delta, "thinking");
            on_delta({Delta::Kind::reasoning, text_at(delta, "thinking")});
        } else if (type == "signature_delta") {
            block.signature += text_at(delta, "signature");
        } else if (type == "input_json_delta") {
            block.arguments += text_at(delta, "partial_json");
            on_delta({Delta::Kind::tool, text_at(delta, "partial_json")});
        }
    }

    void take_block(const Block& block, Json& state) {
        const auto type = text_at(block.value, "type");
        if (type == "text") {
            reply_.text += block.text;
            // The server refuses an empty one.
            if (block.text.find_first_not_of(" \t\r\n") != std::string::npos)
                state.push_back({{"type", "text"}, {"text", block.text}});
        } else if (type == "thinking") {
            reply_.reasoning += block.text;
            // Unsigned, it would be refused.
            if (!block.signature.empty())
                state.push_back({{"type", "thinking"}, {"thinking", block.text}, {"signature", block.signature}});
        } else if (type == "redacted_thinking") {
            state.push_back({{"type", "redacted_thinking"}, {"data", text_at(block.value, "data")}});
        } else if (type == "tool_use") {
            ToolUse use{.id = text_at(block.value, "id"), .name = text_at(block.value, "name")};
            set_arguments(use, block.arguments);
            state.push_back({{"type", "tool_use"}, {"id", use.id}, {"name", use.name}, {"input", use.arguments}});
            reply_.tool_uses.push_back(std::move(use));
        }
    }

    /// Counts in later events replace earlier ones: they are of the whole message so far.
    void take_usage(const Json& usage) {
        if (!usage.is_object()) return;
        auto& tokens = reply_.tokens;
        const auto take = [&](const char* key, std::int64_t& to) {
            if (member(usage, key).is_number()) to = count_at(usage, key);
        };
        take("input_tokens", uncached_);
        take("cache_read_input_tokens", tokens.cached);
        take("cache_creation_input_tokens", tokens.cache_written);
        take("output_tokens", tokens.completion);
        tokens.prompt = uncached_ + tokens.cached + tokens.cache_written;
        // Nobody is asked with nothing: a server that says so does not count, and what is used is estimated.
        tokens.known = tokens.prompt > 0;
    }

    Reply reply_;
    std::map<std::int64_t, Block> blocks_;
    std::int64_t uncached_ = 0;
    std::string stop_;
    std::optional<StreamFailure> failure_;
};

/// Tokens that a model may think; the server's least is 1024.
std::int64_t thinking_budget(const Settings& settings) {
    const std::int64_t wanted = settings.effort == "high"     ? 32768
                                : settings.effort == "medium" ? 12288
                                : settings.effort == "low"    ? 4096
                                                              : 1024;
    return std::clamp<std::int64_t>(wanted, 1024, std::max<std::int64_t>(settings.max_tokens / 4 * 3, 1024));
}

enum class Thinking { none, budget, adaptive };

/// Newer models refuse a budget and decide themselves how much to think, older ones know only a budget. Which one it is
/// the table of models says; of a model that is not there a refusal tells.
Thinking thinking_of(const Settings& settings, const Refused& refused) {
    if (settings.effort.empty()) return Thinking::none;
    if (settings.adaptive) return refused.contains("thinking") ? Thinking::none : Thinking::adaptive;
    if (settings.max_tokens <= 1024 || refused.contains("thinking.adaptive")) return Thinking::none;
    return refused.contains("thinking") ? Thinking::adaptive : Thinking::budget;
}

class AnthropicDialect final : public Dialect {
public:
    std::string_view name() const override { return kName; }
    std::string_view path() const override { return "/messages"; }
    std::pair<std::string, std::string> key_header() const override { return {"x-api-key", ""}; }
    std::vector<std::pair<std::string, std::string>> headers() const override {
        return {{"anthropic-version", "2023-06-01"}};
    }
    std::vector<std::string> optional_members() const override {
        return {"thinking", "thinking.adaptive", "output_config", "temperature"};
    }

    Json request(const Conversation& conversation, std::span<const ToolSpec> tools, const Settings& settings,
                 const Refused& refused) const override {
        const Json cached{{"type", "ephemeral"}};
        Json body{{"model", settings.model}, {"max_tokens", settings.max_tokens}, {"stream", true}};
        if (!tools.empty()) {
            auto list = Json::array();
            for (const auto& tool : tools)
                list.push_back(
                    {{"name", tool.name}, {"description", tool.description}, {"input_schema", tool.parameters}});
            body["tools"] = std::move(list);
        }
        // One mark behind tools and system text, which never change, and one that moves along with the conversation.
        if (!conversation.system.empty())
            body["system"] =
                Json::array({{{"type", "text"}, {"text", conversation.system}, {"cache_control", cached}}});
        auto list = messages(conversation);
        if (!list.empty() && list.back().at("role") == "user") list.back()["content"].back()["cache_control"] = cached;
        body["messages"] = std::move(list);
        const auto how = thinking_of(settings, refused);
        if (how == Thinking::budget)
            body["thinking"] = {{"type", "enabled"}, {"budget_tokens", thinking_budget(settings)}};
        if (how == Thinking::adaptive) {
            body["thinking"] = {{"type", "adaptive"}};
            if (!refused.contains("output_config"))
                body["output_config"] = {{"effort", settings.effort == "minimal" ? "low" : settings.effort}};
        }
        // A model that thinks takes no temperature, and those that decide how much never do.
        if (settings.temperature && how == Thinking::none && !settings.adaptive && !refused.contains("temperature"))
            body["temperature"] = *settings.temperature;
        return body;
    }

    std::unique_ptr<ReplyReader> reader() const override { return std::make_unique<AnthropicReader>(); }

private:
    static Json messages(const Conversation& conversation) {
        auto list = Json::array();
        for (const auto& turn : conversation.turns) {
            auto content = Json::array();
            const bool assistant = turn.role == Turn::Role::assistant;
            if (assistant && text_at(turn.state, "dialect") == kName) {
                content = member(turn.state, "blocks");
            } else {
                for (const auto& result : turn.results)
                    content.push_back({{"type", "tool_result"},
                                       {"tool_use_id", result.id},
                                       {"content", result.text},
                                       {"is_error", !result.ok}});
                if (!turn.text.empty()) content.push_back({{"type", "text"}, {"text", turn.text}});
                for (const auto& use : turn.tool_uses)
                    content.push_back(
                        {{"type", "tool_use"}, {"id", use.id}, {"name", use.name}, {"input", use.arguments}});
            }
            // Nothing said is refused.
            if (content.empty()) content.push_back({{"type", "text"}, {"text", "(nothing)"}});
            list.push_back({{"role", assistant ? "assistant" : "user"}, {"content", std::move(content)}});
        }
        return list;
    }
};

} // namespace

std::unique_ptr<Dialect> make_anthropic_dialect() { return std::make_unique<AnthropicDialect>(); }

} // namespace kw::llm
