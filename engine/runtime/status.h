#pragma once

#include <string_view>

namespace kw::runtime {

/// cudaError_t.
enum class Status : int {
#define KW_STATUS(name, value, text) name = value,
#include "engine/runtime/status.inc"
#undef KW_STATUS
};

/// "cudaErrorInvalidValue"; "unrecognized error code" for what is none, as the runtime has it. Ends in a zero byte.
[[nodiscard]] const char* status_name(Status status);
/// What it means, in words of this project. Ends in a zero byte.
[[nodiscard]] const char* status_text(Status status);

} // namespace kw::runtime
