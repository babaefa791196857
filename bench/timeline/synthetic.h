#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>

namespace kw::timeline_bench {

struct SyntheticTrace {
    std::uint64_t events = 10'000'000; ///< slices; flows and counters come on top
    std::uint32_t threads = 8;
    std::uint32_t streams = 8;
    bool arguments = true; ///< as Kineto writes them, in about the same length
    bool shuffled = false; ///< within a window of about 100 µs
};

/// Writes a trace as a training step leaves it: operators nested on threads, launches, kernels and copies on the
/// streams of two devices, an arrow for every tenth kernel, and counters.
[[nodiscard]] Result<void> write_synthetic(const std::filesystem::path& path, const SyntheticTrace& what);

} // namespace kw::timeline_bench
