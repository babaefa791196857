#pragma once

#include "engine/task/task.h"

namespace kw::task {

/// As read_folder(), for programs that can write a text back as it was encoded: sources that are not UTF-8 are taken as
/// Latin-1. task.toml has to be UTF-8, as TOML is.
[[nodiscard]] Result<Files> read_folder_in_any_encoding(const std::filesystem::path& folder);

/// Without what a file's name or TOML's bare key may not hold; "task" where nothing is left.
[[nodiscard]] std::string safe_name(std::string_view name);

/// Writes a task's files into a new folder of `parent`, called `name` or, where that is taken, with a number behind it.
[[nodiscard]] Result<std::filesystem::path> write_new_folder(const Files& files, const std::filesystem::path& parent,
                                                             const std::string& name);

} // namespace kw::task
