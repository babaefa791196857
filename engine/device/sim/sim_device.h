#pragma once

#include "engine/device/device.h"
#include "engine/device/sim/gpu_model.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace kw::sim {

class DeviceMemory;

struct SimOptions {
    std::uint32_t threads = 0;      ///< of the host; 0: one per core
    std::uint64_t memory_bytes = 0; ///< of the device; 0: what the model has, at most three quarters of the host's
    std::uint64_t most_instructions =
        4'000'000'000; ///< warp instructions of a launch, above which it counts as endless
    std::uint64_t most_warp_instructions = 500'000'000; ///< the same for one warp
    std::uint32_t stack_bytes = 64 * 1024;              ///< per thread, for functions that recurse
    std::uint64_t sampling_budget =
        750'000; ///< warp instructions that measure() spends on a launch before it samples the grid; 0: never sample
    device::Checks checks{}; ///< until Device::look_for says otherwise
};

/// A simulated GPU. Modules must be destroyed before it.
[[nodiscard]] Result<std::unique_ptr<device::Device>> open_simulator(const GpuModel& model,
                                                                     const SimOptions& options = {});

/// What runs whole programs needs beyond a Device. `simulator` and `module` are of open_simulator().
struct KernelFacts {
    struct Parameter {
        std::uint32_t offset = 0;
        std::uint32_t bytes = 0;
    };
    std::vector<Parameter> parameters{};
    std::uint32_t parameter_bytes = 0;
    std::uint32_t shared_bytes = 0; ///< static, per block
    std::uint32_t local_bytes = 0;  ///< per thread
    std::uint32_t registers = 0;    ///< per thread, 0 when unknown
    std::uint32_t max_threads = 1024;
};
struct VariableFacts {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
};
[[nodiscard]] DeviceMemory& memory_of(device::Device& simulator);
[[nodiscard]] Result<KernelFacts> kernel_facts(device::Module& module, std::string_view kernel);
/// Where a variable of the module lies; it gets its memory now if no kernel has used it before.
[[nodiscard]] Result<VariableFacts> variable_facts(device::Module& module, std::string_view variable);

} // namespace kw::sim
