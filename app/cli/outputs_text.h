#pragma once

#include "engine/base/json.h"

#include <string>

namespace kw::cli {

/// What `kw outputs --json` prints, for a terminal.
[[nodiscard]] std::string outputs_text(const Json& report);

} // namespace kw::cli
