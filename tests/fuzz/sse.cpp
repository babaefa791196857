#include "agent/llm/dialect.h"
#include "agent/llm/json_text.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace kw::llm;

constexpr std::size_t kLargest = 4096;

std::vector<SseEvent> events(std::string_view text, std::size_t piece, bool& failed) {
    SseParser parser{kLargest};
    std::vector<SseEvent> list;
    const SseParser::Sink sink = [&list](const SseEvent& event) -> kw::Result<bool> {
        list.push_back(event);
        return true;
    };
    failed = false;
    for (std::size_t at = 0; at < text.size() && !failed; at += piece)
        failed = !parser.feed(text.substr(at, piece), sink).has_value();
    if (!failed) static_cast<void>(parser.finish(sink));
    return list;
}

/// Whatever a reply reads as can be sent back.
void read_reply(const Dialect& dialect, const std::vector<SseEvent>& list) {
    auto reader = dialect.reader();
    for (const auto& event : list)
        if (!reader->event(event, [](const Delta&) {})) break;
    auto reply = reader->finish();
    if (!reply) return;
    const Conversation conversation{.turns = {{.role = Turn::Role::assistant,
                                               .text = reply->text,
                                               .tool_uses = reply->tool_uses,
                                               .state = reply->state}}};
    if (!parse_json(dump(dialect.request(conversation, {}, {.model = "m"}, {})))) std::abort();
}

} // namespace

/// The input is an event stream as a server might send it. How it arrives must not change what is read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    bool whole_failed = false;
    bool pieces_failed = false;
    const auto whole = events(text, size + 1, whole_failed);
    const auto pieces = events(text, 1, pieces_failed);
    if (whole != pieces || whole_failed != pieces_failed) std::abort();
    for (const auto& dialect : {make_chat_dialect(false), make_responses_dialect(), make_anthropic_dialect()}) {
        read_reply(*dialect, whole);
        if (const auto json = parse_json(text)) {
            auto reader = dialect->reader();
            reader->whole(*json, [](const Delta&) {});
            static_cast<void>(reader->finish());
        }
    }
    return 0;
}
