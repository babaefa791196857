#pragma once

#include "engine/base/json.h"

namespace kw::worker {

/// The machine this runs on: {name, kernel, glibc, cores, memory_bytes}.
[[nodiscard]] Json describe_host();

} // namespace kw::worker
