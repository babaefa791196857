#pragma once

#include "engine/base/result.h"
#include "engine/device/sim/ptx_module.h"

namespace kw::sim::ptx {

/// Parses a PTX module. Fails, naming line and column of the PTX, on text that is not PTX; opcodes are not judged here.
[[nodiscard]] Result<Module> parse(std::string text);

} // namespace kw::sim::ptx
