#pragma once

#include "engine/base/dynlib.h"
#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

/// The part of CUPTI that this program uses, opened at run time. Types and values are those of CUPTI's headers, whose
/// parameter blocks start with their size so that old and new versions understand each other. Checked against the
/// headers of 12.6 to 13.0 (tests/profile/test_cupti_layout.cpp); activity records are in activity_api.h.
namespace kw::cupti {

using CUptiResult = int;
using CUcontext = struct CUctx_st*;

enum : CUptiResult {
    kSuccess = 0,
    kOutOfMemory = 8,
    kHardwareBusy = 26,
    kNotSupported = 27,
    kVirtualizedDevice = 33,
    kInsufficientPrivileges = 35,
    kMultipleSubscribers = 39,
    kVirtualizedDevicePrivileges = 40,
    kConfidentialComputing = 41,
    kMigDevice = 43,
};

// Every block: `size` is the offset of the block's end as the headers compute it, `priv` stays null.

struct InitializeParams {
    std::size_t size = 16;
    void* priv = nullptr;
};

struct ChipNameParams {
    std::size_t size = 32;
    void* priv = nullptr;
    std::size_t device = 0;
    const char* chip = nullptr; ///< out
};

struct CounterAvailabilityParams {
    std::size_t size = 40;
    void* priv = nullptr;
    CUcontext context = nullptr;
    std::size_t image_size = 0; ///< in and out; out when `image` is null
    std::uint8_t* image = nullptr;
};

enum SupportLevel : int { kUnknown = 0, kUnsupported = 1, kDisabled = 2, kSupported = 3 };
enum ProfilerApi : int { kRangeProfiling = 0, kPcSampling = 1, kSassMetrics = 2, kPmSampling = 3 };

struct DeviceSupportedParams {
    std::size_t size = 52;
    void* priv = nullptr;
    int device = 0;                    ///< CUdevice
    SupportLevel supported = kUnknown; ///< out, as are the rest but `api`
    SupportLevel architecture = kUnknown;
    SupportLevel sli = kUnknown;
    SupportLevel vgpu = kUnknown;
    SupportLevel confidential_compute = kUnknown;
    SupportLevel cmp = kUnknown;
    SupportLevel wsl = kUnknown;
    ProfilerApi api = kRangeProfiling;
};

// Host side: metric names to configurations and back. Works without a GPU.

using HostObject = struct CUpti_Profiler_Host_Object*;
enum ProfilerType : int { kRangeProfiler = 0, kPmSampler = 1 };

struct HostInitializeParams {
    std::size_t size = 48;
    void* priv = nullptr;
    ProfilerType type = kRangeProfiler;
    const char* chip = nullptr;
    const std::uint8_t* availability = nullptr; ///< from the device; null: everything the chip can
    HostObject object = nullptr;                ///< out
};

struct HostObjectParams {
    std::size_t size = 24;
    void* priv = nullptr;
    HostObject object = nullptr;
};

struct HostMetricsParams {
    std::size_t size = 40;
    void* priv = nullptr;
    HostObject object = nullptr;
    const char** names = nullptr;
    std::size_t count = 0;
};

struct HostConfigSizeParams {
    std::size_t size = 32;
    void* priv = nullptr;
    HostObject object = nullptr;
    std::size_t image_size = 0; ///< out
};

struct HostConfigParams {
    std::size_t size = 40;
    void* priv = nullptr;
    HostObject object = nullptr;
    std::size_t image_size = 0;
    std::uint8_t* image = nullptr;
};

struct HostPassesParams {
    std::size_t size = 40;
    void* priv = nullptr;
    std::size_t image_size = 0;
    std::uint8_t* image = nullptr;
    std::size_t passes = 0; ///< out
};

struct HostEvaluateParams {
    std::size_t size = 72;
    void* priv = nullptr;
    HostObject object = nullptr;
    const std::uint8_t* image = nullptr;
    std::size_t image_size = 0;
    std::size_t range = 0;
    const char** names = nullptr;
    std::size_t count = 0;
    double* values = nullptr; ///< out, `count` of them
};

// Range Profiler.

using RangeProfiler = struct CUpti_RangeProfiler_Object*;
enum RangeMode : int { kAutoRange = 1, kUserRange = 2 };
enum ReplayMode : int { kApplicationReplay = 1, kKernelReplay = 2, kUserReplay = 3 };

struct RangeEnableParams {
    std::size_t size = 32;
    void* priv = nullptr;
    CUcontext context = nullptr;
    RangeProfiler profiler = nullptr; ///< out
};

struct RangeParams { ///< of disable and start
    std::size_t size = 24;
    void* priv = nullptr;
    RangeProfiler profiler = nullptr;
};

struct RangeConfigParams {
    std::size_t size = 90;
    void* priv = nullptr;
    RangeProfiler profiler = nullptr;
    std::size_t config_size = 0;
    const std::uint8_t* config = nullptr;
    std::size_t image_size = 0;
    std::uint8_t* image = nullptr;
    RangeMode range = kAutoRange;
    ReplayMode replay = kUserReplay;
    std::size_t max_ranges = 0;
    std::uint16_t nesting_levels = 1;
    std::uint16_t min_nesting_level = 1;
    std::size_t pass = 0;
    std::uint16_t target_nesting_level = 1;
};

struct RangeStopParams {
    std::size_t size = 41;
    void* priv = nullptr;
    RangeProfiler profiler = nullptr;
    std::size_t pass = 0; ///< out, as are the next two
    std::size_t target_nesting_level = 0;
    std::uint8_t all_passes_submitted = 0;
};

struct RangeDecodeParams {
    std::size_t size = 32;
    void* priv = nullptr;
    RangeProfiler profiler = nullptr;
    std::size_t dropped = 0; ///< out
};

struct RangeDataSizeParams {
    std::size_t size = 64;
    void* priv = nullptr;
    RangeProfiler profiler = nullptr;
    const char** names = nullptr;
    std::size_t count = 0;
    std::size_t max_ranges = 0;
    std::uint32_t max_tree_nodes = 0;
    std::size_t image_size = 0; ///< out
};

struct DataInitializeParams { ///< of the Range Profiler and of PM sampling
    std::size_t size = 40;
    void* priv = nullptr;
    void* profiler = nullptr;
    std::size_t image_size = 0;
    std::uint8_t* image = nullptr;
};

struct RangeDataInfoParams {
    std::size_t size = 40;
    void* priv = nullptr;
    const std::uint8_t* image = nullptr;
    std::size_t image_size = 0;
    std::size_t ranges = 0; ///< out
};

// PM sampling.

using PmSampler = struct CUpti_PmSampling_Object*;
enum TriggerMode : int { kSystemClock = 0, kTime = 1 };
enum DecodeStop : int { kOther = 0, kDataFull = 1, kAllRead = 2 };

struct PmEnableParams {
    std::size_t size = 32;
    void* priv = nullptr;
    std::size_t device = 0;
    PmSampler sampler = nullptr; ///< out
};

struct PmParams { ///< of disable, start and stop
    std::size_t size = 24;
    void* priv = nullptr;
    PmSampler sampler = nullptr;
};

struct PmConfigParams {
    std::size_t size = 64;
    void* priv = nullptr;
    PmSampler sampler = nullptr;
    std::size_t config_size = 0;
    const std::uint8_t* config = nullptr;
    std::size_t hardware_buffer_bytes = 0;
    std::uint64_t interval = 0; ///< ns or cycles, as `trigger` says
    TriggerMode trigger = kTime;
    int keep_latest = 0;
};

struct PmAvailabilityParams {
    std::size_t size = 40;
    void* priv = nullptr;
    std::size_t device = 0;
    std::size_t image_size = 0; ///< in and out; out when `image` is null
    std::uint8_t* image = nullptr;
};

struct PmDataSizeParams {
    std::size_t size = 56;
    void* priv = nullptr;
    PmSampler sampler = nullptr;
    const char** names = nullptr;
    std::size_t count = 0;
    std::uint32_t max_samples = 0;
    std::size_t image_size = 0; ///< out
};

struct PmDecodeParams {
    std::size_t size = 45;
    void* priv = nullptr;
    PmSampler sampler = nullptr;
    std::uint8_t* image = nullptr;
    std::size_t image_size = 0;
    DecodeStop stop = kOther;  ///< out
    std::uint8_t overflow = 0; ///< out
};

struct PmDataInfoParams {
    std::size_t size = 56;
    void* priv = nullptr;
    const std::uint8_t* image = nullptr;
    std::size_t image_size = 0;
    std::size_t total = 0; ///< out, as are the next two
    std::size_t populated = 0;
    std::size_t completed = 0;
};

struct PmSampleInfoParams {
    std::size_t size = 64;
    void* priv = nullptr;
    PmSampler sampler = nullptr;
    const std::uint8_t* image = nullptr;
    std::size_t image_size = 0;
    std::size_t sample = 0;
    std::uint64_t start_ns = 0; ///< out, on cuptiGetTimestamp's clock
    std::uint64_t end_ns = 0;   ///< out
};

// PC sampling.

struct PcStallReason {
    std::uint32_t reason = 0;
    std::uint32_t samples = 0;
};

struct PcData {
    std::size_t size = 64; ///< the headers' sizeof: packed to 8 bytes
    std::uint64_t cubin_crc = 0;
    std::uint64_t offset = 0;
    std::uint32_t function_index = 0;
    std::uint32_t pad = 0;
    char* function = nullptr;     ///< mangled
    std::size_t reason_count = 0; ///< in: room in `reasons`; out: filled
    PcStallReason* reasons = nullptr;
    std::uint32_t correlation = 0;
};

struct PcSamples {
    std::size_t size = 80;
    std::size_t room = 0; ///< entries of `data`
    std::uint64_t total_samples = 0;
    std::uint64_t dropped_samples = 0;
    std::size_t count = 0; ///< entries filled
    std::size_t remaining = 0;
    std::uint64_t range = 0;
    PcData* data = nullptr;
    std::uint64_t other_kernels_samples = 0;
    std::uint8_t hardware_buffer_full = 0;
};

struct PcAttribute {
    enum Type : int {
        kPeriod = 1,
        kScratchBytes = 3,
        kHardwareBytes = 4,
        kCollectionMode = 5,
        kStartStop = 6,
        kDataBuffer = 8,
        kWorkerSleep = 9
    };
    int type = 0;
    CUptiResult status = 0; ///< out
    union {
        std::uint64_t data[3];
        std::uint32_t number;
        std::size_t bytes;
        void* pointer;
    } value{};
};

struct PcConfigureParams {
    std::size_t size = 40;
    void* priv = nullptr;
    CUcontext context = nullptr;
    std::size_t count = 0;
    PcAttribute* attributes = nullptr;
};

struct PcParams { ///< of enable, disable, start and stop
    std::size_t size = 24;
    void* priv = nullptr;
    CUcontext context = nullptr;
};

struct PcGetDataParams {
    std::size_t size = 32;
    void* priv = nullptr;
    CUcontext context = nullptr;
    PcSamples* samples = nullptr;
};

struct PcReasonCountParams {
    std::size_t size = 32;
    void* priv = nullptr;
    CUcontext context = nullptr;
    std::size_t* count = nullptr;
};

struct PcReasonsParams {
    std::size_t size = 48;
    void* priv = nullptr;
    CUcontext context = nullptr;
    std::size_t count = 0;
    std::uint32_t* indices = nullptr; ///< out, `count` of them
    char** names = nullptr;           ///< out, each with room for kStallNameBytes
};
inline constexpr std::size_t kStallNameBytes = 128;

struct SourceOfPcParams {
    std::size_t size = 64;
    const void* cubin = nullptr;
    const char* function = nullptr;
    std::size_t cubin_size = 0;
    std::uint32_t line = 0; ///< out
    std::uint64_t offset = 0;
    char* file = nullptr; ///< out, to be freed with free(), as is the next
    char* folder = nullptr;
};

struct CuptiApi {
    DynamicLibrary library;
    std::filesystem::path path;
    std::string toolkit;       ///< "13.0", of the toolkit that this CUPTI came with
    std::uint32_t version = 0; ///< as cuptiGetVersion says

    CUptiResult (*cuptiGetVersion)(std::uint32_t*) = nullptr;
    CUptiResult (*cuptiGetResultString)(CUptiResult, const char**) = nullptr;
    CUptiResult (*cuptiGetTimestamp)(std::uint64_t*) = nullptr;

    /// The functions below are null in a CUPTI that is too old for them.
    CUptiResult (*cuptiProfilerInitialize)(InitializeParams*) = nullptr;
    CUptiResult (*cuptiProfilerDeviceSupported)(DeviceSupportedParams*) = nullptr;
    CUptiResult (*cuptiProfilerGetCounterAvailability)(CounterAvailabilityParams*) = nullptr;
    CUptiResult (*cuptiDeviceGetChipName)(ChipNameParams*) = nullptr;

    CUptiResult (*cuptiProfilerHostInitialize)(HostInitializeParams*) = nullptr;
    CUptiResult (*cuptiProfilerHostDeinitialize)(HostObjectParams*) = nullptr;
    CUptiResult (*cuptiProfilerHostConfigAddMetrics)(HostMetricsParams*) = nullptr;
    CUptiResult (*cuptiProfilerHostGetConfigImageSize)(HostConfigSizeParams*) = nullptr;
    CUptiResult (*cuptiProfilerHostGetConfigImage)(HostConfigParams*) = nullptr;
    CUptiResult (*cuptiProfilerHostGetNumOfPasses)(HostPassesParams*) = nullptr;
    CUptiResult (*cuptiProfilerHostEvaluateToGpuValues)(HostEvaluateParams*) = nullptr;

    CUptiResult (*cuptiRangeProfilerEnable)(RangeEnableParams*) = nullptr;
    CUptiResult (*cuptiRangeProfilerDisable)(RangeParams*) = nullptr;
    CUptiResult (*cuptiRangeProfilerSetConfig)(RangeConfigParams*) = nullptr;
    CUptiResult (*cuptiRangeProfilerStart)(RangeParams*) = nullptr;
    CUptiResult (*cuptiRangeProfilerStop)(RangeStopParams*) = nullptr;
    CUptiResult (*cuptiRangeProfilerDecodeData)(RangeDecodeParams*) = nullptr;
    CUptiResult (*cuptiRangeProfilerGetCounterDataSize)(RangeDataSizeParams*) = nullptr;
    CUptiResult (*cuptiRangeProfilerCounterDataImageInitialize)(DataInitializeParams*) = nullptr;
    CUptiResult (*cuptiRangeProfilerGetCounterDataInfo)(RangeDataInfoParams*) = nullptr;

    CUptiResult (*cuptiPmSamplingEnable)(PmEnableParams*) = nullptr;
    CUptiResult (*cuptiPmSamplingDisable)(PmParams*) = nullptr;
    CUptiResult (*cuptiPmSamplingSetConfig)(PmConfigParams*) = nullptr;
    CUptiResult (*cuptiPmSamplingStart)(PmParams*) = nullptr;
    CUptiResult (*cuptiPmSamplingStop)(PmParams*) = nullptr;
    CUptiResult (*cuptiPmSamplingDecodeData)(PmDecodeParams*) = nullptr;
    CUptiResult (*cuptiPmSamplingGetCounterAvailability)(PmAvailabilityParams*) = nullptr;
    CUptiResult (*cuptiPmSamplingGetCounterDataSize)(PmDataSizeParams*) = nullptr;
    CUptiResult (*cuptiPmSamplingCounterDataImageInitialize)(DataInitializeParams*) = nullptr;
    CUptiResult (*cuptiPmSamplingGetCounterDataInfo)(PmDataInfoParams*) = nullptr;
    CUptiResult (*cuptiPmSamplingCounterDataGetSampleInfo)(PmSampleInfoParams*) = nullptr;

    CUptiResult (*cuptiPCSamplingSetConfigurationAttribute)(PcConfigureParams*) = nullptr;
    CUptiResult (*cuptiPCSamplingEnable)(PcParams*) = nullptr;
    CUptiResult (*cuptiPCSamplingDisable)(PcParams*) = nullptr;
    CUptiResult (*cuptiPCSamplingStart)(PcParams*) = nullptr;
    CUptiResult (*cuptiPCSamplingStop)(PcParams*) = nullptr;
    CUptiResult (*cuptiPCSamplingGetData)(PcGetDataParams*) = nullptr;
    CUptiResult (*cuptiPCSamplingGetNumStallReasons)(PcReasonCountParams*) = nullptr;
    CUptiResult (*cuptiPCSamplingGetStallReasons)(PcReasonsParams*) = nullptr;
    CUptiResult (*cuptiGetSassToSourceCorrelation)(SourceOfPcParams*) = nullptr;

    [[nodiscard]] bool has_counters() const { return cuptiRangeProfilerEnable && cuptiProfilerHostInitialize; }
    [[nodiscard]] bool has_pm_sampling() const { return cuptiPmSamplingEnable && cuptiProfilerHostInitialize; }
    [[nodiscard]] bool has_pc_sampling() const { return cuptiPCSamplingEnable && cuptiPCSamplingStart; }
};

/// Opens libcupti in the toolkit's search order. One of 11.x or older is refused with a sentence.
[[nodiscard]] Result<CuptiApi> open_cupti(const std::string& toolkit_setting);

/// "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
[[nodiscard]] std::string error_name(const CuptiApi& api, CUptiResult result);

/// What `result` means to someone who wanted to profile, and what they can do. Both empty where CUPTI's own name says
/// all there is.
struct Refusal {
    std::string reason;
    std::string remedy;
};
[[nodiscard]] Refusal explain(const CuptiApi& api, CUptiResult result, std::string_view doing);

} // namespace kw::cupti
