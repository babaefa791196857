#pragma once

#include "engine/base/json.h"
#include "engine/compile/compiler.h"

/// Compilations as they go to the process that compiles and back.
namespace kw::worker {

[[nodiscard]] Json to_json(const compile::Request& request);
[[nodiscard]] Result<compile::Request> request_from_json(const Json& json);

/// With the code and the log, which compile::to_json leaves out.
[[nodiscard]] Json whole_output_to_json(const compile::Output& output);
[[nodiscard]] Result<compile::Output> whole_output_from_json(const Json& json);

} // namespace kw::worker
