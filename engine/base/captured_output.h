#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <string>

/// Standard output of this process kept in memory. The GPU driver writes there what kernels print, and nothing else can
/// be asked for it.
namespace kw {

/// From here on descriptor 1 is a file in memory. Once for a process.
[[nodiscard]] Result<void> capture_standard_output();

[[nodiscard]] bool standard_output_is_captured();

/// What has been written since the last call, at most `limit` bytes of it; the rest is dropped. Empty unless captured.
[[nodiscard]] std::string take_standard_output(std::size_t limit);

} // namespace kw
