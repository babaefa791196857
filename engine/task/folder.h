#pragma once

#include "engine/task/task.h"

namespace kw::task {

/// As read_folder(), for programs that can write a text back as it was encoded: sources that are not UTF-8 are taken as
/// Latin-1. task.toml has to be UTF-8, as TOML is.
[[nodiscard]] Result<Files> read_folder_in_any_encoding(const std::filesystem::path& folder);

} // namespace kw::task
