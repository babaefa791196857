#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace kw {

/// Reads a whole file. Fails, with `stage`, when it cannot be opened, is not a regular file, or holds more than
/// `max_bytes`.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes,
                                            Stage stage = Stage::environment);

/// Replaces a file's contents by writing a neighbour and renaming it, so that a crash leaves the old or the new text.
/// The file keeps its mode; a symbolic link stays one and what it points to is replaced. What is not a regular file,
/// such as /dev/stdout, is written to as it is.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& path, std::string_view text,
                                      Stage stage = Stage::environment);

/// Byte offset of the first byte that is not well-formed UTF-8, or npos when all of it is.
[[nodiscard]] std::size_t first_invalid_utf8(std::string_view text);

/// The line and column (both from 1, columns in bytes) of a byte offset.
[[nodiscard]] Where position_at(std::string_view text, std::size_t offset, std::string file = {});

/// The folder of the running executable.
[[nodiscard]] std::filesystem::path executable_folder();

} // namespace kw
