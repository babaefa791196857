#pragma once

#include "engine/base/json.h"
#include "engine/device/device.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kw::worker {

/// Adds to the fault in a job's answer what its process printed about it: the place of a failed assert.
void add_printed_place(Json& answer, std::string_view printed);

/// Runs a faulting job once more, in a process of its own under the toolkit's compute-sanitizer, which tells line,
/// block and thread. Nothing where there is no such tool, where it does not end within half a minute or so, or finds
/// nothing. `command` starts the process that runs kernels.
[[nodiscard]] std::optional<device::Fault> locate_fault(std::vector<std::string> command, const Json& job,
                                                        const std::string& toolkit, std::stop_token stop);

} // namespace kw::worker
