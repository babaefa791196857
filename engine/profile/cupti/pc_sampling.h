#pragma once

#include "engine/profile/cupti/ladder.h"
#include "engine/profile/cupti/session.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kw::cupti {

/// Where the warps of one kernel were when they were looked at.
struct SampledKernel {
    std::string lowered;
    std::vector<profile::InstructionProfile> instructions; ///< by offset; values "samples" and "stall_<reason>"
};

struct PcSampled {
    std::vector<SampledKernel> kernels;
    std::uint64_t samples = 0;
    std::uint64_t dropped = 0; ///< by the hardware, for want of room
};

/// Runs the work for about `seconds`, at least once, and samples the program counters of all SMs.
[[nodiscard]] Climbed<PcSampled> sample_pcs(const CuptiApi& api, const Target& target, const profile::Workload& work,
                                            double seconds, bool flush_l2, std::stop_token stop);

/// Sums instructions up by source line, in order of file and line. Line 0 keeps what has no line.
[[nodiscard]] std::vector<profile::LineProfile> by_line(const std::vector<profile::InstructionProfile>& instructions);

/// The id of the metric for one of CUPTI's stall reasons: "stall_long_scoreboard" for
/// "smsp__pcsamp_warps_issue_stalled_long_scoreboard". Empty for the "_not_issued" twins, which count a part of the
/// same samples again.
[[nodiscard]] std::string stall_metric(std::string_view cupti_name);

} // namespace kw::cupti
