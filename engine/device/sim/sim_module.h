#pragma once

#include "engine/device/device.h"
#include "engine/device/sim/exec/launch.h"
#include "engine/device/sim/memory.h"
#include "engine/device/sim/ptx_module.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace kw::sim {

/// A loaded PTX module. Variables get memory and kernels are decoded when they are first needed.
class SimModule final : public device::Module {
public:
    SimModule(ptx::Module module, DeviceMemory& memory, std::map<std::string, std::uint32_t, std::less<>> registers);
    ~SimModule() override;
    SimModule(const SimModule&) = delete;
    SimModule& operator=(const SimModule&) = delete;

    [[nodiscard]] Result<const BoundProgram*> kernel(std::string_view name, const device::Checks& checks = kNoChecks);
    /// Registers per thread from ptxas, 0 when unknown.
    [[nodiscard]] std::uint32_t registers(std::string_view name) const;
    /// Of a variable at module level; not_found when the module has none of that name.
    [[nodiscard]] Result<std::uint64_t> address_of(std::string_view variable);
    /// 0 when the module has none of that name.
    [[nodiscard]] std::uint64_t bytes_of(std::string_view variable) const;

private:
    [[nodiscard]] Result<void> initialize(const ptx::Variable& variable, std::uint64_t address);

    ptx::Module module_;
    DeviceMemory& memory_;
    std::map<std::string, std::uint32_t, std::less<>> registers_;
    std::map<std::string, std::uint64_t, std::less<>> addresses_;
    std::map<std::string, std::unique_ptr<BoundProgram>, std::less<>> kernels_; ///< by name and checks
};

} // namespace kw::sim
