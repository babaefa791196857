#pragma once

#include <string>
#include <string_view>

namespace kw::sim {

/// A function's name as its source has it, "softmax<128>", or the name itself where it is not a mangled one.
[[nodiscard]] std::string demangled(std::string_view name);

} // namespace kw::sim
