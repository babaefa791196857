#pragma once

#include <string_view>

namespace kw {

/// The project's version, "0.1.0": of kw, kw-worker and the desktop program alike.
[[nodiscard]] std::string_view version();

} // namespace kw
