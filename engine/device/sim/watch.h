#pragma once

#include "engine/device/device.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Who wrote a piece of memory, and where a value that is not finite arose.
namespace kw::sim {

/// A store or atomic that touched the watched bytes.
struct StoreSeen {
    std::size_t launch = 0; ///< since the watch began
    std::string kernel;
    device::Dim3 block{0, 0, 0}, thread{0, 0, 0};
    Where where{};
    bool atomic = false;
    bool whole_warp = false; ///< a matrix that a warp stores together; `thread` is its first
};

/// A thread of a launch, as StoreSeen names it.
struct TracedThread {
    std::size_t launch = 0;
    device::Dim3 block{0, 0, 0}, thread{0, 0, 0};
};

/// What a traced thread is looked at for.
enum class NonFinite { nan, infinity };

struct WatchOptions {
    device::Pointer begin = 0;
    std::uint64_t bytes = 0;
    std::optional<TracedThread> trace{};
    NonFinite looked_for = NonFinite::nan;
};

struct Watched {
    /// The last store of each thread, in the order of launches; at most kMostStores.
    std::vector<StoreSeen> stores;
    std::uint64_t more = 0;
    /// The traced thread's first instruction that made a NaN of operands that were none, read one from memory, or made
    /// an infinity of finite operands.
    std::optional<Where> origin{};
    std::string what{}; ///< that instruction, in words
    std::optional<device::Fault> fault{};
};

inline constexpr std::size_t kMostStores = 16;

/// Runs `work`, which launches on `simulator`, with every instruction looked at: some ten times slower. Fails with
/// ErrorCode::internal for another kind of device.
[[nodiscard]] Result<Watched> watch(device::Device& simulator, const WatchOptions& options,
                                    const std::function<Result<device::LaunchOutcome>()>& work);

} // namespace kw::sim
