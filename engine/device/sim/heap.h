#pragma once

#include <cstdint>
#include <map>
#include <mutex>

namespace kw::sim {

/// malloc and free of device code, within one range of global memory. Any thread may call; what is allocated stays so
/// from launch to launch.
class DeviceHeap {
public:
    DeviceHeap(std::uint64_t begin, std::uint64_t bytes) : free_{{begin, bytes}} {}

    /// Aligned to 16 bytes; 0 when there is no room, as in CUDA.
    [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes);
    /// False when `address` is not one that allocate() gave and that still lives; 0 is let be.
    [[nodiscard]] bool release(std::uint64_t address);

private:
    std::mutex mutex_;
    std::map<std::uint64_t, std::uint64_t> free_; ///< address → bytes
    std::map<std::uint64_t, std::uint64_t> used_;
};

} // namespace kw::sim
