#pragma once

#include "engine/report/commands.h"

#include <cstddef>
#include <stop_token>
#include <string>

namespace kw::cli {

struct TuneArguments {
    report::EvalArguments evaluation; ///< its `set` fixes tunables, its `seed` also that of the random choice
    std::size_t budget = 64;
    bool random = false;
};

/// Evaluates configurations of the candidate's tunables and prints them, best first. A configuration that fails is a
/// row like the others. Status 0 when at least one is correct.
[[nodiscard]] int tune_command(const TuneArguments& arguments, report::Backend& backend, std::stop_token stop);

} // namespace kw::cli
