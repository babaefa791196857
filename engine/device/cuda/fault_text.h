#pragma once

#include "engine/device/device.h"

#include <optional>
#include <string_view>

/// What NVIDIA's software tells about a fault in words only. Files are named as the task names them.
namespace kw::cuda {

/// The first failed assert in what a process printed, which the driver words
///     FILE:LINE: FUNCTION: block: [1,0,0], thread: [44,0,0] Assertion `i < n` failed.
[[nodiscard]] std::optional<device::Fault> fault_from_assertion(std::string_view printed);

/// The first error in the report of compute-sanitizer's memcheck, as versions 2022 to 2025 word it; none where it found
/// nothing that a kernel did.
[[nodiscard]] std::optional<device::Fault> fault_from_memcheck(std::string_view report);

/// What the driver told, with what was found out about the same fault since.
[[nodiscard]] device::Fault refined(device::Fault told, device::Fault found);

} // namespace kw::cuda
