#include "engine/runtime/properties.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace kw::runtime {
namespace {

/// CUDA C++ Programming Guide, technical specifications per compute capability.
constexpr std::size_t kConstantBytes = 65536;
constexpr int kMostAttribute = 147;

int kilohertz(double megahertz) { return static_cast<int>(megahertz * 1e3); }

} // namespace

DeviceProperties properties_of(const sim::GpuModel& model, std::uint64_t memory_bytes) {
    DeviceProperties out{};
    const auto name = model.name + " (simulated)";
    std::strncpy(out.name, name.c_str(), sizeof out.name - 1);
    std::memcpy(out.uuid, model.id.data(), std::min(sizeof out.uuid, model.id.size()));
    const int arch = std::atoi(model.arch.c_str() + 3); // of "sm_90"
    out.major = arch / 10;
    out.minor = arch % 10;
    out.totalGlobalMem = memory_bytes;
    out.sharedMemPerBlock = model.shared_per_block;
    out.sharedMemPerBlockOptin = model.shared_per_block_optin;
    out.sharedMemPerMultiprocessor = model.shared_per_sm;
    out.reservedSharedMemPerBlock = model.shared_reserved;
    out.regsPerBlock = static_cast<int>(model.registers_per_sm);
    out.regsPerMultiprocessor = static_cast<int>(model.registers_per_sm);
    out.warpSize = 32;
    out.memPitch = 2147483647;
    const device::Limits limits;
    out.maxThreadsPerBlock = static_cast<int>(limits.max_threads_per_block);
    out.maxThreadsDim[0] = static_cast<int>(limits.max_block.x);
    out.maxThreadsDim[1] = static_cast<int>(limits.max_block.y);
    out.maxThreadsDim[2] = static_cast<int>(limits.max_block.z);
    out.maxGridSize[0] = static_cast<int>(limits.max_grid.x);
    out.maxGridSize[1] = static_cast<int>(limits.max_grid.y);
    out.maxGridSize[2] = static_cast<int>(limits.max_grid.z);
    out.totalConstMem = kConstantBytes;
    out.textureAlignment = 512;
    out.texturePitchAlignment = 32;
    out.surfaceAlignment = 512;
    out.multiProcessorCount = static_cast<int>(model.sm_count);
    out.maxThreadsPerMultiProcessor = static_cast<int>(model.threads_per_sm);
    out.maxBlocksPerMultiProcessor = static_cast<int>(model.blocks_per_sm);
    out.l2CacheSize = static_cast<int>(model.l2_mb * 1024 * 1024);
    out.canMapHostMemory = 1;
    out.concurrentKernels = 1;
    out.asyncEngineCount = 2;
    out.unifiedAddressing = 1;
    out.streamPrioritiesSupported = 1;
    out.globalL1CacheSupported = 1;
    out.localL1CacheSupported = 1;
    out.managedMemory = 1;
    out.concurrentManagedAccess = 1;
    out.computePreemptionSupported = 1;
    out.cooperativeLaunch = 1;
    out.hostRegisterSupported = 1;
    out.clusterLaunch = arch >= 90 ? 1 : 0;
    out.unifiedFunctionPointers = 1;
    out.deviceNumaId = -1;
    out.hostNumaId = -1;
    return out;
}

std::optional<int> attribute_of(const sim::GpuModel& model, std::uint64_t memory_bytes, int attribute) {
    const auto all = properties_of(model, memory_bytes);
    switch (attribute) { // the numbers are those of enum cudaDeviceAttr
    case 1: return all.maxThreadsPerBlock;
    case 2:
    case 3:
    case 4: return all.maxThreadsDim[attribute - 2];
    case 5:
    case 6:
    case 7: return all.maxGridSize[attribute - 5];
    case 8: return static_cast<int>(all.sharedMemPerBlock);
    case 9: return static_cast<int>(all.totalConstMem);
    case 10: return all.warpSize;
    case 11: return static_cast<int>(all.memPitch);
    case 12: return all.regsPerBlock;
    case 13: return kilohertz(model.clock_mhz);
    case 14: return static_cast<int>(all.textureAlignment);
    case 15: return 1;
    case 16: return all.multiProcessorCount;
    case 19: return all.canMapHostMemory;
    case 30: return static_cast<int>(all.surfaceAlignment);
    case 31: return all.concurrentKernels;
    case 38: return all.l2CacheSize;
    case 39: return all.maxThreadsPerMultiProcessor;
    case 40: return all.asyncEngineCount;
    case 41: return all.unifiedAddressing;
    case 51: return static_cast<int>(all.texturePitchAlignment);
    case 75: return all.major;
    case 76: return all.minor;
    case 78: return all.streamPrioritiesSupported;
    case 79: return all.globalL1CacheSupported;
    case 80: return all.localL1CacheSupported;
    case 81: return static_cast<int>(all.sharedMemPerMultiprocessor);
    case 82: return all.regsPerMultiprocessor;
    case 83: return all.managedMemory;
    case 87: return static_cast<int>(model.fp32_lanes / model.fp64_lanes);
    case 89: return all.concurrentManagedAccess;
    case 90: return all.computePreemptionSupported;
    case 95: return all.cooperativeLaunch;
    case 97: return static_cast<int>(all.sharedMemPerBlockOptin);
    case 99: return all.hostRegisterSupported;
    case 106: return all.maxBlocksPerMultiProcessor;
    case 111: return static_cast<int>(all.reservedSharedMemPerBlock);
    case 120: return all.clusterLaunch;
    case 130: return 0;
    case 131: return all.deviceNumaId;
    case 134: return all.hostNumaId;
    default: return attribute > 0 && attribute <= kMostAttribute ? std::optional<int>{0} : std::nullopt;
    }
}

} // namespace kw::runtime
