#pragma once

#include <string_view>

namespace kw::compile {

/// What a translation unit sees before its first line: names that users of nvcc expect and NVRTC does not define.
inline constexpr std::string_view kPreludeName = "/dev/null/std/prelude.h";
extern const std::string_view kPrelude;

} // namespace kw::compile
