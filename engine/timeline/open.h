#pragma once

#include "engine/timeline/builder.h"

#include <filesystem>
#include <memory>
#include <stop_token>

namespace kw::timeline {

/// Opens a trace by what is in the file: Chrome/Kineto JSON, plain or gzip, or an SQLite export of Nsight Systems.
/// Errors name the file.
[[nodiscard]] Result<std::shared_ptr<const Store>> open_trace(const std::filesystem::path& path,
                                                              std::stop_token stop = {}, const Progress& progress = {});

/// Whether a file's name says that it is a trace.
[[nodiscard]] bool looks_like_trace(const std::filesystem::path& path);

} // namespace kw::timeline
