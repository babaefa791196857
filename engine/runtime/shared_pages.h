#pragma once

#include "engine/base/result.h"
#include "engine/device/sim/memory.h"

#include <cstdint>
#include <map>

namespace kw::runtime {

/// Memory that the program's host code and its kernels use through the same pointer: managed and pinned memory. A
/// device address of the simulator is not a host address; here pages of an allocation are put at both. The range of
/// device addresses is kept free of anything else in this process, so that host code which uses a pointer of cudaMalloc
/// meets an access violation, as it would with a GPU.
class SharedPages {
public:
    explicit SharedPages(sim::DeviceMemory& memory) : memory_(memory) {}

    /// Keeps the range free. Fails when something lies there already.
    [[nodiscard]] Result<void> reserve();
    /// Makes [address, address + bytes), an allocation of the memory, accessible to host code; contents are kept.
    [[nodiscard]] Result<void> share(std::uint64_t address, std::uint64_t bytes);
    /// To be called before the allocation is released.
    void unshare(std::uint64_t address);
    /// Whether the address is in the range of device addresses, allocated or not.
    [[nodiscard]] bool in_range(std::uint64_t address) const {
        return address >= sim::kGlobalBase && address - sim::kGlobalBase < bytes_;
    }

private:
    sim::DeviceMemory& memory_;
    std::uint64_t bytes_ = 0;
    std::map<std::uint64_t, std::uint64_t> shared_; ///< address → bytes, whole pages
};

} // namespace kw::runtime
