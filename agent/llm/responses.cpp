#include "agent/llm/dialect.h"
#include "agent/llm/json_text.h"

#include <map>

namespace kw::llm {
namespace {

constexpr const char* kName = "responses";

std::string texts(const Json& parts, std::string_view type) {
    std::string text;
    if (!parts.is_array()) return text;
    for (const auto& part : parts)
        if (text_at(part, "type") == type) text += text_at(part, type == "refusal" ? "refusal" : "text");
    return text;
}

class ResponsesReader final : public ReplyReader {
public:
    bool event(const SseEvent& event, const OnDelta& on_delta) override {
        if (event.data == "[DONE]") return false;
        const auto body = parse_json(event.data);
        if (!body) {
            failure_ = StreamFailure{true, {}, "an event of the stream is not JSON"};
            return false;
        }
        auto type = text_at(*body, "type");
        if (type.empty()) type = event.type;
        const auto number = count_at(*body, "output_index");
        if (type == "response.output_text.delta" || type == "response.refusal.delta") {
            on_delta({Delta::Kind::text, text_at(*body, "delta")});
        } else if (type == "response.reasoning_summary_text.delta" || type == "response.reasoning_text.delta") {
            reasoning_ += text_at(*body, "delta");
            on_delta({Delta::Kind::reasoning, text_at(*body, "delta")});
        } else if (type == "response.function_call_arguments.delta") {
            arguments_[number] += text_at(*body, "delta");
            on_delta({Delta::Kind::tool, text_at(*body, "delta")});
        } else if (type == "response.function_call_arguments.done") {
            if (member(*body, "arguments").is_string()) arguments_[number] = text_at(*body, "arguments");
        } else if (type == "response.output_item.added") {
            items_.try_emplace(number, member(*body, "item"));
        } else if (type == "response.output_item.done") {
            items_[number] = member(*body, "item");
        } else if (type == "response.completed" || type == "response.incomplete" || type == "response.failed") {
            end(member(*body, "response"), type.substr(std::string_view{"response."}.size()));
            return false;
        } else if (type == "error") {
            failure_ = failure_of(*body);
            return false;
        }
        return true;
    }

    void whole(const Json& body, const OnDelta& on_delta) override {
        end(body, text_at(body, "status"));
        if (failure_) return;
        for (const auto& [number, item] : items_)
            if (auto text = texts(member(item, "content"), "output_text"); !text.empty())
                on_delta({Delta::Kind::text, std::move(text)});
    }

    std::expected<Reply, StreamFailure> finish() override {
        if (failure_) return std::unexpected(*failure_);
        if (status_.empty()) return std::unexpected(StreamFailure{true, {}, "the stream broke off"});
        auto state = Json::array();
        for (auto& [number, item] : items_) take_item(number, item, state);
        if (reply_.reasoning.empty()) reply_.reasoning = reasoning_;
        if (!state.empty()) reply_.state = {{"dialect", kName}, {"items", std::move(state)}};
        if (!reply_.tool_uses.empty())
            reply_.finish = Reply::Finish::tool_use;
        else if (status_ == "incomplete")
            reply_.finish = incomplete_ == "content_filter" ? Reply::Finish::refusal : Reply::Finish::length;
        else if (refused_)
            reply_.finish = Reply::Finish::refusal;
        return std::move(reply_);
    }

private:
    void end(const Json& response, const std::string& status) {
        if (const auto& error = member(response, "error"); status == "failed" || error.is_object()) {
            failure_ = failure_of(response);
            return;
        }
        status_ = status;
        incomplete_ = text_at(member(response, "incomplete_details"), "reason");
        reply_.model = text_at(response, "model");
        if (const auto& output = member(response, "output"); output.is_array() && items_.empty())
            for (std::size_t i = 0; i < output.size(); ++i) items_.emplace(static_cast<std::int64_t>(i), output[i]);
        const auto& usage = member(response, "usage");
        if (!usage.is_object()) return;
        auto& tokens = reply_.tokens;
        tokens.prompt = count_at(usage, "input_tokens");
        // Nobody is asked with nothing: a server that says so does not count, and what is used is estimated.
        tokens.known = tokens.prompt > 0;
        tokens.completion = count_at(usage, "output_tokens");
        tokens.cached = count_at(member(usage, "input_tokens_details"), "cached_tokens");
        tokens.reasoning = count_at(member(usage, "output_tokens_details"), "reasoning_tokens");
        if (const auto cost = number_at(usage, "cost"); cost && *cost >= 0) tokens.cost_usd = cost;
    }

    void take_item(std::int64_t number, const Json& item, Json& state) {
        const auto type = text_at(item, "type");
        if (type == "message") {
            const auto text = texts(member(item, "content"), "output_text");
            const auto refusal = texts(member(item, "content"), "refusal");
            refused_ = refused_ || !refusal.empty();
            reply_.text += text + refusal;
            if (text.empty()) return;
            Json kept{{"role", "assistant"}, {"content", text}};
            // With its name it is the very item that the reasoning before it led to.
            if (const auto id = text_at(item, "id"); !id.empty())
                kept = {{"type", "message"},
                        {"id", id},
                        {"role", "assistant"},
                        {"status", "completed"},
                        {"content",
                         Json::array({{{"type", "output_text"}, {"text", text}, {"annotations", Json::array()}}})}};
            state.push_back(std::move(kept));
        } else if (type == "reasoning") {
            auto text = texts(member(item, "summary"), "summary_text");
            text += texts(member(item, "content"), "reasoning_text");
            reply_.reasoning += text;
            // Nothing is stored at the server, so an item that does not bring its content along means nothing to it.
            if (!member(item, "encrypted_content").is_string()) return;
            Json kept{{"type", "reasoning"}, {"id", text_at(item, "id")}};
            kept["summary"] = member(item, "summary").is_array() ? member(item, "summary") : Json::array();
            kept["encrypted_content"] = member(item, "encrypted_content");
            state.push_back(std::move(kept));
        } else if (type == "function_call") {
            ToolUse use{.id = text_at(item, "call_id"), .name = text_at(item, "name")};
            if (use.id.empty()) use.id = text_at(item, "id");
            auto arguments = text_at(item, "arguments");
            if (arguments.empty()) arguments = arguments_[number];
            set_arguments(use, arguments);
            state.push_back({{"type", "function_call"},
                             {"call_id", use.id},
                             {"name", use.name},
                             {"arguments", dump(use.arguments)}});
            reply_.tool_uses.push_back(std::move(use));
        }
    }

    Reply reply_;
    std::map<std::int64_t, Json> items_;
    std::map<std::int64_t, std::string> arguments_;
    std::string reasoning_;
    std::string status_;
    std::string incomplete_;
    bool refused_ = false;
    std::optional<StreamFailure> failure_;
};

class ResponsesDialect final : public Dialect {
public:
    std::string_view name() const override { return kName; }
    std::string_view path() const override { return "/responses"; }
    std::pair<std::string, std::string> key_header() const override { return {"Authorization", "Bearer "}; }
    std::vector<std::string> optional_members() const override {
        return {"include", "store", "reasoning", "max_output_tokens", "temperature"};
    }

    Json request(const Conversation& conversation, std::span<const ToolSpec> tools, const Settings& settings,
                 const Refused& refused) const override {
        Json body{{"model", settings.model}};
        if (!conversation.system.empty()) body["instructions"] = conversation.system;
        body["input"] = input(conversation);
        const auto add = [&](const char* key, Json value) {
            if (!refused.contains(key)) body[key] = std::move(value);
        };
        if (!tools.empty()) {
            auto list = Json::array();
            for (const auto& tool : tools)
                list.push_back({{"type", "function"},
                                {"name", tool.name},
                                {"description", tool.description},
                                {"parameters", tool.parameters},
                                {"strict", false}});
            body["tools"] = std::move(list);
        }
        body["stream"] = true;
        add("store", false);
        add("include", Json::array({"reasoning.encrypted_content"}));
        add("max_output_tokens", settings.max_tokens);
        if (settings.temperature) add("temperature", *settings.temperature);
        if (!settings.effort.empty()) add("reasoning", {{"effort", settings.effort}, {"summary", "auto"}});
        return body;
    }

    std::unique_ptr<ReplyReader> reader() const override { return std::make_unique<ResponsesReader>(); }

private:
    static Json input(const Conversation& conversation) {
        auto list = Json::array();
        for (const auto& turn : conversation.turns) {
            if (turn.role == Turn::Role::assistant) {
                if (text_at(turn.state, "dialect") == kName) {
                    for (const auto& item : member(turn.state, "items")) list.push_back(item);
                    continue;
                }
                if (!turn.text.empty()) list.push_back({{"role", "assistant"}, {"content", turn.text}});
                for (const auto& use : turn.tool_uses)
                    list.push_back({{"type", "function_call"},
                                    {"call_id", use.id},
                                    {"name", use.name},
                                    {"arguments", dump(use.arguments)}});
                continue;
            }
            for (const auto& result : turn.results)
                list.push_back({{"type", "function_call_output"}, {"call_id", result.id}, {"output", result.text}});
            if (!turn.text.empty()) list.push_back({{"role", "user"}, {"content", turn.text}});
        }
        return list;
    }
};

} // namespace

std::unique_ptr<Dialect> make_responses_dialect() { return std::make_unique<ResponsesDialect>(); }

} // namespace kw::llm
