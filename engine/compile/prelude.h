#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

/// What a translation unit can rely on besides the toolkit: names that users of nvcc expect and NVRTC does not define.
namespace kw::compile {

/// Its file name; no task file can be called so, because the name is not normalised.
inline constexpr std::string_view kPreludeName = "./prelude.h";

/// Text seen before the first line: fixed-width integers, limits, INFINITY, M_PI …, without the names in `own`, which
/// the source declares itself.
[[nodiscard]] std::string prelude(const std::set<std::string>& own);

/// Stand-ins for headers of the C++ standard library, by the name that #include spells: <cmath>, <stdint.h>,
/// <type_traits> …
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> standard_headers();

} // namespace kw::compile
