#include "engine/device/cuda/driver_api.h"

#include "engine/compile/toolkit.h"

#include <fmt/format.h>

namespace kw::cuda {
namespace {

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
    KW_BIND(cuMemGetInfo, "cuMemGetInfo_v2");
    KW_BIND(cuMemAlloc, "cuMemAlloc_v2");
    KW_BIND(cuMemFree, "cuMemFree_v2");
    KW_BIND(cuMemcpyHtoD, "cuMemcpyHtoD_v2");
    KW_BIND(cuMemcpyDtoH, "cuMemcpyDtoH_v2");
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
    int version = 0;
    if (const auto get = api.library.symbol<CUresult (*)(int*)>("cuDriverGetVersion");
        get && get(&version) == kSuccess && version < 12000)
        return fail(Stage::device, ErrorCode::unsupported,
                    fmt::format("the NVIDIA driver supports CUDA {}.{}; 12.0 or newer is needed: update the driver",
                                version / 1000, version % 1000 / 10));
    if (const char* missing = bind_all(api))
        return fail(Stage::device, ErrorCode::unsupported,
                    fmt::format("the NVIDIA driver lacks {}; update it to one for CUDA 12 or newer", missing));
    if (const auto result = api.cuInit(0); result != kSuccess)
        return fail(Stage::device, result == kNoDevice ? ErrorCode::not_found : ErrorCode::device,
                    result == kNoDevice ? "the NVIDIA driver finds no GPU; use --device sim"
                                        : fmt::format("the NVIDIA driver does not start: {}", error_text(api, result)));
    return api;
}

} // namespace

Result<const DriverApi*> driver() {
    static const Result<DriverApi> api = open_driver();
    if (!api) return std::unexpected(api.error());
    return &*api;
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
