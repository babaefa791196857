#include "agent/trajectory/import_readers.h"

#include <fmt/format.h>

namespace kw::trajectory {
namespace {

class Reader {
public:
    void line(Element line) {
        const auto type = text_at(line, "type");
        const std::string uuid{text_at(line, "uuid")};
        const auto message = member(line, "message");
        if (type == "assistant" && message)
            reply(line, *message);
        else if (type == "user" && message)
            user(line, *message);
        else if (type == "summary" || type == "system")
            ++others_;
        if (uuid.empty()) return;
        // Where a conversation forks, both sides name the line that they go on from.
        if (type == "assistant" && builder_.last())
            turn_of_[uuid] = current_;
        else if (const auto parent = parent_of(line))
            turn_of_[uuid] = *parent;
    }

    Trace take(const LinesRead& lines) {
        builder_.left_out(others_, "summaries and notices");
        builder_.left_out(lines.bad, lines.last_is_bad ? "lines that are not JSON, the last of them cut short"
                                                       : "lines that are not JSON");
        return builder_.take();
    }

private:
    std::optional<std::size_t> parent_of(Element line) const {
        auto parent = text_at(line, "parentUuid");
        if (parent.empty()) parent = text_at(line, "logicalParentUuid");
        const auto found = turn_of_.find(std::string{parent});
        return found == turn_of_.end() ? std::nullopt : std::optional{found->second};
    }

    void reply(Element line, Element message) {
        const auto ms = time_ms(member(line, "timestamp"));
        const std::string id{text_at(message, "id")};
        const auto known = id.empty() ? replies_.end() : replies_.find(id);
        if (known != replies_.end()) {
            // One reply comes as several lines, each with all of its usage.
            current_ = known->second;
        } else {
            auto& turn = builder_.turn(ms);
            current_ = builder_.size() - 1;
            if (const auto parent = parent_of(line)) turn.parent = parent;
            turn.messages.push_back({"assistant", {}});
            if (!id.empty()) replies_[id] = current_;
        }
        auto& turn = builder_.at(current_);
        turn.ended_ms = std::max(turn.ended_ms, ms);
        if (const auto usage = member(message, "usage")) {
            const auto cached = count_at(usage, "cache_read_input_tokens");
            turn.usage = {.prompt_tokens =
                              count_at(usage, "input_tokens") + cached + count_at(usage, "cache_creation_input_tokens"),
                          .cached_tokens = cached,
                          .completion_tokens = count_at(usage, "output_tokens"),
                          .cost_usd = std::nullopt};
        }
        const auto content = member(message, "content");
        std::string text = content && content->is_string() ? std::string{text_of(content)} : std::string{};
        std::string reasoning;
        for_each(content, [&](Element part) {
            const auto kind = text_at(part, "type");
            if (kind == "text") {
                (text += text.empty() ? "" : "\n") += text_at(part, "text");
            } else if (kind == "thinking") {
                reasoning += text_at(part, "thinking");
            } else if (kind == "tool_use") {
                const auto input = member(part, "input");
                call(current_, {.call = {.id = std::string{text_at(part, "id")},
                                         .name = std::string{text_at(part, "name")},
                                         .arguments = input ? to_json(*input) : Json::object()}});
            }
        });
        auto& said = builder_.at(current_).messages.back();
        if (!text.empty()) (said.content += said.content.empty() ? "" : "\n") += text;
        said.reasoning += reasoning;
    }

    void call(std::size_t turn, TracedCall traced) {
        if (turn + 1 == builder_.size()) {
            builder_.call(std::move(traced));
        } else {
            // A line of an earlier reply; its result is found through the file alone.
            builder_.at(turn).calls.push_back(std::move(traced));
        }
    }

    void user(Element line, Element message) {
        const auto ms = time_ms(member(line, "timestamp"));
        const auto content = member(message, "content");
        if (content && content->is_string()) {
            builder_.told("user", std::string{text_of(content)});
            return;
        }
        const auto outcome = member(line, "toolUseResult");
        for_each(content, [&](Element part) {
            const auto kind = text_at(part, "type");
            if (kind != "tool_result") {
                builder_.told("user", kind == "text" ? std::string{text_at(part, "text")} : fmt::format("[{}]", kind));
                return;
            }
            const auto id = text_at(part, "tool_use_id");
            auto* traced = builder_.find(id);
            if (traced && member(outcome, "originalFile") && member(outcome, "originalFile")->is_string())
                traced->original = std::string{text_at(outcome, "originalFile")};
            read_whole_file(traced, outcome);
            if (!builder_.result(id, content_text(member(part, "content")), !flag_at(part, "is_error"), ms)) ++orphans_;
        });
    }

    /// A file that was read as a whole is known from there on.
    static void read_whole_file(TracedCall* traced, std::optional<Element> outcome) {
        const auto file = member(outcome, "file");
        const auto text = member(file, "content");
        if (!traced || !text || !text->is_string() || traced->call.name != "Read") return;
        const auto lines = count_at(file, "numLines");
        if (count_at(file, "startLine") == 1 && lines > 0 && lines == count_at(file, "totalLines"))
            traced->original = std::string{text_of(text)};
    }

    TraceBuilder builder_{"claude-code"};
    std::unordered_map<std::string, std::size_t> turn_of_; ///< by a line's uuid
    std::unordered_map<std::string, std::size_t> replies_; ///< by message id
    std::size_t current_ = 0;
    std::size_t others_ = 0;
    std::size_t orphans_ = 0;
};

} // namespace

Result<Trace> read_claude_code(std::string text, std::stop_token stop) {
    Reader reader;
    const auto lines = for_each_line(std::move(text), stop, [&reader](Element line) { reader.line(line); });
    if (!lines) return std::unexpected(lines.error());
    return reader.take(*lines);
}

} // namespace kw::trajectory
