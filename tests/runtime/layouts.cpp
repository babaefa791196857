// The runtime's own declarations against the toolkit's: what differs does not compile.
#include "engine/runtime/status.h"
#include "engine/runtime/types.h"

#include <driver_types.h>
#include <vector_types.h>

#include <cstddef>

using namespace kw::runtime;

#define KW_STATUS(name, value, text)                                                                                   \
    static_assert(static_cast<int>(cudaError##name) == value, "an error code has another number");
#define cudaErrorSuccess cudaSuccess
#include "engine/runtime/status.inc"
#undef KW_STATUS

#if CUDART_VERSION >= 13000 || !defined(CUDART_VERSION)
#define KW_SAME(member)                                                                                                \
    static_assert(offsetof(DeviceProperties, member) == offsetof(cudaDeviceProp, member),                              \
                  "cudaDeviceProp is laid out otherwise: " #member)
static_assert(sizeof(DeviceProperties) == sizeof(cudaDeviceProp));
KW_SAME(luidDeviceNodeMask);
KW_SAME(totalGlobalMem);
KW_SAME(maxThreadsPerBlock);
KW_SAME(totalConstMem);
KW_SAME(multiProcessorCount);
KW_SAME(surfaceAlignment);
KW_SAME(asyncEngineCount);
KW_SAME(l2CacheSize);
KW_SAME(sharedMemPerMultiprocessor);
KW_SAME(cooperativeLaunch);
KW_SAME(sharedMemPerBlockOptin);
KW_SAME(maxBlocksPerMultiProcessor);
KW_SAME(reservedSharedMemPerBlock);
KW_SAME(clusterLaunch);
KW_SAME(hostNumaMultinodeIpcSupported);
#undef KW_SAME
#endif

static_assert(sizeof(Dim3) == sizeof(dim3) && alignof(Dim3) == alignof(dim3));
static_assert(sizeof(Extent) == sizeof(cudaExtent) && sizeof(PitchedPointer) == sizeof(cudaPitchedPtr));
static_assert(offsetof(PitchedPointer, pitch) == offsetof(cudaPitchedPtr, pitch));
static_assert(sizeof(Copy3D) == sizeof(cudaMemcpy3DParms) && offsetof(Copy3D, to) == offsetof(cudaMemcpy3DParms, dstPtr)
              && offsetof(Copy3D, extent) == offsetof(cudaMemcpy3DParms, extent)
              && offsetof(Copy3D, kind) == offsetof(cudaMemcpy3DParms, kind));
static_assert(sizeof(Location) == sizeof(cudaMemLocation));
static_assert(sizeof(FunctionAttributes) == sizeof(cudaFuncAttributes)
              && offsetof(FunctionAttributes, registers) == offsetof(cudaFuncAttributes, numRegs)
              && offsetof(FunctionAttributes, max_dynamic_shared_bytes)
                     == offsetof(cudaFuncAttributes, maxDynamicSharedSizeBytes));
static_assert(sizeof(PointerAttributes) == sizeof(cudaPointerAttributes)
              && offsetof(PointerAttributes, host_pointer) == offsetof(cudaPointerAttributes, hostPointer));
static_assert(sizeof(LaunchAttribute) == sizeof(cudaLaunchAttribute)
              && offsetof(LaunchAttribute, value) == offsetof(cudaLaunchAttribute, val));
static_assert(sizeof(LaunchConfiguration) == sizeof(cudaLaunchConfig_t)
              && offsetof(LaunchConfiguration, attributes) == offsetof(cudaLaunchConfig_t, attrs));
static_assert(kCooperativeAttribute == cudaLaunchAttributeCooperative
              && kClusterAttribute == cudaLaunchAttributeClusterDimension);
static_assert(static_cast<int>(CopyKind::any) == cudaMemcpyDefault
              && static_cast<int>(MemoryKind::managed) == cudaMemoryTypeManaged);
