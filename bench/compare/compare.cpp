// Times the comparison of two tensors against a copy on the same threads: name, milliseconds and GB/s, best of several
// runs.
#include "engine/verify/compare.h"

#include "engine/base/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

namespace {

constexpr std::uint64_t kElements = std::uint64_t{64} << 20;
constexpr int kRuns = 9;

template<class Work> double best_seconds(const Work& work) {
    double best = std::numeric_limits<double>::infinity();
    for (int run = 0; run < kRuns; ++run) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

void report(const char* name, double seconds, std::uint64_t bytes) {
    fmt::print("{:<28} {:9.2f} ms {:8.2f} GB/s\n", name, seconds * 1e3, static_cast<double>(bytes) / seconds / 1e9);
    std::fflush(stdout);
}

} // namespace

int main() {
    using kw::task::ScalarType;
    std::vector<float> expected(kElements), actual(kElements);
    // As results of a good kernel are: most within a few units in the last place, a quarter of them exact.
    kw::parallel_for(kElements, 1 << 20, [&](std::uint64_t begin, std::uint64_t end) {
        std::uint64_t state = begin + 1;
        for (std::uint64_t i = begin; i < end; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            expected[i] = static_cast<float>(static_cast<double>(state >> 11) * 0x1p-53 - 0.5);
            actual[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(expected[i])
                                             + static_cast<std::uint32_t>(state >> 5 & 3));
        }
    });
    const auto left = std::as_bytes(std::span(expected)), right = std::as_bytes(std::span(actual));
    const std::uint64_t bytes = left.size() + right.size();
    const auto compare = [&](ScalarType type, std::uint64_t width) {
        const std::int64_t shape[] = {8192, static_cast<std::int64_t>(left.size() / width / 8192)};
        const auto result = kw::verify::compare(left, right, type, shape, {1e-5, 1e-5});
        if (result.elements != left.size() / width) std::abort();
        return result.mismatches;
    };

    std::vector<float> copy(kElements);
    report("copy", best_seconds([&] {
               kw::parallel_for(left.size(), std::uint64_t{4} << 20, [&](std::uint64_t begin, std::uint64_t end) {
                   std::memcpy(reinterpret_cast<std::byte*>(copy.data()) + begin, left.data() + begin, end - begin);
               });
           }),
           bytes);
    report("compare f32", best_seconds([&] { compare(ScalarType::f32, 4); }), bytes);
    report("compare f64 (same bytes)", best_seconds([&] { compare(ScalarType::f64, 8); }), bytes);
    report("compare i32 equal", best_seconds([&] {
               const std::int64_t shape[] = {static_cast<std::int64_t>(kElements)};
               if (!kw::verify::compare(left, left, ScalarType::i32, shape, {}).ok()) std::abort();
           }),
           bytes);
    actual[kElements / 2] += 1;
    report("compare f32, one mismatch", best_seconds([&] {
               if (compare(ScalarType::f32, 4) != 1) std::abort();
           }),
           bytes);
}
