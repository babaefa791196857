#pragma once

#include "engine/profile/cupti/cupti_api.h"
#include "engine/profile/report.h"

#include <filesystem>
#include <string>
#include <vector>

namespace kw::cupti {

/// The GPU that is profiled.
struct Target {
    CUcontext context = nullptr; ///< current on the calling thread
    int device = 0;              ///< CUdevice, which is also CUPTI's index
};

/// Who may read hardware counters here, by the driver's own files.
struct Privilege {
    bool admin_only = false; ///< the driver gives counters to administrators only (RmProfilingAdminOnly)
    bool admin = false;      ///< this process has CAP_SYS_ADMIN
};
/// `proc` is /proc but in tests. What cannot be read counts as allowed; the driver has the last word.
[[nodiscard]] Privilege read_privilege(const std::filesystem::path& proc = "/proc");

/// The ladder where there is no CUPTI: every rung skipped, for that reason.
[[nodiscard]] std::vector<profile::RungState> no_ladder(const Error& error);

/// What would be refused on this GPU, asked of the driver without running anything.
[[nodiscard]] std::vector<profile::RungState> probe_ladder(const CuptiApi& api, const Target& target,
                                                           const Privilege& privilege);

/// "GH100"; what CUPTI calls the chip.
[[nodiscard]] Result<std::string> chip_name(const CuptiApi& api, int device);

} // namespace kw::cupti
