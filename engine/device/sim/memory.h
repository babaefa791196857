#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kw::sim {

/// Device addresses. Each window is a range of generic addresses; shared and local addresses are offsets in theirs.
constexpr std::uint64_t kGlobalBase = 0x7000'0000'0000;
constexpr std::uint64_t kSharedWindow = 0x6f00'0000'0000;
constexpr std::uint64_t kLocalWindow = 0x6e00'0000'0000;
constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 24;
/// A block's own shared memory, then that of each block of its cluster.
constexpr std::uint64_t kClusterWindowBytes = 17 * kWindowBytes;

struct Allocation {
    std::uint64_t begin = 0; ///< device address
    std::uint64_t bytes = 0;
    std::string label;
    bool writable = true;
    bool assumed = false; ///< taken as written in whole, whatever the bits say

    [[nodiscard]] std::uint64_t end() const { return begin + bytes; }
};

/// Global memory: one reserved range of host addresses, of which allocations are made accessible. A device address is
/// the host address minus a constant. Between allocations lie unmapped pages. Not changed while kernels run.
class DeviceMemory {
public:
    static Result<DeviceMemory> reserve(std::uint64_t bytes);
    ~DeviceMemory();
    DeviceMemory(DeviceMemory&& other) noexcept;
    DeviceMemory& operator=(DeviceMemory&& other) noexcept;
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    /// Aligned to 256 bytes, at least one byte. Fresh memory reads as zero.
    [[nodiscard]] Result<std::uint64_t> allocate(std::uint64_t bytes, std::string_view label, bool writable = true);
    /// The same at addresses that no allocation has had, while there are any: whoever still uses what was released
    /// does not meet the device's own memory.
    [[nodiscard]] Result<std::uint64_t> allocate_apart(std::uint64_t bytes, std::string_view label,
                                                       bool writable = true);
    void release(std::uint64_t address);

    /// The allocation that holds `address`, or null.
    [[nodiscard]] const Allocation* find(std::uint64_t address) const;
    /// The allocation nearest to `address`, or null when there is none.
    [[nodiscard]] const Allocation* nearest(std::uint64_t address) const;
    /// Host memory of [address, address + bytes), or null when it does not lie within one allocation.
    [[nodiscard]] std::byte* host(std::uint64_t address, std::uint64_t bytes) const;
    /// What to add to a device address to get the host's.
    [[nodiscard]] std::int64_t delta() const { return delta_; }
    [[nodiscard]] std::uint64_t reserved() const { return reserved_; }

    // Which bytes were written, for who looks at reads. [address, address + bytes) must lie within one allocation.
    void mark_written(std::uint64_t address, std::uint64_t bytes) const;
    void forget_written(std::uint64_t address, std::uint64_t bytes) const;
    /// The same where assume_written() may have been told since.
    void poison(std::uint64_t address, std::uint64_t bytes);
    /// Kernels ran that were not looked at: whatever there is may have been written.
    void assume_written();
    /// Makes the bits say what assume_written() left to be said; before a launch that looks at them.
    void settle_written();
    /// A bit per byte, from kGlobalBase on.
    [[nodiscard]] std::uint64_t* written_bits() const { return written_; }

    [[nodiscard]] std::uint64_t used() const { return used_; }
    [[nodiscard]] std::uint64_t limit() const { return limit_; }
    /// One past the highest device address that is handed out.
    [[nodiscard]] std::uint64_t high_water() const { return kGlobalBase + high_; }

private:
    DeviceMemory() = default;
    /// Makes the bits of the first `end` bytes accessible.
    bool cover_written(std::uint64_t end);

    std::byte* base_ = nullptr;
    std::uint64_t* written_ = nullptr;
    std::uint64_t covered_ = 0; ///< bytes of it that are accessible
    std::uint64_t reserved_ = 0;
    std::uint64_t limit_ = 0;
    std::uint64_t used_ = 0;
    std::uint64_t high_ = 0;
    std::uint64_t highest_ = 0; ///< that high_ has been
    std::int64_t delta_ = 0;
    std::vector<Allocation> allocations_; ///< by address
    /// Offset → bytes of released ranges with their guard pages; none touches another or ends at high_.
    std::map<std::uint64_t, std::uint64_t> free_;
};

} // namespace kw::sim
