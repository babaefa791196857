#include "engine/device/cuda/driver_api.h"

#include "engine/compile/toolkit.h"

#include <fmt/format.h>

namespace kw::cuda {
namespace {

constexpr int kOldestVersion = 12000;

/// Binds `pointer` to the first of the names that the library exports.
template<class Function>
bool bind(const DynamicLibrary& library, Function& pointer, const char* name, const char* older = nullptr) {
    pointer = library.symbol<Function>(name);
    if (!pointer && older) pointer = library.symbol<Function>(older);
    return pointer != nullptr;
}

/// The name of the first function that is missing, or null.
const char* bind_all(DriverApi& api) {
    const auto& lib = api.library;
#define KW_BIND(member, ...)                                                                                           \
    if (!bind(lib, api.member, __VA_ARGS__)) return #member
    KW_BIND(cuInit, "cuInit");
    KW_BIND(cuDriverGetVersion, "cuDriverGetVersion");
    KW_BIND(cuGetErrorName, "cuGetErrorName");
    KW_BIND(cuGetErrorString, "cuGetErrorString");
    KW_BIND(cuDeviceGetCount, "cuDeviceGetCount");
    KW_BIND(cuDeviceGet, "cuDeviceGet");
    KW_BIND(cuDeviceGetName, "cuDeviceGetName");
    KW_BIND(cuDeviceTotalMem, "cuDeviceTotalMem_v2");
    KW_BIND(cuDeviceGetAttribute, "cuDeviceGetAttribute");
    KW_BIND(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
    KW_BIND(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
    KW_BIND(cuCtxSetCurrent, "cuCtxSetCurrent");
    KW_BIND(cuModuleLoadData, "cuModuleLoadData");
    KW_BIND(cuModuleUnload, "cuModuleUnload");
    KW_BIND(cuModuleGetFunction, "cuModuleGetFunction");
    KW_BIND(cuFuncSetAttribute, "cuFuncSetAttribute");
    KW_BIND(cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    KW_BIND(cuMemGetInfo, "cuMemGetInfo_v2");
    KW_BIND(cuMemAlloc, "cuMemAlloc_v2");
    KW_BIND(cuMemFree, "cuMemFree_v2");
    KW_BIND(cuMemcpyHtoD, "cuMemcpyHtoD_v2");
    KW_BIND(cuMemcpyDtoH, "cuMemcpyDtoH_v2");
    KW_BIND(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2");
    KW_BIND(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2");
    KW_BIND(cuMemsetD8, "cuMemsetD8_v2");
    KW_BIND(cuMemsetD8Async, "cuMemsetD8Async");
    KW_BIND(cuMemHostAlloc, "cuMemHostAlloc");
    KW_BIND(cuMemFreeHost, "cuMemFreeHost");
    KW_BIND(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2");
    KW_BIND(cuLaunchKernelEx, "cuLaunchKernelEx");
    KW_BIND(cuStreamCreate, "cuStreamCreate");
    KW_BIND(cuStreamDestroy, "cuStreamDestroy_v2");
    KW_BIND(cuStreamQuery, "cuStreamQuery");
    KW_BIND(cuStreamSynchronize, "cuStreamSynchronize");
    KW_BIND(cuStreamBeginCapture, "cuStreamBeginCapture_v2");
    KW_BIND(cuStreamEndCapture, "cuStreamEndCapture");
    KW_BIND(cuGraphInstantiate, "cuGraphInstantiateWithFlags");
    KW_BIND(cuGraphLaunch, "cuGraphLaunch");
    KW_BIND(cuGraphExecDestroy, "cuGraphExecDestroy");
    KW_BIND(cuGraphDestroy, "cuGraphDestroy");
    KW_BIND(cuEventCreate, "cuEventCreate");
    KW_BIND(cuEventDestroy, "cuEventDestroy_v2");
    KW_BIND(cuEventRecord, "cuEventRecord");
    KW_BIND(cuEventSynchronize, "cuEventSynchronize");
    KW_BIND(cuEventElapsedTime, "cuEventElapsedTime_v2", "cuEventElapsedTime");
#undef KW_BIND
    return nullptr;
}

Result<DriverApi> open_driver() {
    auto found = compile::find_library(compile::cuda_query(), {});
    if (!found) {
        found.error().message =
            "there is no NVIDIA driver on this machine (libcuda.so.1); use --device sim, or install the driver";
        return std::unexpected(found.error());
    }
    DriverApi api;
    api.library = std::move(found->library);
    // Asked before the rest is bound: an old driver lacks functions, but its age is what the user can do something
    // about.
    int version = 0;
    if (const auto get = api.library.symbol<CUresult (*)(int*)>("cuDriverGetVersion");
        get && get(&version) == kSuccess && version < kOldestVersion)
        return too_old(version);
    if (const char* missing = bind_all(api))
        return fail(Stage::device, ErrorCode::unsupported,
                    fmt::format("the NVIDIA driver lacks {}; update it to one for CUDA 12 or newer", missing));
    if (auto started = start_driver(api); !started) return std::unexpected(started.error());
    return api;
}

} // namespace

Result<const DriverApi*> driver() {
    static const Result<DriverApi> api = open_driver();
    if (!api) return std::unexpected(api.error());
    return &*api;
}

std::unexpected<Error> too_old(int version) {
    return fail(Stage::device, ErrorCode::unsupported,
                fmt::format("the NVIDIA driver supports CUDA {}.{}; 12.0 or newer is needed: update the driver, or use "
                            "--device sim",
                            version / 1000, version % 1000 / 10));
}

Result<void> start_driver(const DriverApi& api) {
    int version = 0;
    if (api.cuDriverGetVersion(&version) == kSuccess && version < kOldestVersion) return too_old(version);
    const auto result = api.cuInit(0);
    if (result == kSuccess) return {};
    if (result == kNoDevice)
        return fail(Stage::device, ErrorCode::not_found, "the NVIDIA driver finds no GPU; use --device sim");
    const auto help = remedy(result);
    return fail(Stage::device, ErrorCode::device,
                fmt::format("the NVIDIA driver does not start: {}{}{}", error_text(api, result),
                            help.empty() ? "" : "; ", help));
}

std::string_view remedy(CUresult result) {
    switch (result) {
    case kStubLibrary: return "take the toolkit's stub folder out of the loader's path";
    case kDeviceUnavailable:
        return "another process has the GPU to itself (exclusive compute mode), or it needs a reset; nvidia-smi says "
               "which";
    case kDeviceNotLicensed: return "this virtual GPU has no licence";
    case kInvalidDevice: return "nvidia-smi lists the GPUs that there are";
    case kEccUncorrectable:
        return "the GPU's memory has failed; reset the GPU (nvidia-smi --gpu-reset) or restart the machine";
    case kNvlinkUncorrectable: return "a link between GPUs has failed; reset the GPUs or restart the machine";
    case kJitCompilerNotFound:
        return "the driver's libnvidia-ptxjitcompiler.so.1 is missing; install the whole driver, or pass it into the "
               "container";
    case kContained: return "the GPU has contained a hardware error; try again, and reset the GPU if it comes back";
    case kOperatingSystem: return "the operating system refused the driver something; dmesg may say what";
    case kNotPermitted: return "this user may not use the GPU; check the permissions of /dev/nvidia*";
    case kSystemNotReady:
        return "the system is not ready yet; on machines with NVSwitch the nvidia-fabricmanager service must run";
    case kSystemDriverMismatch:
        return "libcuda and the kernel module are of different versions; restart the machine or reload the module";
    case kCompatNotSupported:
        return "the compatibility libcuda does not support this GPU; take it out of the loader's path";
    case kUnknown:
        return "the GPU may have gone (dmesg shows an Xid then), or the nvidia-uvm module is missing; nvidia-smi says "
               "whether it is there";
    default: return {};
    }
}

std::string error_text(const DriverApi& api, CUresult result) {
    const char* name = nullptr;
    const char* text = nullptr;
    api.cuGetErrorName(result, &name);
    api.cuGetErrorString(result, &text);
    return fmt::format("{}: {}", name ? name : fmt::format("error {}", result), text ? text : "unknown");
}

std::string driver_version(const DriverApi& api) {
    int version = 0;
    api.cuDriverGetVersion(&version);
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

} // namespace kw::cuda
