#pragma once

#include "editor/call_tip.h"
#include "editor/completion.h"
#include "engine/base/json.h"
#include "engine/base/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The Language Server Protocol's messages, apart from any process: Content-Length framing, and what its answers say.
namespace kw::editor {

inline constexpr std::size_t kMaxMessageBytes = std::size_t{32} << 20;

[[nodiscard]] std::string frame(const Json& message);

/// Puts messages together from pieces of a stream.
class MessageReader {
public:
    void add(std::string_view bytes) { buffer_ += bytes; }
    /// The next complete message; nothing while there is none; an error for what is no message, after which the stream
    /// cannot be read on.
    [[nodiscard]] Result<std::optional<Json>> next();

private:
    std::string buffer_;
};

/// Of any JSON: what does not look as it should is left out.
[[nodiscard]] std::vector<CompletionItem> completions_of(const Json& result);
[[nodiscard]] std::string hover_of(const Json& result);
[[nodiscard]] CallTipText signatures_of(const Json& result);

} // namespace kw::editor
