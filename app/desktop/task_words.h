#pragma once

#include "editor/completion.h"
#include "engine/task/task.h"

#include <string>
#include <vector>

namespace kw::desktop {

/// What a candidate may name: the task's tensors with type and shape, its sizes and scalars, and the tunables and
/// scratch buffers of its own plan, as far as that can be parsed.
[[nodiscard]] std::vector<editor::CompletionItem> task_words(const task::Task& task, const std::string& file,
                                                             const std::string& text);

} // namespace kw::desktop
