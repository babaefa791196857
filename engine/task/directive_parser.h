#pragma once

#include "engine/base/result.h"
#include "engine/task/directives.h"
#include "engine/task/plan.h"

namespace kw::task {

/// Parses one directive into `plan`. Syntax only: names are resolved when all directives are known.
[[nodiscard]] Result<void> parse_directive(const DirectiveText& directive, Plan& plan);

/// A launch's kernel name expression with tunables replaced by their values.
[[nodiscard]] std::string kernel_name(const Launch& launch, const Sizes& configuration);

} // namespace kw::task
