#pragma once

#include "engine/profile/report.h"

#include <cstddef>
#include <string>
#include <vector>

/// What limits a launch, as far as its metrics bear it out. Every sentence names the metrics that it rests on.
namespace kw::profile {

struct Finding {
    enum class Kind {
        bound,     ///< a unit is near its peak: only less work for it helps
        waiting,   ///< no unit is near its peak: warps wait
        stall,     ///< for what they wait
        occupancy, ///< too few warps to hide the waiting
        grid,      ///< too few or unevenly many blocks
        memory,    ///< bytes moved that are not needed, or turns that one access takes
        divergence ///< lanes that do not take part
    } kind = Kind::bound;
    std::string text;                 ///< one or two sentences
    std::vector<std::string> metrics; ///< ids
};
[[nodiscard]] std::string_view to_string(Finding::Kind kind);
[[nodiscard]] Json to_json(const Finding& finding);

/// Thresholds of findings(). A share of peak of 60 % and 80 % as Nsight Compute's guide to its speed-of-light section
/// has them; the others are where an effect costs about a tenth of a kernel's time.
inline constexpr double kNearPeak = 80;     ///< % of peak: the unit bounds the kernel
inline constexpr double kFarFromPeak = 60;  ///< % of peak: below it no unit does
inline constexpr double kStallShare = 30;   ///< % of the cycles between a warp's instructions that one reason takes
inline constexpr double kFewWarps = 50;     ///< % of the warps that an SM holds
inline constexpr double kUnevenWarps = 15;  ///< points between theoretical and achieved occupancy
inline constexpr double kUnusedTail = 20;   ///< % of the last wave's share that stays idle
inline constexpr double kUsedOfSector = 24; ///< bytes of a sector's 32
inline constexpr double kSectorsPerRequest = 17; ///< more than 32 lanes of 16 bytes need
inline constexpr double kConflictShare = 20;     ///< % of shared memory's wavefronts
inline constexpr double kActiveLanes = 26;       ///< lanes of 32

/// The most important first; empty where nothing is known, or nothing stands out.
[[nodiscard]] std::vector<Finding> findings(const Report& report, std::size_t launch);

} // namespace kw::profile
