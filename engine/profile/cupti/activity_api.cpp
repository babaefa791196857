#include "engine/profile/cupti/activity_api.h"

#include <fmt/format.h>

namespace kw::cupti {
namespace {

/// Since 13.0 versions spell the toolkit, as 130001 does; before, they counted up from 1.
constexpr std::uint32_t kFirstSpelledVersion = 120000;

/// The name of the first function that is missing, or null.
const char* bind_all(const DynamicLibrary& library, ActivityApi& api) {
#define KW_BIND(name)                                                                                                  \
    if (!(api.name = library.symbol<decltype(api.name)>(#name))) return #name
    KW_BIND(cuptiGetVersion);
    KW_BIND(cuptiGetResultString);
    KW_BIND(cuptiGetTimestamp);
    KW_BIND(cuptiActivityEnable);
    KW_BIND(cuptiActivityDisable);
    KW_BIND(cuptiActivityRegisterCallbacks);
    KW_BIND(cuptiActivityGetNextRecord);
    KW_BIND(cuptiActivityGetNumDroppedRecords);
    KW_BIND(cuptiActivityFlushAll);
    KW_BIND(cuptiGetCallbackName);
    KW_BIND(cuptiSetThreadIdType);
#undef KW_BIND
    return nullptr;
}

} // namespace

Result<ActivityApi> bind_activity(const DynamicLibrary& library) {
    ActivityApi api;
    if (const char* missing = bind_all(library, api))
        return fail(Stage::profile, ErrorCode::unsupported,
                    fmt::format("{} lacks {}; install the CUDA Toolkit 12.0 or newer and set CUDA_HOME to its folder",
                                library.path().string(), missing));
    std::uint32_t version = 0;
    if (api.cuptiGetVersion(&version) != kSuccess || version < kOldestActivityVersion)
        return fail(Stage::profile, ErrorCode::unsupported,
                    fmt::format("{} is of a CUDA Toolkit older than 12.0; install a newer one and set CUDA_HOME to its "
                                "folder",
                                library.path().string()));
    return api;
}

std::string activity_version_text(std::uint32_t version) {
    if (version < kFirstSpelledVersion) return "12";
    return fmt::format("{}.{}", version / 10000, version % 10000 / 100);
}

std::string activity_refusal(const ActivityApi& api, CUptiResult result) {
    switch (result) {
    case kMultipleSubscribers: return "another profiler in this process already uses CUPTI; run the program without it";
    case kInsufficientPrivileges:
    case kVirtualizedDevicePrivileges:
        return "the driver does not let this user trace the GPU; run as an administrator, or have the machine's "
               "administrator allow profiling";
    case kVirtualizedDevice: return "this virtual GPU does not allow tracing; have profiling enabled for it";
    case kConfidentialComputing: return "the GPU runs in confidential computing mode, which allows no tracing";
    case kNotCompatible:
        return "this libcupti does not fit the driver; install the toolkit that the driver supports, or update the "
               "driver";
    default: {
        const char* name = nullptr;
        api.cuptiGetResultString(result, &name);
        return fmt::format("CUPTI refused to collect activities: {}", name ? name : fmt::format("error {}", result));
    }
    }
}

} // namespace kw::cupti
