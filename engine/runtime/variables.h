#pragma once

namespace kw::runtime {

/// Environment of a program on the simulator, set by `kw run`. Empty values count as absent.
constexpr const char* kModelVariable = "KW_RUN_MODEL";        ///< id of a GPU model
constexpr const char* kLimitVariable = "KW_RUN_INSTRUCTIONS"; ///< warp instructions of a launch before it is stopped
constexpr const char* kChecksVariable = "KW_RUN_CHECKS";      ///< what device::checks_from reads

} // namespace kw::runtime
