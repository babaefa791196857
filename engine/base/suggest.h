#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kw {

/// "; did you mean 'rows'?" when one of `known` is within a typing slip of `wrong`, else nothing. Appended to an
/// error's message.
[[nodiscard]] std::string did_you_mean(std::string_view wrong, std::span<const std::string> known);

/// "a, b and c" for messages that list what is allowed.
[[nodiscard]] std::string list_of(std::span<const std::string> names);

} // namespace kw
