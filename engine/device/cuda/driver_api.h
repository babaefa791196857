#pragma once

#include "engine/base/dynlib.h"
#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

/// The part of the CUDA driver API that this program uses, opened at run time. Types and values are those of cuda.h;
/// its interface is binary-stable within the names bound here, which are the _v2 ones where there are two. Checked
/// against the headers of 12.x and 13.x.
namespace kw::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;

enum : CUresult {
    kSuccess = 0,
    kInvalidValue = 1,
    kOutOfMemory = 2,
    kNotInitialized = 3,
    kDeinitialized = 4,
    kStubLibrary = 34,
    kDeviceUnavailable = 46,
    kNoDevice = 100,
    kInvalidDevice = 101,
    kDeviceNotLicensed = 102,
    kInvalidImage = 200,
    kInvalidContext = 201,
    kNoBinaryForGpu = 209,
    kEccUncorrectable = 214,
    kInvalidPtx = 218,
    kNvlinkUncorrectable = 220,
    kJitCompilerNotFound = 221,
    kUnsupportedPtxVersion = 222,
    kContained = 226,
    kOperatingSystem = 304,
    kNotReady = 600,
    kIllegalAddress = 700,
    kLaunchOutOfResources = 701,
    kLaunchTimeout = 702,
    kContextDestroyed = 709,
    kAssert = 710,
    kHardwareStackError = 714,
    kIllegalInstruction = 715,
    kMisalignedAddress = 716,
    kInvalidAddressSpace = 717,
    kInvalidPc = 718,
    kLaunchFailed = 719,
    kCooperativeTooLarge = 720,
    kTensorMemoryLeak = 721,
    kNotPermitted = 800,
    kNotSupported = 801,
    kSystemNotReady = 802,
    kSystemDriverMismatch = 803,
    kCompatNotSupported = 804,
    kMpsClientTerminated = 810,
    kInvalidClusterSize = 912,
    kUnknown = 999,
};

enum DeviceAttribute : int {
    kMaxThreadsPerBlock = 1,
    kMaxBlockDimX = 2,
    kMaxGridDimX = 5,
    kMaxSharedPerBlock = 8,
    kClockRateKHz = 13,
    kMultiprocessorCount = 16,
    kComputeMode = 20,
    kL2CacheSize = 38,
    kMaxThreadsPerMultiprocessor = 39,
    kComputeCapabilityMajor = 75,
    kComputeCapabilityMinor = 76,
    kMaxSharedPerBlockOptin = 97,
};

inline constexpr int kFuncMaxDynamicShared = 8;
inline constexpr int kFuncNonPortableCluster = 14;
inline constexpr unsigned kHostAllocDeviceMap = 2;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr int kCaptureThreadLocal = 1;

struct LaunchAttribute {
    enum Id : int { kCooperative = 2, kClusterDimension = 4 };
    int id = 0;
    int pad = 0;
    union {
        char bytes[64];
        int cooperative;
        unsigned cluster[3];
    } value{};
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfig {
    unsigned grid_x, grid_y, grid_z;
    unsigned block_x, block_y, block_z;
    unsigned shared_bytes;
    CUstream stream;
    LaunchAttribute* attributes;
    unsigned attribute_count;
};

struct DriverApi {
    DynamicLibrary library;

    CUresult (*cuInit)(unsigned) = nullptr;
    CUresult (*cuDriverGetVersion)(int*) = nullptr;
    CUresult (*cuGetErrorName)(CUresult, const char**) = nullptr;
    CUresult (*cuGetErrorString)(CUresult, const char**) = nullptr;
    CUresult (*cuDeviceGetCount)(int*) = nullptr;
    CUresult (*cuDeviceGet)(CUdevice*, int) = nullptr;
    CUresult (*cuDeviceGetName)(char*, int, CUdevice) = nullptr;
    CUresult (*cuDeviceTotalMem)(std::size_t*, CUdevice) = nullptr;
    CUresult (*cuDeviceGetAttribute)(int*, int, CUdevice) = nullptr;
    CUresult (*cuDevicePrimaryCtxRetain)(CUcontext*, CUdevice) = nullptr;
    CUresult (*cuDevicePrimaryCtxRelease)(CUdevice) = nullptr;
    CUresult (*cuCtxSetCurrent)(CUcontext) = nullptr;
    CUresult (*cuModuleLoadData)(CUmodule*, const void*) = nullptr;
    CUresult (*cuModuleUnload)(CUmodule) = nullptr;
    CUresult (*cuModuleGetFunction)(CUfunction*, CUmodule, const char*) = nullptr;
    CUresult (*cuFuncSetAttribute)(CUfunction, int, int) = nullptr;
    CUresult (*cuOccupancyMaxActiveBlocksPerMultiprocessor)(int*, CUfunction, int, std::size_t) = nullptr;
    CUresult (*cuMemGetInfo)(std::size_t*, std::size_t*) = nullptr;
    CUresult (*cuMemAlloc)(CUdeviceptr*, std::size_t) = nullptr;
    CUresult (*cuMemFree)(CUdeviceptr) = nullptr;
    CUresult (*cuMemcpyHtoD)(CUdeviceptr, const void*, std::size_t) = nullptr;
    CUresult (*cuMemcpyDtoH)(void*, CUdeviceptr, std::size_t) = nullptr;
    CUresult (*cuMemcpyHtoDAsync)(CUdeviceptr, const void*, std::size_t, CUstream) = nullptr;
    CUresult (*cuMemcpyDtoHAsync)(void*, CUdeviceptr, std::size_t, CUstream) = nullptr;
    CUresult (*cuMemsetD8)(CUdeviceptr, unsigned char, std::size_t) = nullptr;
    CUresult (*cuMemsetD8Async)(CUdeviceptr, unsigned char, std::size_t, CUstream) = nullptr;
    CUresult (*cuMemHostAlloc)(void**, std::size_t, unsigned) = nullptr;
    CUresult (*cuMemFreeHost)(void*) = nullptr;
    CUresult (*cuMemHostGetDevicePointer)(CUdeviceptr*, void*, unsigned) = nullptr;
    CUresult (*cuLaunchKernelEx)(const LaunchConfig*, CUfunction, void**, void**) = nullptr;
    CUresult (*cuStreamCreate)(CUstream*, unsigned) = nullptr;
    CUresult (*cuStreamDestroy)(CUstream) = nullptr;
    CUresult (*cuStreamQuery)(CUstream) = nullptr;
    CUresult (*cuStreamSynchronize)(CUstream) = nullptr;
    CUresult (*cuStreamBeginCapture)(CUstream, int) = nullptr;
    CUresult (*cuStreamEndCapture)(CUstream, CUgraph*) = nullptr;
    CUresult (*cuGraphInstantiate)(CUgraphExec*, CUgraph, unsigned long long) = nullptr;
    CUresult (*cuGraphLaunch)(CUgraphExec, CUstream) = nullptr;
    CUresult (*cuGraphExecDestroy)(CUgraphExec) = nullptr;
    CUresult (*cuGraphDestroy)(CUgraph) = nullptr;
    CUresult (*cuEventCreate)(CUevent*, unsigned) = nullptr;
    CUresult (*cuEventDestroy)(CUevent) = nullptr;
    CUresult (*cuEventRecord)(CUevent, CUstream) = nullptr;
    CUresult (*cuEventSynchronize)(CUevent) = nullptr;
    CUresult (*cuEventElapsedTime)(float*, CUevent, CUevent) = nullptr;
};

/// Opens libcuda and initialises it; the result is kept for the life of the process. Fails with one sentence where
/// there is no driver, no GPU, or a driver older than CUDA 12.
[[nodiscard]] Result<const DriverApi*> driver();

/// What driver() does once the functions are there: the driver's age, then cuInit.
[[nodiscard]] Result<void> start_driver(const DriverApi& api);

/// The error for a driver that knows no CUDA 12; `version` as cuDriverGetVersion gives it.
[[nodiscard]] std::unexpected<Error> too_old(int version);

/// "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
[[nodiscard]] std::string error_text(const DriverApi& api, CUresult result);

/// What to do about an error that is nobody's kernel's: one clause, empty where nothing is known to help.
[[nodiscard]] std::string_view remedy(CUresult result);

/// "12.4"
[[nodiscard]] std::string driver_version(const DriverApi& api);

} // namespace kw::cuda
