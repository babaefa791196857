#pragma once

#include "engine/device/cuda/cuda_device.h"
#include "engine/profile/cupti/activity_api.h"
#include "engine/profile/cupti/ladder.h"
#include "engine/profile/profiler.h"

#include <memory>
#include <string>

namespace kw::cupti {

/// CUPTI with both its halves bound, kept for the life of the process: once it has been used, the driver calls into it.
struct Cupti {
    CuptiApi api;
    ActivityApi activity;
};
/// Opened once, whatever is asked for later.
[[nodiscard]] Result<const Cupti*> cupti(const std::string& toolkit_setting);

/// The profiler of a GPU. Without CUPTI it has a ladder too, on which everything is skipped. The device must outlive
/// it.
[[nodiscard]] std::unique_ptr<profile::Profiler> open_profiler(const cuda::CudaDevice& device,
                                                               const std::string& toolkit_setting);

/// The same over a given CUPTI, which must outlive it.
[[nodiscard]] std::unique_ptr<profile::Profiler> make_profiler(const Cupti& cupti, const Target& target,
                                                               const device::Info& info, const Privilege& privilege);

} // namespace kw::cupti
