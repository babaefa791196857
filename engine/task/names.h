#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

/// Names of sizes, tensors, scalars, scratch buffers and tunables.
namespace kw::task {

[[nodiscard]] bool starts_name(char c);
[[nodiscard]] bool continues_name(char c);

/// Length of the C identifier that `text` begins with; 0 when it begins with none.
[[nodiscard]] std::size_t name_length(std::string_view text);

/// Fails when `name` is not a C identifier, is a C++ keyword (a tunable becomes a macro), or means something else in a
/// directive.
[[nodiscard]] Result<void> check_name(std::string_view name, std::string_view what, const Where& where);

} // namespace kw::task
