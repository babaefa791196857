#pragma once

#include <exception>
#include <string>

namespace kw {

/// What a nlohmann::json exception complains about, in words for someone who does not know the library: "'n' is
/// missing", "a string where a number is expected". The text of any other exception as it is.
[[nodiscard]] std::string what_is_wrong(const std::exception& error);

} // namespace kw
