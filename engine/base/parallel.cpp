#include "engine/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace kw {

unsigned worker_count() {
    // Streaming work is bound by memory long before this many threads.
    constexpr unsigned kMost = 32;
    return std::clamp(std::thread::hardware_concurrency(), 1u, kMost);
}

void parallel_for(std::uint64_t count, std::uint64_t grain,
                  const std::function<void(std::uint64_t, std::uint64_t)>& work) {
    grain = std::max<std::uint64_t>(grain, 1);
    const std::uint64_t pieces = count / grain + (count % grain != 0 ? 1 : 0);
    std::atomic<std::uint64_t> next{0};
    const auto drain = [&] {
        for (std::uint64_t piece = next.fetch_add(1); piece < pieces; piece = next.fetch_add(1)) {
            const std::uint64_t begin = piece * grain;
            work(begin, begin + std::min(grain, count - begin));
        }
    };
    std::vector<std::jthread> threads;
    const auto helpers = std::min<std::uint64_t>(worker_count(), pieces);
    try {
        for (std::uint64_t i = 1; i < helpers; ++i) threads.emplace_back(drain);
    } catch (const std::system_error&) {
        // No thread to be had: the calling one does what is left.
    }
    drain();
}

} // namespace kw
