#pragma once

#include "engine/base/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Reading JSON that a server wrote: what is missing or of another type is "not there", never an exception.
namespace kw::llm {

/// Nesting that is read; deeper values would exhaust the stack when they are written again.
inline constexpr std::size_t kDeepestJson = 64;

/// No value when it is not JSON, not UTF-8, or nested more deeply than kDeepestJson.
[[nodiscard]] std::optional<Json> parse_json(std::string_view text);
/// On one line; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string dump(const Json& json);

/// The member, or a null that lives for ever where `json` is no object or has none such.
[[nodiscard]] const Json& member(const Json& json, std::string_view key);
/// Empty when it is not a string.
[[nodiscard]] std::string text_of(const Json& json);
[[nodiscard]] inline std::string text_at(const Json& json, std::string_view key) { return text_of(member(json, key)); }
/// A whole number from 0 to 2^53; 0 when it is none.
[[nodiscard]] std::int64_t count_at(const Json& json, std::string_view key);
[[nodiscard]] std::optional<double> number_at(const Json& json, std::string_view key);

/// The longest prefix of at most `bytes` bytes that ends between characters.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t bytes);
/// At most about `bytes` bytes: the beginning, a note of how much was left out, and the end.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t bytes);

} // namespace kw::llm
