#pragma once

#include "engine/device/device.h"
#include "engine/pipeline/evaluate.h"

#include <cstddef>

/// What runs of a candidate are looked at for, where the device can.
namespace kw::pipeline {

/// What the candidate's run of check `index` of a verification is looked at for: what options.sanitize and
/// shuffle_schedule ask for; where it is empty, everything at the first check, which is of the first and smallest size
/// set, and later what is always found and what costs nothing. options_from_json has read the list.
[[nodiscard]] device::Checks checks_for(const Options& options, std::size_t index);

/// Looks for as long as it lives, then as the device does by itself.
class Looking {
public:
    Looking(device::Device& device, const device::Checks& checks) : device_(device) { device_.look_for(checks); }
    ~Looking() { device_.look_for({}); }
    Looking(const Looking&) = delete;
    Looking& operator=(const Looking&) = delete;

private:
    device::Device& device_;
};

} // namespace kw::pipeline
