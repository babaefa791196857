#pragma once

#include <nlohmann/json.hpp>

namespace kw {

/// Keeps the order in which members were written, so that printed values read as they were meant to.
using Json = nlohmann::ordered_json;

} // namespace kw
