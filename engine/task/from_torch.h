#pragma once

#include "engine/base/json.h"
#include "engine/task/task.h"

#include <string>
#include <string_view>

namespace kw::task {

/// The files of a task around a PyTorch problem: task.toml, the problem itself as model.py, and a kernel.cu that takes
/// every tensor and whose body is to be written. `description` is what worker::Service::describe_torch says of it; a
/// malformed one is an error. `name` is what the task is called.
[[nodiscard]] Result<Files> task_from_torch(const Json& description, std::string_view problem, const std::string& name);

} // namespace kw::task
