#pragma once

#include "engine/task/task.h"
#include "engine/verify/output_map.h"

#include <array>
#include <cstdint>
#include <vector>

namespace kw::verify {

/// How many elements would pass: a number between the two.
struct PassCount {
    std::uint64_t at_least = 0;
    std::uint64_t at_most = 0;
};

/// Elements that are not exact, by |actual − expected| in eighths and by |expected| in quarters of an octave; enough to
/// say for any tolerance, at once, how many would pass, up to those in the bins that the line |error| = atol + rtol ·
/// |expected| crosses.
struct JointHistogram {
    struct Bin {
        std::uint32_t error = 0; ///< [error_edge(error), error_edge(error + 1))
        std::uint32_t size = 0;  ///< [size_edge(size), size_edge(size + 1))
        std::uint64_t count = 0;
    };
    std::uint64_t exact = 0; ///< pass always
    std::uint64_t never = 0; ///< NaN, or infinite where the other is not
    std::vector<Bin> bins;   ///< those that hold something

    /// Of floating elements. Lower edges: 0, then from 2⁻¹⁶⁰ on; the last bin has no upper end (infinity).
    [[nodiscard]] static double error_edge(std::uint32_t index);
    [[nodiscard]] static double size_edge(std::uint32_t index);
    static constexpr std::uint32_t kErrors = 8 * 290 + 1, kSizes = 4 * 290 + 1;

    [[nodiscard]] PassCount passing(const task::Tolerance& tolerance) const;
};

/// Elements by how far they are off.
struct ErrorHistogram {
    static constexpr int kFirstOctave = -60; ///< of relative[1]; relative[0] holds what is smaller
    static constexpr std::size_t kOctaves = 82;

    std::uint64_t elements = 0;
    std::uint64_t exact = 0; ///< equal, whatever the bits
    std::uint64_t never = 0; ///< NaN, or infinite where the other is not; in neither of the two below
    /// [k]: 2^(k−1) … 2^k − 1 units in the last place; for integers, of difference. [0] stays 0.
    std::array<std::uint64_t, 65> ulp{};
    /// [k]: |actual − expected| ÷ |expected| from 2^(kFirstOctave + k − 1) on, one octave; the last has no upper end
    /// and holds what should have been 0.
    std::array<std::uint64_t, kOctaves> relative{};
    JointHistogram joint{}; ///< without bins for integers, which must be equal

    [[nodiscard]] static double relative_edge(std::size_t index); ///< lower edge; 0 for index 0
};

/// One pass over the data on all cores; each uses up to 22 MB meanwhile.
[[nodiscard]] ErrorHistogram make_error_histogram(const OutputData& data);

} // namespace kw::verify
