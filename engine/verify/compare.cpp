#include "engine/verify/compare.h"

#include "engine/base/parallel.h"
#include "engine/verify/block.h"
#include "engine/verify/error_map.h"
#include "engine/verify/value.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

namespace kw::verify {
namespace {

/// Elements of one thread's turn: long enough for the hardware's prefetchers, short enough to share out evenly.
constexpr std::uint64_t kGrain = 64 * kBlock;

Mismatch describe_mismatch(std::uint64_t index, std::span<const std::byte> expected, std::span<const std::byte> actual,
                           task::ScalarType type, std::span<const std::int64_t> shape) {
    Mismatch mismatch;
    mismatch.index = index;
    mismatch.coordinates = coordinates_of(index, shape);
    const std::size_t at = index * task::size_of(type);
    Value right = read_value(expected.data() + at, type), wrong = read_value(actual.data() + at, type);
    mismatch.expected = right.number;
    mismatch.actual = wrong.number;
    mismatch.expected_text = std::move(right.text);
    mismatch.actual_text = std::move(wrong.text);
    return mismatch;
}

} // namespace

Comparison compare(std::span<const std::byte> expected, std::span<const std::byte> actual, task::ScalarType type,
                   std::span<const std::int64_t> shape, const task::Tolerance& tolerance) {
    const std::size_t width = task::size_of(type);
    const std::uint64_t elements = std::min(expected.size(), actual.size()) / width;
    const CompareBlock compare_block = compare_block_for(type);
    constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

    std::mutex mutex;
    BlockResult total;
    std::uint64_t first = kNone; // beginning of the first block with a mismatch
    parallel_for(elements, kGrain, [&](std::uint64_t begin, std::uint64_t end) {
        BlockResult mine;
        std::uint64_t my_first = kNone;
        for (std::uint64_t at = begin; at < end; at += kBlock) {
            const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, end - at));
            compare_block(expected.data() + at * width, actual.data() + at * width, n, tolerance, mine);
            if (mine.mismatches > 0 && my_first == kNone) my_first = at;
        }
        const std::scoped_lock lock(mutex);
        total.merge(mine);
        first = std::min(first, my_first);
    });

    Comparison result;
    result.elements = elements;
    result.mismatches = total.mismatches;
    result.nan = total.nan;
    result.max_abs = total.max_abs;
    result.max_rel = total.max_rel;
    result.max_ulp = total.max_ulp;
    result.ulp_histogram.assign(total.histogram.begin(), total.histogram.end());
    if (result.ok()) return result;
    const MisfitOf misfit = misfit_for(type);
    const auto fits = [&](std::uint64_t i) {
        return misfit(expected.data() + i * width, actual.data() + i * width, 1, tolerance).mismatches == 0;
    };
    while (first < elements && fits(first)) ++first;
    result.first_mismatch = describe_mismatch(std::min(first, elements - 1), expected, actual, type, shape);
    result.map = make_error_map(expected, actual, type, shape, tolerance);
    return result;
}

} // namespace kw::verify
