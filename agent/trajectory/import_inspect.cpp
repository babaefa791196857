#include "agent/trajectory/import_readers.h"
#include "agent/trajectory/import_zip.h"

#include <fmt/format.h>

#include <utility>

namespace kw::trajectory {
namespace {

constexpr std::string_view kAttachment = "attachment://";

class SampleReader {
public:
    SampleReader(TraceBuilder& builder, Element sample, bool several)
        : builder_(builder), sample_(sample), attachments_(member(sample, "attachments")) {
        id_ = simple_text(member(sample, "id"));
        if (several) {
            title_ = fmt::format("sample {}", id_);
            if (const auto epoch = count_at(sample, "epoch"); epoch > 1) title_ += fmt::format(", epoch {}", epoch);
        }
    }

    /// How many references lead nowhere.
    std::size_t read() {
        read_events();
        for_each(member(sample_, "messages"), [this](Element message) { read_message(message); });
        if (auto* turn = builder_.last(); turn && made_turns_) {
            std::string scores;
            simdjson::dom::object object;
            if (const auto found = member(sample_, "scores"); found && !found->get_object().get(object))
                for (const auto& field : object)
                    scores += fmt::format("{}{} = {}", scores.empty() ? "scored " : ", ", field.key,
                                          simple_text(member(field.value, "value")));
            turn->because = std::move(scores);
        }
        return lost_;
    }

private:
    struct Reply {
        std::int64_t ms = 0;
        Usage usage{};
    };

    static std::string simple_text(std::optional<Element> value) {
        if (!value) return {};
        return value->is_string() ? std::string{text_of(value)} : simdjson::to_string(*value);
    }

    /// The text, or the one that it refers to.
    std::string resolved(std::string text) {
        if (!text.starts_with(kAttachment)) return text;
        const auto found = member(attachments_, std::string_view{text}.substr(kAttachment.size()));
        if (found && found->is_string()) return std::string{text_of(found)};
        ++lost_;
        return text;
    }

    Json resolved(Json json) {
        if (json.is_string()) return Json(resolved(json.get<std::string>()));
        if (json.is_structured())
            for (auto& each : json) each = resolved(std::move(each));
        return json;
    }

    /// Tokens and times are known to the model's events alone.
    void read_events() {
        for_each(member(sample_, "events"), [this](Element event) {
            if (text_at(event, "event") != "model") return;
            const auto output = member(event, "output");
            const auto usage = member(output, "usage");
            Reply reply{.ms = time_ms(member(event, "timestamp"))};
            const auto cached = count_at(usage, "input_tokens_cache_read");
            reply.usage = {.prompt_tokens =
                               count_at(usage, "input_tokens") + cached + count_at(usage, "input_tokens_cache_write"),
                           .cached_tokens = cached,
                           .completion_tokens = count_at(usage, "output_tokens"),
                           .reasoning_tokens = count_at(usage, "reasoning_tokens"),
                           .cost_usd = std::nullopt};
            for_each(member(output, "choices"), [&](Element choice) {
                if (const auto id = text_at(member(choice, "message"), "id"); !id.empty())
                    replies_[std::string{id}] = reply;
            });
        });
    }

    void read_message(Element message) {
        const auto role = text_at(message, "role");
        auto text = resolved(content_text(member(message, "content")));
        if (role == "assistant") {
            read_reply(message, std::move(text));
        } else if (role == "tool") {
            const auto error = member(message, "error");
            if (error && text.empty()) text = text_at(error, "message");
            const auto id = text_at(message, "tool_call_id");
            if (!builder_.result(id, text, !error, 0)) builder_.told("user", std::move(text));
        } else {
            builder_.told(role == "system" ? "system" : "user", std::move(text));
        }
    }

    void read_reply(Element message, std::string text) {
        const std::string id{text_at(message, "id")};
        const auto known = replies_.find(id);
        auto& turn = builder_.turn(known == replies_.end() ? 0 : known->second.ms);
        if (!std::exchange(made_turns_, true)) turn.title = title_;
        turn.usage.cost_usd = std::nullopt;
        if (known != replies_.end()) {
            turn.usage = known->second.usage;
            replies_.erase(known); // counted once
        }
        std::string reasoning;
        for_each(member(message, "content"), [&](Element part) {
            if (text_at(part, "type") == "reasoning") reasoning += resolved(std::string{text_at(part, "reasoning")});
        });
        turn.messages.push_back({"assistant", std::move(text), std::move(reasoning)});
        for_each(member(message, "tool_calls"), [&](Element call) {
            const auto arguments = member(call, "arguments");
            builder_.call({.call = {.id = std::string{text_at(call, "id")},
                                    .name = std::string{text_at(call, "function")},
                                    .arguments = arguments ? resolved(to_json(*arguments)) : Json::object()}});
        });
    }

    TraceBuilder& builder_;
    Element sample_;
    std::optional<Element> attachments_;
    std::unordered_map<std::string, Reply> replies_;
    std::string id_, title_;
    std::size_t lost_ = 0;
    bool made_turns_ = false;
};

void note_lost(TraceBuilder& builder, std::size_t lost) {
    builder.left_out(lost, "texts that the log refers to and does not have");
}

} // namespace

Result<Trace> read_inspect(Element root, std::stop_token stop) {
    TraceBuilder builder{"inspect"};
    builder.trace().task = text_at(member(root, "eval"), "task");
    std::size_t count = 0, lost = 0;
    for_each(member(root, "samples"), [&count](Element) { ++count; });
    for_each(member(root, "samples"), [&](Element sample) {
        if (stop.stop_requested()) return;
        builder.begin();
        lost += SampleReader{builder, sample, count > 1}.read();
    });
    note_lost(builder, lost);
    return builder.take();
}

Result<Trace> read_inspect_archive(std::string bytes, const std::string& name, std::stop_token stop) {
    auto archive = ZipArchive::open(std::move(bytes), name);
    if (!archive) return std::unexpected(std::move(archive.error()));
    TraceBuilder builder{"inspect"};
    std::size_t bad = 0, lost = 0, samples = 0;
    for (const auto& entry : archive->entries()) samples += ZipArchive::is_below(entry.name, "samples/", ".json");
    for (const auto& entry : archive->entries()) {
        if (stop.stop_requested()) return fail(Stage::usage, ErrorCode::cancelled, "the import was stopped");
        const bool header = entry.name == "header.json";
        if (!header && !ZipArchive::is_below(entry.name, "samples/", ".json")) continue;
        auto text = archive->read(entry);
        if (!text) return std::unexpected(std::move(text.error()));
        const auto document = Document::parse(std::move(*text));
        if (!document) {
            ++bad;
            continue;
        }
        if (header) {
            builder.trace().task = text_at(member((*document)->root(), "eval"), "task");
            continue;
        }
        builder.begin();
        lost += SampleReader{builder, (*document)->root(), samples > 1}.read();
    }
    builder.left_out(bad, "parts of the archive that are not JSON");
    note_lost(builder, lost);
    return builder.take();
}

} // namespace kw::trajectory
