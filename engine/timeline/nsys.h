#pragma once

#include "engine/timeline/builder.h"

#include <filesystem>
#include <memory>
#include <stop_token>

namespace kw::timeline {

/// Reads what `nsys export --type sqlite` writes: kernels, copies, memsets, synchronisations, the calls that made them,
/// NVTX ranges, profiler overhead, GPU metrics. Tables and columns differ between versions; those that are there are
/// used. The error is a database that holds none of them. Call details are read when asked for, so the file stays open.
[[nodiscard]] Result<std::shared_ptr<const Store>> read_nsys(const std::filesystem::path& path,
                                                             std::stop_token stop = {}, const Progress& progress = {});

} // namespace kw::timeline
