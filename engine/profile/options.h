#pragma once

#include "engine/profile/profiler.h"

#include <string_view>
#include <vector>

namespace kw::profile {

[[nodiscard]] Json to_json(const Options& options);
/// Members that are absent keep their defaults. An unknown rung is an error; metrics are looked at by select_metrics.
[[nodiscard]] Result<Options> options_from_json(const Json& json);

/// From a list such as "activity,counters", in the order of kRungs; an unknown name is an error that lists the known.
[[nodiscard]] Result<std::vector<Rung>> parse_rungs(std::string_view list);

} // namespace kw::profile
