#pragma once

#include "engine/task/task.h"

namespace kw::task {

/// As parse_task(), without a look at what .npy files hold: to compile, their presence is enough.
[[nodiscard]] Result<Task> parse_task_without_arrays(const Files& files);

} // namespace kw::task
