#pragma once

#include "agent/llm/conversation.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kw::agent {

/// Text of one message that is kept, in the conversation and in the session; a model may write megabytes.
inline constexpr std::size_t kMostText = std::size_t{64} << 10;
/// Arguments of one tool call; larger ones are told to be too large.
inline constexpr std::size_t kMostArguments = std::size_t{256} << 10;

/// Bytes that a request is about made of.
[[nodiscard]] std::size_t bytes_of(const llm::Conversation& conversation, std::span<const llm::ToolSpec> tools);

/// How many tokens texts are: 3.5 bytes each, an average of English text and code, until a server has counted.
class TokenEstimate {
public:
    void learn(std::size_t bytes, std::int64_t tokens);
    [[nodiscard]] std::int64_t operator()(std::size_t bytes) const;

private:
    double bytes_per_token_ = 3.5;
};

/// Cuts what is too large in a reply. True when something was: then the server's own form of it goes too, and the
/// conversation is better begun anew.
[[nodiscard]] bool bound(llm::Reply& reply);

} // namespace kw::agent
