#pragma once

#include "engine/task/task.h"

#include <array>
#include <cstddef>
#include <cstdint>

/// The inner loops of comparison: one block of elements that fits the first-level cache, for each type and vector
/// width.
namespace kw::verify {

inline constexpr std::size_t kBlock = 2048;

/// [0] exact, [k] up to 10^(k−1) ULP for k up to 10, [11] more, NaN, or only one of two infinite.
inline constexpr std::size_t kBuckets = 12;

struct BlockResult {
    std::uint64_t mismatches = 0;
    std::uint64_t nan = 0;
    double max_abs = 0;
    double max_rel = 0;
    std::uint64_t max_ulp = 0;
    std::array<std::uint64_t, kBuckets> histogram{};

    void merge(const BlockResult& other);
};

/// Adds what `n` ≤ kBlock elements say to `result`.
using CompareBlock = void (*)(const std::byte* expected, const std::byte* actual, std::size_t n,
                              const task::Tolerance& tolerance, BlockResult& result);

/// The loop for `type` on this machine's vector units.
[[nodiscard]] CompareBlock compare_block_for(task::ScalarType type);

/// How far elements are off, in tolerances: above 1 one fails, infinite for NaN. Integers that differ by d are 1 + d
/// off.
struct Misfit {
    float worst = 0;
    std::uint32_t mismatches = 0;
};
using MisfitOf = Misfit (*)(const std::byte* expected, const std::byte* actual, std::size_t n,
                            const task::Tolerance& tolerance);

[[nodiscard]] MisfitOf misfit_for(task::ScalarType type);

/// What is known of some elements together. Counts stop at the largest number.
struct Cell {
    float worst = 0;   ///< as Misfit::worst
    float pivot = 0;   ///< |expected| of the element that is worst
    float max_abs = 0; ///< over elements where both values are finite
    std::uint32_t mismatches = 0;
    std::uint32_t nan = 0; ///< among the actual values
    std::uint32_t inf = 0; ///< likewise

    void merge(const Cell& other);
};
/// Adds `n` elements to `cell`, judged as by misfit_for.
using Summarize = void (*)(const std::byte* expected, const std::byte* actual, std::size_t n,
                           const task::Tolerance& tolerance, Cell& cell);

[[nodiscard]] Summarize summarize_for(task::ScalarType type);

} // namespace kw::verify
