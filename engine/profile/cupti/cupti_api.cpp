#include "engine/profile/cupti/cupti_api.h"

#include "engine/compile/toolkit.h"
#include "engine/profile/cupti/activity_api.h"

#include <fmt/format.h>

namespace kw::cupti {
namespace {

void bind_all(CuptiApi& api) {
#define KW_BIND(name) api.name = api.library.symbol<decltype(api.name)>(#name)
    KW_BIND(cuptiGetVersion);
    KW_BIND(cuptiGetResultString);
    KW_BIND(cuptiGetTimestamp);
    KW_BIND(cuptiProfilerInitialize);
    KW_BIND(cuptiProfilerDeviceSupported);
    KW_BIND(cuptiProfilerGetCounterAvailability);
    KW_BIND(cuptiDeviceGetChipName);
    KW_BIND(cuptiProfilerHostInitialize);
    KW_BIND(cuptiProfilerHostDeinitialize);
    KW_BIND(cuptiProfilerHostConfigAddMetrics);
    KW_BIND(cuptiProfilerHostGetConfigImageSize);
    KW_BIND(cuptiProfilerHostGetConfigImage);
    KW_BIND(cuptiProfilerHostGetNumOfPasses);
    KW_BIND(cuptiProfilerHostEvaluateToGpuValues);
    KW_BIND(cuptiRangeProfilerEnable);
    KW_BIND(cuptiRangeProfilerDisable);
    KW_BIND(cuptiRangeProfilerSetConfig);
    KW_BIND(cuptiRangeProfilerStart);
    KW_BIND(cuptiRangeProfilerStop);
    KW_BIND(cuptiRangeProfilerDecodeData);
    KW_BIND(cuptiRangeProfilerGetCounterDataSize);
    KW_BIND(cuptiRangeProfilerCounterDataImageInitialize);
    KW_BIND(cuptiRangeProfilerGetCounterDataInfo);
    KW_BIND(cuptiPmSamplingEnable);
    KW_BIND(cuptiPmSamplingDisable);
    KW_BIND(cuptiPmSamplingSetConfig);
    KW_BIND(cuptiPmSamplingStart);
    KW_BIND(cuptiPmSamplingStop);
    KW_BIND(cuptiPmSamplingDecodeData);
    KW_BIND(cuptiPmSamplingGetCounterAvailability);
    KW_BIND(cuptiPmSamplingGetCounterDataSize);
    KW_BIND(cuptiPmSamplingCounterDataImageInitialize);
    KW_BIND(cuptiPmSamplingGetCounterDataInfo);
    KW_BIND(cuptiPmSamplingCounterDataGetSampleInfo);
    KW_BIND(cuptiPCSamplingSetConfigurationAttribute);
    KW_BIND(cuptiPCSamplingEnable);
    KW_BIND(cuptiPCSamplingDisable);
    KW_BIND(cuptiPCSamplingStart);
    KW_BIND(cuptiPCSamplingStop);
    KW_BIND(cuptiPCSamplingGetData);
    KW_BIND(cuptiPCSamplingGetNumStallReasons);
    KW_BIND(cuptiPCSamplingGetStallReasons);
    KW_BIND(cuptiGetSassToSourceCorrelation);
#undef KW_BIND
}

} // namespace

Result<CuptiApi> open_cupti(const std::string& toolkit_setting) {
    auto found = compile::find_library(compile::cupti_query(), toolkit_setting);
    if (!found) {
        found.error().message = "there is no CUPTI (libcupti) on this machine; install the CUDA Toolkit, or the wheel "
                                "nvidia-cuda-cupti, and set CUDA_HOME to its folder";
        return std::unexpected(found.error());
    }
    CuptiApi api;
    api.library = std::move(found->library);
    api.path = std::move(found->path);
    bind_all(api);
    if (!api.cuptiGetVersion || api.cuptiGetVersion(&api.version) != kSuccess || api.version < kOldestActivityVersion)
        return fail(Stage::device, ErrorCode::unsupported,
                    fmt::format("{} is of a CUDA Toolkit older than 12.0; install a newer one", api.path.string()));
    api.toolkit = activity_version_text(api.version);
    return api;
}

std::string error_name(const CuptiApi& api, CUptiResult result) {
    const char* name = nullptr;
    if (api.cuptiGetResultString) api.cuptiGetResultString(result, &name);
    return name ? name : fmt::format("CUPTI error {}", result);
}

Refusal explain(const CuptiApi& api, CUptiResult result, std::string_view doing) {
    switch (result) {
    case kInsufficientPrivileges:
        return {"the driver keeps the hardware counters for administrators",
                "run as root or with CAP_SYS_ADMIN, or have the administrator load the nvidia module with "
                "NVreg_RestrictProfilingToAdminUsers=0"};
    case kVirtualizedDevicePrivileges:
    case kVirtualizedDevice:
        return {"this virtual GPU is not allowed to use the hardware counters",
                "have profiling enabled for the virtual machine's vGPU"};
    case kHardwareBusy:
        return {"something else holds the hardware counters, such as DCGM or another profiler",
                "stop it, or pause DCGM with `dcgmi profile --pause`"};
    case kMultipleSubscribers: return {"another tool in this process uses CUPTI", "run without it"};
    case kConfidentialComputing: return {"the GPU runs in confidential computing mode, which hides its counters", ""};
    case kMigDevice:
        return {"the GPU is divided (MIG), and this instance may not use the counters",
                "use a whole GPU, or an instance that owns all of one"};
    case kNotSupported: return {fmt::format("this GPU and driver do not support it ({})", doing), ""};
    default: return {fmt::format("{} failed: {}", doing, error_name(api, result)), ""};
    }
}

} // namespace kw::cupti
