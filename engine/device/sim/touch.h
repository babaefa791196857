#pragma once

#include "engine/device/device.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Which bytes of some pieces of global memory launches read and write, and how much they do.
namespace kw::sim {

/// Of each byte, a set of these.
enum Touch : std::uint8_t {
    kRead = 1,
    kWritten = 2,
    kReadFirst = 4, ///< read before anything wrote it
};

struct TouchedRange {
    std::vector<std::uint8_t> bytes; ///< Touch bits
    std::optional<Where> first_read{}, first_write{};
};

struct Touched {
    std::vector<TouchedRange> ranges; ///< as asked for
    /// How often warps of each kernel ran each of its instructions, over all launches.
    std::map<std::string, std::vector<std::uint64_t>> executed;
    std::optional<device::Fault> fault{};
};

struct MemoryRange {
    device::Pointer begin = 0;
    std::uint64_t bytes = 0;
};

/// Runs `work`, which launches on `simulator`, with every access to `ranges`, which do not overlap, looked at: some ten
/// times slower. The simulator must have one thread, so that the order of accesses is one. Fails with
/// ErrorCode::internal for another kind of device.
[[nodiscard]] Result<Touched> touched(device::Device& simulator, std::span<const MemoryRange> ranges,
                                      const std::function<Result<device::LaunchOutcome>()>& work);

} // namespace kw::sim
