#pragma once

#include <filesystem>
#include <vector>

namespace kw::compile {

/// Lets the calling thread, for the rest of its life, read only below `folders` and the system's own libraries, and
/// write nothing. Returns false where the kernel has no Landlock (before Linux 5.13, or switched off): the checks of
/// the source are then alone.
bool restrict_reading(const std::vector<std::filesystem::path>& readable,
                      const std::vector<std::filesystem::path>& writable = {});

} // namespace kw::compile
