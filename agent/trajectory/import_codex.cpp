#include "agent/trajectory/import_readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kw::trajectory {
namespace {

class Reader {
public:
    void line(Element line) {
        const auto type = text_at(line, "type");
        const auto ms = time_ms(member(line, "timestamp"));
        const auto payload = member(line, "payload");
        if (type == "response_item" && payload)
            item(*payload, ms);
        else if (type == "event_msg" && text_at(payload, "type") == "token_count")
            tokens(member(payload, "info"));
        else if (type == "compacted")
            ++compacted_;
        else if (!payload && !type.empty())
            item(line, ms); // older files have the items themselves
    }

    Trace take(const LinesRead& lines) {
        builder_.left_out(compacted_, "summaries of a conversation that grew too long");
        builder_.left_out(orphans_, "results of calls that the trace does not have");
        builder_.left_out(lines.bad, lines.last_is_bad ? "lines that are not JSON, the last of them cut short"
                                                       : "lines that are not JSON");
        return builder_.take();
    }

private:
    /// The reply that is being made; a new one after the agent was told something.
    Turn& reply(std::int64_t ms) {
        if (!std::exchange(replying_, true) || !builder_.last()) {
            builder_.turn(ms).messages.push_back({"assistant", {}});
            builder_.last()->usage.cost_usd = std::nullopt;
        }
        auto& turn = *builder_.last();
        turn.ended_ms = std::max(turn.ended_ms, ms);
        return turn;
    }

    void item(Element payload, std::int64_t ms) {
        const auto type = text_at(payload, "type");
        if (type == "message") {
            auto text = content_text(member(payload, "content"));
            const auto role = text_at(payload, "role");
            if (role == "assistant") {
                auto& said = reply(ms).messages.back().content;
                (said += said.empty() ? "" : "\n") += text;
            } else {
                replying_ = false;
                builder_.told(role == "user" ? "user" : "system", std::move(text));
            }
        } else if (type == "reasoning") {
            auto text = content_text(member(payload, "summary"));
            if (auto more = content_text(member(payload, "content")); !more.empty()) text = std::move(more);
            auto& reasoning = reply(ms).messages.back().reasoning;
            if (!text.empty()) (reasoning += reasoning.empty() ? "" : "\n") += text;
        } else if (type == "function_call" || type == "custom_tool_call" || type == "local_shell_call") {
            reply(ms);
            builder_.call(
                {.call = {.id = std::string{text_at(payload, "call_id")},
                          .name = type == "local_shell_call" ? "shell" : std::string{text_at(payload, "name")},
                          .arguments = arguments_of(payload, type)}});
        } else if (type == "function_call_output" || type == "custom_tool_call_output") {
            replying_ = false;
            output(payload, ms);
        }
    }

    static Json arguments_of(Element payload, std::string_view type) {
        if (type == "custom_tool_call") return {{"input", std::string{text_at(payload, "input")}}};
        if (type == "local_shell_call") {
            const auto action = member(payload, "action");
            return action ? to_json(*action) : Json::object();
        }
        // A text that holds JSON.
        const auto text = text_at(payload, "arguments");
        if (const auto parsed = Document::parse(std::string{text}); parsed && (*parsed)->root().is_object())
            return to_json((*parsed)->root());
        return text.empty() ? Json::object() : Json{{"input", std::string{text}}};
    }

    void output(Element payload, std::int64_t ms) {
        const auto output = member(payload, "output");
        bool ok = true;
        std::string text;
        if (output && output->is_string()) {
            text = text_of(output);
            if (text.starts_with('{'))
                if (const auto parsed = Document::parse(text)) {
                    const auto root = (*parsed)->root();
                    const auto code = number_at(member(root, "metadata"), "exit_code");
                    ok = !code || *code == 0;
                    if (const auto inner = member(root, "output"); inner && inner->is_string()) text = text_of(inner);
                }
        } else {
            text = content_text(member(output, "content"));
            if (text.empty()) text = content_text(output);
            if (const auto success = member(output, "success")) ok = flag_at(output, "success");
        }
        if (!builder_.result(text_at(payload, "call_id"), std::move(text), ok, ms)) ++orphans_;
    }

    /// Counts grow over the whole run and are told more than once.
    void tokens(std::optional<Element> info) {
        const auto total = member(info, "total_token_usage");
        if (!total || !builder_.last()) return;
        const Usage now{.prompt_tokens = count_at(total, "input_tokens"),
                        .cached_tokens = count_at(total, "cached_input_tokens"),
                        .completion_tokens = count_at(total, "output_tokens"),
                        .reasoning_tokens = count_at(total, "reasoning_output_tokens"),
                        .cost_usd = std::nullopt};
        // A smaller count is of a run that began anew.
        const auto before = now.prompt_tokens < total_.prompt_tokens ? Usage{} : total_;
        auto& usage = builder_.last()->usage;
        usage.prompt_tokens += now.prompt_tokens - before.prompt_tokens;
        usage.cached_tokens += std::max<std::int64_t>(0, now.cached_tokens - before.cached_tokens);
        usage.completion_tokens += std::max<std::int64_t>(0, now.completion_tokens - before.completion_tokens);
        usage.reasoning_tokens += std::max<std::int64_t>(0, now.reasoning_tokens - before.reasoning_tokens);
        total_ = now;
    }

    TraceBuilder builder_{"codex"};
    Usage total_{};
    bool replying_ = false;
    std::size_t compacted_ = 0;
    std::size_t orphans_ = 0;
};

} // namespace

Result<Trace> read_codex(std::string text, std::stop_token stop) {
    Reader reader;
    const auto lines = for_each_line(std::move(text), stop, [&reader](Element line) { reader.line(line); });
    if (!lines) return std::unexpected(lines.error());
    return reader.take(*lines);
}

} // namespace kw::trajectory
