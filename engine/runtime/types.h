#pragma once

#include "engine/device/device.h"

#include <cstddef>
#include <cstdint>

/// Types of the runtime's interface as programs lay them out (driver_types.h of CUDA 13.0). They are declared here
/// because nothing of the toolkit is needed to build; tests/runtime holds them against its headers.
namespace kw::runtime {

enum class CopyKind : int { host_to_host = 0, host_to_device = 1, device_to_host = 2, device_to_device = 3, any = 4 };
enum class MemoryKind : int { unregistered = 0, host = 1, device = 2, managed = 3 };

using device::Dim3; // dim3

struct Extent {
    std::size_t width, height, depth;
};
struct Position3 {
    std::size_t x, y, z;
};
struct PitchedPointer {
    void* pointer;
    std::size_t pitch, width, height;
};
/// cudaMemcpy3DParms.
struct Copy3D {
    void* from_array;
    Position3 from_at;
    PitchedPointer from;
    void* to_array;
    Position3 to_at;
    PitchedPointer to;
    Extent extent;
    CopyKind kind;
};
/// cudaMemLocation.
struct Location {
    int type, id;
};

/// cudaFuncAttributes.
struct FunctionAttributes {
    std::size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared_bytes,
        preferred_shared_carveout;
    int cluster_must_be_set, cluster_width, cluster_height, cluster_depth, cluster_policy, non_portable_cluster;
    int reserved[16];
};

/// cudaPointerAttributes.
struct PointerAttributes {
    MemoryKind type;
    int device;
    void* device_pointer;
    void* host_pointer;
    long reserved[8];
};

/// cudaLaunchAttribute and cudaLaunchConfig_t.
struct LaunchAttribute {
    int id;
    std::byte pad[4];
    union {
        std::byte bytes[64];
        int number;
        struct {
            unsigned x, y, z;
        } cluster;
    } value;
};
constexpr int kCooperativeAttribute = 2;
constexpr int kClusterAttribute = 4;
struct LaunchConfiguration {
    Dim3 grid, block;
    std::size_t dynamic_shared_bytes;
    void* stream;
    LaunchAttribute* attributes;
    unsigned attribute_count;
};

/// cudaDeviceProp of CUDA 13.
struct DeviceProperties {
    char name[256];
    std::byte uuid[16];
    char luid[8];
    unsigned luidDeviceNodeMask;
    std::size_t totalGlobalMem;
    std::size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    std::size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    std::size_t totalConstMem;
    int major;
    int minor;
    std::size_t textureAlignment;
    std::size_t texturePitchAlignment;
    int multiProcessorCount;
    int integrated;
    int canMapHostMemory;
    int textures[39]; ///< sizes of textures and surfaces: there are none
    std::size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    std::size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    std::size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    std::size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    int sparseCudaArraySupported;
    int hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported;
    int memoryPoolsSupported;
    int gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported;
    int ipcEventSupported;
    int clusterLaunch;
    int unifiedFunctionPointers;
    int deviceNumaConfig;
    int deviceNumaId;
    int mpsEnabled;
    int hostNumaId;
    unsigned gpuPciDeviceID;
    unsigned gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported;
    int reserved[56];
};

} // namespace kw::runtime
