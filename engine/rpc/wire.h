#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/task/task.h"

namespace kw::rpc {

/// A task's files as {name: text}; bytes that are not text as {name: {base64: …}}.
[[nodiscard]] Json files_to_json(const task::Files& files);
/// Names must be relative and stay inside the task.
[[nodiscard]] Result<task::Files> files_from_json(const Json& json);

} // namespace kw::rpc
