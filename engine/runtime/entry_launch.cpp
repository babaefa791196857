// Launches, and what programs ask about kernels.
#include "engine/device/sim/occupancy.h"
#include "engine/runtime/call.h"

#include <algorithm>
#include <limits>

using namespace kw::runtime;
using kw::device::Dim3;

namespace {

constexpr int kMaxDynamicShared = 8;
constexpr int kCarveout = 9;

Status launch(const void* function, const kw::device::LaunchConfig& config, std::size_t shared, void** arguments,
              void* stream, const Site& site) {
    return call(Meets::nothing, [&](Runtime& runtime) {
        Kernel* kernel = runtime.find_kernel(function);
        if (!kernel) return Status::InvalidDeviceFunction;
        const auto queue = runtime.stream(stream);
        if (!queue) {
            runtime.explain("the launch", site, "its stream does not exist, or no longer");
            return Status::InvalidResourceHandle;
        }
        if (shared > std::numeric_limits<std::uint32_t>::max()) return Status::InvalidValue;
        auto whole = config;
        whole.dynamic_shared_bytes = static_cast<std::uint32_t>(shared);
        runtime.place_managed(*kernel->binary);
        return runtime.launch(*kernel, whole, arguments, *queue, site);
    });
}

Status blocks_per_sm(int* out, const void* function, int threads, std::size_t dynamic_shared) {
    return call(Meets::faults, [&](Runtime& runtime) {
        Kernel* kernel = runtime.find_kernel(function);
        if (!kernel) return Status::InvalidDeviceFunction;
        if (!out || threads <= 0) return Status::InvalidValue;
        const auto& facts = runtime.facts_of(*kernel);
        *out = 0;
        if (static_cast<std::uint32_t>(threads) <= facts.max_threads)
            *out = static_cast<int>(kw::sim::occupancy(runtime.model(), static_cast<std::uint32_t>(threads),
                                                       facts.registers,
                                                       facts.shared_bytes + static_cast<std::uint32_t>(dynamic_shared))
                                        .blocks_per_sm);
        return Status::Success;
    });
}

} // namespace

KW_API Status cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments, std::size_t shared,
                               void* stream) {
    return launch(function, {.grid = grid, .block = block}, shared, arguments, stream, call_site());
}
KW_API Status __cudaLaunchKernel(void* kernel, Dim3 grid, Dim3 block, void** arguments, std::size_t shared,
                                 void* stream) {
    return launch(kernel, {.grid = grid, .block = block}, shared, arguments, stream, call_site());
}
KW_API Status cudaLaunchCooperativeKernel(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                          std::size_t shared, void* stream) {
    return launch(function, {.grid = grid, .block = block, .cooperative = true}, shared, arguments, stream,
                  call_site());
}
KW_API Status cudaLaunchKernelExC(const LaunchConfiguration* config, const void* function, void** arguments) {
    const auto site = call_site();
    if (!config) return last_error() = Status::InvalidValue;
    kw::device::LaunchConfig wanted{.grid = config->grid, .block = config->block};
    for (unsigned index = 0; index < config->attribute_count; ++index) {
        const auto& attribute = config->attributes[index];
        if (attribute.id == kCooperativeAttribute)
            wanted.cooperative = attribute.value.number != 0;
        else if (attribute.id == kClusterAttribute)
            wanted.cluster = {attribute.value.cluster.x, attribute.value.cluster.y, attribute.value.cluster.z};
    }
    return launch(function, wanted, config->dynamic_shared_bytes, arguments, config->stream, site);
}

KW_API Status cudaFuncGetAttributes(FunctionAttributes* out, const void* function) {
    return call(Meets::faults, [&](Runtime& runtime) {
        Kernel* kernel = runtime.find_kernel(function);
        if (!kernel) return Status::InvalidDeviceFunction;
        if (!out) return Status::InvalidValue;
        const auto& facts = runtime.facts_of(*kernel);
        const int arch = std::atoi(runtime.model().arch.c_str() + 3);
        *out = {};
        out->shared_bytes = facts.shared_bytes;
        out->local_bytes = facts.local_bytes;
        const std::uint32_t by_registers =
            facts.registers == 0 ? 1024 : runtime.model().registers_per_sm / ((facts.registers + 7) / 8 * 8) / 32 * 32;
        out->max_threads = static_cast<int>(std::min({facts.max_threads, by_registers, 1024u}));
        out->registers = static_cast<int>(facts.registers);
        out->ptx_version = arch;
        out->binary_version = arch;
        out->max_dynamic_shared_bytes = kernel->max_dynamic_shared;
        out->preferred_shared_carveout = kernel->carveout;
        return Status::Success;
    });
}
KW_API Status cudaFuncSetAttribute(const void* function, int attribute, int value) {
    const auto site = call_site();
    return call(Meets::faults, [&](Runtime& runtime) {
        Kernel* kernel = runtime.find_kernel(function);
        if (!kernel) return Status::InvalidDeviceFunction;
        if (attribute == kCarveout) {
            if (value < -1 || value > 100) return Status::InvalidValue;
            kernel->carveout = value;
            return Status::Success;
        }
        if (attribute != kMaxDynamicShared)
            return attribute > 7 && attribute < 16 ? Status::Success : Status::InvalidValue;
        const auto most = static_cast<std::int64_t>(runtime.device().info().limits.max_shared_bytes_optin)
                          - runtime.facts_of(*kernel).shared_bytes;
        if (value < 0 || value > most) {
            runtime.explain("cudaFuncSetAttribute", site,
                            "a block of this kernel can have at most " + std::to_string(most)
                                + " bytes of dynamic shared memory on " + runtime.model().name);
            return Status::InvalidValue;
        }
        kernel->max_dynamic_shared = value;
        return Status::Success;
    });
}
KW_API Status cudaFuncSetCacheConfig(const void* function, int) {
    return call(Meets::faults, [&](Runtime& runtime) {
        return runtime.find_kernel(function) ? Status::Success : Status::InvalidDeviceFunction;
    });
}
KW_API Status cudaFuncSetSharedMemConfig(const void* function, int config) {
    return cudaFuncSetCacheConfig(function, config);
}
KW_API Status cudaFuncGetName(const char** out, const void* function) {
    return call(Meets::faults, [&](Runtime& runtime) {
        Kernel* kernel = runtime.find_kernel(function);
        if (!kernel) return Status::InvalidDeviceFunction;
        if (!out) return Status::InvalidValue;
        *out = kernel->name.c_str();
        return Status::Success;
    });
}

KW_API Status cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* out, const void* function, int threads,
                                                            std::size_t dynamic_shared) {
    return blocks_per_sm(out, function, threads, dynamic_shared);
}
KW_API Status cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* out, const void* function, int threads,
                                                                     std::size_t dynamic_shared, unsigned) {
    return blocks_per_sm(out, function, threads, dynamic_shared);
}
KW_API Status cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* out, const void* function, int blocks,
                                                        int threads) {
    return call(Meets::faults, [&](Runtime& runtime) {
        Kernel* kernel = runtime.find_kernel(function);
        if (!kernel) return Status::InvalidDeviceFunction;
        if (!out || blocks <= 0 || threads <= 0) return Status::InvalidValue;
        const auto& model = runtime.model();
        const std::uint32_t each = model.shared_per_sm / static_cast<std::uint32_t>(blocks) / 128 * 128;
        const std::uint32_t used = model.shared_reserved + runtime.facts_of(*kernel).shared_bytes;
        *out = std::min<std::size_t>(each > used ? each - used : 0, model.shared_per_block_optin);
        return Status::Success;
    });
}
