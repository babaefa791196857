#pragma once

#include "agent/llm/conversation.h"
#include "agent/llm/dialect.h"
#include "agent/llm/http.h"
#include "agent/llm/retry.h"
#include "agent/llm/secret.h"
#include "engine/base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kw::llm {

enum class Protocol { chat, responses, anthropic };
/// Where a protocol's own vendor serves it.
[[nodiscard]] std::string default_base_url(Protocol protocol);

struct Endpoint {
    Protocol protocol = Protocol::chat;
    std::string base_url{}; ///< empty: the default; without a path "/v1" is added
    Secret key{};           ///< empty: none is sent
    /// Sent along. Values of those whose name looks like a secret's are kept out of texts as the key is.
    std::vector<std::pair<std::string, std::string>> headers{};
    HttpOptions http{};
    RetryPolicy retry{};
    /// Waits before a retry; false when it was stopped. Empty: sleeps.
    std::function<bool(std::chrono::milliseconds, std::stop_token)> wait{};
};

struct ServedModel {
    std::string id;
    std::int64_t context = 0; ///< tokens, where the server tells it
};

/// A server that completes conversations. One thread at a time.
class Provider {
public:
    using OnDelta = ReplyReader::OnDelta;

    virtual ~Provider() = default;
    /// One reply, streamed to `on_delta` (which may be empty) as it comes, after as many tries as the endpoint's policy
    /// allows. The key is in nothing that comes out, errors included. Stopped: ErrorCode::cancelled. A conversation
    /// that is too long for the model: ErrorCode::unsupported, and context_exceeded() of the error holds.
    [[nodiscard]] virtual Result<Reply> complete(const Conversation& conversation, std::span<const ToolSpec> tools,
                                                 const Settings& settings, const OnDelta& on_delta,
                                                 std::stop_token stop) = 0;
    /// The models that the server lists.
    [[nodiscard]] virtual Result<std::vector<ServedModel>> models(std::stop_token stop) = 0;
    /// "api.openai.com", for prices and messages.
    [[nodiscard]] virtual const Url& url() const = 0;
    /// Takes the key out of a text.
    [[nodiscard]] virtual const Redactor& redactor() const = 0;
};

/// Refuses a base URL that is none, and a key that would travel unencrypted beyond this machine.
[[nodiscard]] Result<std::unique_ptr<Provider>> make_provider(Endpoint endpoint);

/// "Name: value". Refused: what is no header, what the program sets itself, and a secret too short to be kept out of
/// texts.
[[nodiscard]] Result<std::pair<std::string, std::string>> parse_header(const std::string& line);
/// By its name: authorization, cookies, keys, tokens, passwords.
[[nodiscard]] bool looks_secret(std::string_view header);

[[nodiscard]] bool context_exceeded(const Error& error);

} // namespace kw::llm
