#include "engine/verify/block.h"
#include "engine/verify/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace kw::verify {
namespace {

/// Whether a result whose every byte is `value` passes everywhere. Ends at the first block that fails, as nearly all
/// do.
bool passes(std::span<const std::byte> expected, task::ScalarType type, const task::Tolerance& tolerance,
            std::byte value) {
    const std::size_t width = task::size_of(type);
    const CompareBlock compare_block = compare_block_for(type);
    std::array<std::byte, kBlock * 8> constant;
    constant.fill(value);
    for (std::size_t at = 0; at < expected.size(); at += kBlock * width) {
        BlockResult result;
        compare_block(expected.data() + at, constant.data(), std::min(kBlock, (expected.size() - at) / width),
                      tolerance, result);
        if (result.mismatches > 0) return false;
    }
    return true;
}

} // namespace

std::optional<std::string> too_lenient(std::span<const std::byte> expected, task::ScalarType type,
                                       const task::Tolerance& tolerance, std::byte poison) {
    if (expected.size() < task::size_of(type)) return std::nullopt;
    if (task::is_floating(type)) {
        // A comparison with itself mismatches in NaN alone, and says where.
        const std::array<std::int64_t, 1> flat{static_cast<std::int64_t>(expected.size() / task::size_of(type))};
        const Comparison self = compare(expected, expected, type, flat, tolerance);
        if (self.nan > 0)
            return fmt::format("the reference yields NaN in {} of {} elements, first at index {}", self.nan,
                               self.elements, self.first_mismatch->index);
    }
    constexpr std::string_view kRemedy = "; tighten the tolerance or change the inputs";
    if (passes(expected, type, tolerance, std::byte{0}))
        return fmt::format("a candidate that writes only zeros would pass at this tolerance{}", kRemedy);
    if (passes(expected, type, tolerance, poison))
        return fmt::format("a candidate that writes nothing would pass at this tolerance{}", kRemedy);
    return std::nullopt;
}

} // namespace kw::verify
