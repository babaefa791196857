#pragma once

#include "engine/pipeline/evaluation.h"
#include "engine/timeline/report_source.h"

#include <vector>

namespace kw::profiler_views {

/// The stages of an evaluation that took place, in order, with how long each took.
[[nodiscard]] std::vector<timeline::Stage> stages_of(const pipeline::Evaluation& evaluation);

} // namespace kw::profiler_views
