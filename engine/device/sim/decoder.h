#pragma once

#include "engine/base/result.h"
#include "engine/device/sim/program.h"
#include "engine/device/sim/ptx_module.h"

#include <functional>
#include <string_view>

namespace kw::sim {

/// Where a loaded module's variables lie: the generic address of a .global or .const variable.
using AddressOf = std::function<std::optional<std::uint64_t>(std::string_view variable)>;

/// The address that stands for a function in memory; calls through it find the function again.
[[nodiscard]] std::uint64_t function_address(std::uint32_t module_function);

/// Decodes `kernel` and every function that it can reach. An instruction that is not supported fails with its
/// opcode, PTX line and source line; other kernels of the module are not looked at.
[[nodiscard]] Result<Program> decode(const ptx::Module& module, std::string_view kernel, const AddressOf& address_of);

} // namespace kw::sim
