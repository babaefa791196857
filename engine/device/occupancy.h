#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// How many blocks of a kernel a multiprocessor holds at once, as cuOccupancyMaxActiveBlocksPerMultiprocessor counts
/// them: CUDA C++ Programming Guide, "Multiprocessor Level", and the CUDA Occupancy Calculator.
namespace kw::device {

/// What one multiprocessor holds and how it gives it away. All zero: unknown.
struct SmLimits {
    int capability = 0; ///< 90 for 9.0
    std::uint32_t warps = 0;
    std::uint32_t blocks = 0;
    std::uint32_t shared_bytes = 0;
    std::uint32_t registers = 65536;
    std::uint32_t registers_per_thread = 255;
    std::uint32_t threads_per_block = 1024;
    std::uint32_t shared_per_block = 49152; ///< bytes, after opting in
    std::uint32_t shared_reserved = 0;      ///< bytes that the system takes of each block's
    std::uint32_t shared_unit = 256;        ///< bytes; a block's is rounded up to it
    std::uint32_t register_unit = 256;      ///< registers; a warp's are rounded up to it
    std::uint32_t register_shares = 4;      ///< equal parts of the registers; a warp's come out of one of them
    bool operator==(const SmLimits&) const = default;
};

/// By compute capability, CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability". One that
/// is not in it gives the limits of the newest below it; older than 5.0 gives zeros.
[[nodiscard]] SmLimits sm_limits(int capability);
/// 90 of "sm_90" and "sm_90a"; nothing when it is no such name.
[[nodiscard]] std::optional<int> capability_of(std::string_view arch);

enum class Limiter { blocks, warps, registers, shared_memory };
inline constexpr Limiter kLimiters[] = {Limiter::blocks, Limiter::warps, Limiter::registers, Limiter::shared_memory};
[[nodiscard]] std::string_view to_string(Limiter limiter);

struct Occupancy {
    std::uint32_t blocks_per_sm = 0;
    std::uint32_t warps_per_sm = 0;
    double fraction = 0; ///< warps_per_sm of the most that the multiprocessor holds
    /// The first of kLimiters that allows no more.
    Limiter limiter = Limiter::blocks;
    /// Blocks that each of kLimiters would allow by itself; UINT32_MAX where it sets no limit.
    std::array<std::uint32_t, std::size(kLimiters)> allowed{};
    [[nodiscard]] std::uint32_t allowed_by(Limiter of) const { return allowed[static_cast<std::size_t>(of)]; }
};

/// `threads` per block; `registers` per thread, 0: unknown, which limits nothing; `shared` bytes per block, static and
/// dynamic. What a launch would be refused for gives no blocks.
[[nodiscard]] Occupancy occupancy(const SmLimits& limits, std::uint32_t threads, std::uint32_t registers,
                                  std::uint32_t shared);

/// Occupancy where one of the three varies and the others stay, as the calculator draws it.
struct OccupancyCurve {
    std::vector<std::uint32_t> at;
    std::vector<double> fraction;
};
/// 32, 64, … threads per block.
[[nodiscard]] OccupancyCurve occupancy_by_block(const SmLimits& limits, std::uint32_t registers, std::uint32_t shared);
/// 1, 2, … registers per thread.
[[nodiscard]] OccupancyCurve occupancy_by_registers(const SmLimits& limits, std::uint32_t threads,
                                                    std::uint32_t shared);
/// 0, 512, … bytes per block.
[[nodiscard]] OccupancyCurve occupancy_by_shared(const SmLimits& limits, std::uint32_t threads,
                                                 std::uint32_t registers);

} // namespace kw::device
