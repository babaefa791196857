#pragma once

#include "agent/llm/conversation.h"
#include "agent/llm/sse.h"
#include "engine/base/result.h"

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What differs between the three protocols: how a request is written, and how a reply is read.
namespace kw::llm {

/// A piece of a reply as it comes.
struct Delta {
    enum class Kind {
        text,
        reasoning,
        tool,   ///< of a tool's arguments
        restart ///< what has come so far does not count: the request is made again
    } kind = Kind::text;
    std::string text{};
};

/// Why an answer that began well is none. `transient`: trying again may help.
struct StreamFailure {
    bool transient = false;
    std::string type{}; ///< as the server names it
    std::string message{};
};

/// Reads one reply, event by event.
class ReplyReader {
public:
    using OnDelta = std::function<void(Delta)>;

    virtual ~ReplyReader() = default;
    /// False when the reply is whole or has failed.
    [[nodiscard]] virtual bool event(const SseEvent& event, const OnDelta& on_delta) = 0;
    /// The answer of a server that does not stream.
    virtual void whole(const Json& body, const OnDelta& on_delta) = 0;
    /// After the last event. A reply that ended before the server said how it ends is a transient failure.
    [[nodiscard]] virtual std::expected<Reply, StreamFailure> finish() = 0;
};

/// Names of request members that a server has refused; they are left out, or written the other way.
using Refused = std::set<std::string, std::less<>>;

class Dialect {
public:
    virtual ~Dialect() = default;
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// Below the base URL: "/chat/completions".
    [[nodiscard]] virtual std::string_view path() const = 0;
    [[nodiscard]] virtual std::pair<std::string, std::string> key_header() const = 0; ///< name, and what precedes it
    [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> headers() const { return {}; }
    /// The same conversation, longer, gives the same beginning, which servers keep in their caches.
    [[nodiscard]] virtual Json request(const Conversation& conversation, std::span<const ToolSpec> tools,
                                       const Settings& settings, const Refused& refused) const = 0;
    /// Members of a request that are worth a try without. "name.way": the same member, written another way.
    [[nodiscard]] virtual std::vector<std::string> optional_members() const = 0;
    [[nodiscard]] virtual std::unique_ptr<ReplyReader> reader() const = 0;
};

/// Chat Completions: OpenAI, vLLM, llama.cpp, Ollama, OpenRouter and others. `openai`: the server is OpenAI's own,
/// which names the limit of a reply differently.
[[nodiscard]] std::unique_ptr<Dialect> make_chat_dialect(bool openai);
[[nodiscard]] std::unique_ptr<Dialect> make_responses_dialect();
[[nodiscard]] std::unique_ptr<Dialect> make_anthropic_dialect();

/// The error in {"error": {type, code, message}} or {"error": "text"}, as servers send it.
[[nodiscard]] StreamFailure failure_of(const Json& body);

/// Sets a tool use's arguments from what was sent: nothing is {}, a JSON object in a JSON string is taken out of it,
/// anything else is unparsable.
void set_arguments(ToolUse& use, std::string_view text);

} // namespace kw::llm
