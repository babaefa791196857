#pragma once

#include "engine/base/json.h"
#include "engine/device/device.h"
#include "engine/pipeline/evaluate.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kw::worker {

/// Adds to the fault in a job's answer what its process printed about it: the place of a failed assert.
void add_printed_place(Json& answer, std::string_view printed);

/// Runs a job that ended in a GPU's fault of kind `told` once more, in processes of its own, for line, block and
/// thread: on the simulator for a few seconds, which mostly does; where it shows no such fault, and it is one that the
/// toolkit's compute-sanitizer knows, under that for up to twenty. Nothing where neither finds it. `command` starts the
/// process that runs kernels.
[[nodiscard]] std::optional<device::Fault> locate_fault(const std::vector<std::string>& command,
                                                        const std::string& toolkit, const Json& job,
                                                        device::FaultKind told, std::stop_token stop,
                                                        const pipeline::Progress& progress);

} // namespace kw::worker
