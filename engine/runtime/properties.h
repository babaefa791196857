#pragma once

#include "engine/device/sim/gpu_model.h"
#include "engine/runtime/types.h"

#include <cstdint>
#include <optional>

namespace kw::runtime {

/// What cudaGetDeviceProperties says of a GPU by its data sheet. `memory_bytes` is what programs can have here.
[[nodiscard]] DeviceProperties properties_of(const sim::GpuModel& model, std::uint64_t memory_bytes);

/// A value of enum cudaDeviceAttr; none for numbers that mean nothing.
[[nodiscard]] std::optional<int> attribute_of(const sim::GpuModel& model, std::uint64_t memory_bytes, int attribute);

} // namespace kw::runtime
