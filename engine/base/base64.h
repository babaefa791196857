#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kw {

/// Standard base64 (RFC 4648 §4), for bytes inside JSON.
[[nodiscard]] std::string base64_encode(std::string_view bytes);
/// Nothing when the text is not base64.
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);

} // namespace kw
