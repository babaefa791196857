#pragma once

#include <cstdint>
#include <functional>

namespace kw {

/// Calls `work(begin, end)` for pieces of [0, count) of `grain` each (the last may be shorter), on all cores and on the
/// calling thread, and returns when all are done. Pieces begin at multiples of `grain`; their order is unspecified.
/// `work` does not throw.
void parallel_for(std::uint64_t count, std::uint64_t grain,
                  const std::function<void(std::uint64_t, std::uint64_t)>& work);

/// How many threads parallel_for uses at most.
[[nodiscard]] unsigned worker_count();

} // namespace kw
