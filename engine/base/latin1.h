#pragma once

#include <string>
#include <string_view>

namespace kw {

/// Text in Latin-1, in which every byte is a character, as UTF-8.
[[nodiscard]] std::string latin1_to_utf8(std::string_view bytes);

} // namespace kw
