#pragma once

#include "engine/profile/cupti/cupti_api.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

/// A CUPTI that does what its script says: every function can be refused, and data is what the script holds.
namespace fake {

namespace cupti = kw::cupti;

struct Pc {
    std::string function;
    std::uint64_t offset = 0;
    std::vector<cupti::PcStallReason> reasons;
};

struct Script {
    std::map<std::string, cupti::CUptiResult> refuse; ///< by function
    std::vector<std::string> refused_names;           ///< metric names that the chip does not have
    cupti::DeviceSupportedParams supported;           ///< what cuptiProfilerDeviceSupported fills in
    std::size_t passes = 3;
    std::vector<std::vector<double>> ranges; ///< values by range, in the order of the names
    std::vector<std::string> reasons{"smsp__pcsamp_warps_issue_stalled_long_scoreboard",
                                     "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued",
                                     "smsp__pcsamp_warps_issue_stalled_barrier"};
    std::vector<std::vector<Pc>> pcs; ///< what each call of cuptiPCSamplingGetData gives
    std::vector<std::size_t> samples; ///< completed samples that each decode gives
    bool overflow = false;

    // What was done.
    int range_enabled = 0, pm_enabled = 0, pc_enabled = 0, hosts = 0;
    std::size_t passes_run = 0, decodes = 0, pc_calls = 0;
    std::size_t pm_samples = 0; ///< in the image
    std::size_t pm_first = 0;   ///< index of the first of them
    std::size_t metrics = 0;
    std::vector<std::string> calls;
};
inline Script script;

inline cupti::CUptiResult does(const char* function) {
    script.calls.emplace_back(function);
    const auto refused = script.refuse.find(function);
    return refused == script.refuse.end() ? cupti::kSuccess : refused->second;
}

#define KW_FAKE(name, Params, ...)                                                                                     \
    api.name = [](Params* p) -> cupti::CUptiResult {                                                                   \
        static_cast<void>(p);                                                                                          \
        if (const auto result = does(#name); result != cupti::kSuccess) return result;                                 \
        __VA_ARGS__;                                                                                                   \
        return cupti::kSuccess;                                                                                        \
    }

inline cupti::CuptiApi make() {
    using namespace kw::cupti;
    cupti::CuptiApi api;
    api.toolkit = "13.0";
    api.path = "/fake/libcupti.so";
    api.cuptiGetTimestamp = [](std::uint64_t* time) -> CUptiResult {
        *time = 1000;
        return kSuccess;
    };
    api.cuptiGetResultString = [](CUptiResult, const char** name) -> CUptiResult {
        *name = "CUPTI_ERROR_FAKE";
        return kSuccess;
    };
    KW_FAKE(cuptiProfilerInitialize, InitializeParams);
    KW_FAKE(cuptiProfilerDeviceSupported, DeviceSupportedParams, {
        const auto asked = p->api;
        *p = script.supported;
        p->api = asked;
    });
    KW_FAKE(cuptiProfilerGetCounterAvailability, CounterAvailabilityParams, p->image_size = 16);
    KW_FAKE(cuptiDeviceGetChipName, ChipNameParams, p->chip = "GH100");
    KW_FAKE(cuptiProfilerHostInitialize, HostInitializeParams, {
        ++script.hosts;
        p->object = reinterpret_cast<HostObject>(&script);
    });
    KW_FAKE(cuptiProfilerHostDeinitialize, HostObjectParams, --script.hosts);
    KW_FAKE(cuptiProfilerHostConfigAddMetrics, HostMetricsParams, {
        for (std::size_t i = 0; i < p->count; ++i)
            for (const auto& name : script.refused_names)
                if (name == p->names[i]) return 1;
        script.metrics = p->count;
    });
    KW_FAKE(cuptiProfilerHostGetConfigImageSize, HostConfigSizeParams, p->image_size = 8);
    KW_FAKE(cuptiProfilerHostGetConfigImage, HostConfigParams);
    KW_FAKE(cuptiProfilerHostGetNumOfPasses, HostPassesParams, p->passes = script.passes);
    KW_FAKE(cuptiProfilerHostEvaluateToGpuValues, HostEvaluateParams, {
        for (std::size_t i = 0; i < p->count; ++i)
            p->values[i] = script.pm_enabled > 0 ? static_cast<double>(script.pm_first + p->range)
                                                 : script.ranges.at(p->range).at(i);
    });
    KW_FAKE(cuptiRangeProfilerEnable, RangeEnableParams, {
        ++script.range_enabled;
        p->profiler = reinterpret_cast<RangeProfiler>(&script);
    });
    KW_FAKE(cuptiRangeProfilerDisable, RangeParams, --script.range_enabled);
    KW_FAKE(cuptiRangeProfilerSetConfig, RangeConfigParams);
    KW_FAKE(cuptiRangeProfilerStart, RangeParams);
    KW_FAKE(cuptiRangeProfilerStop, RangeStopParams,
            p->all_passes_submitted = ++script.passes_run >= script.passes ? 1 : 0);
    KW_FAKE(cuptiRangeProfilerDecodeData, RangeDecodeParams);
    KW_FAKE(cuptiRangeProfilerGetCounterDataSize, RangeDataSizeParams, p->image_size = 32);
    KW_FAKE(cuptiRangeProfilerCounterDataImageInitialize, DataInitializeParams);
    KW_FAKE(cuptiRangeProfilerGetCounterDataInfo, RangeDataInfoParams, p->ranges = script.ranges.size());
    KW_FAKE(cuptiPmSamplingEnable, PmEnableParams, {
        ++script.pm_enabled;
        p->sampler = reinterpret_cast<PmSampler>(&script);
    });
    KW_FAKE(cuptiPmSamplingDisable, PmParams, --script.pm_enabled);
    KW_FAKE(cuptiPmSamplingSetConfig, PmConfigParams);
    KW_FAKE(cuptiPmSamplingStart, PmParams);
    KW_FAKE(cuptiPmSamplingStop, PmParams);
    KW_FAKE(cuptiPmSamplingDecodeData, PmDecodeParams, {
        script.pm_first += script.pm_samples;
        script.pm_samples = script.decodes < script.samples.size() ? script.samples[script.decodes] : 0;
        ++script.decodes;
        p->stop = script.decodes < script.samples.size() ? kDataFull : kAllRead;
        p->overflow = script.overflow ? 1 : 0;
    });
    KW_FAKE(cuptiPmSamplingGetCounterDataSize, PmDataSizeParams, p->image_size = 32);
    KW_FAKE(cuptiPmSamplingCounterDataImageInitialize, DataInitializeParams);
    KW_FAKE(cuptiPmSamplingGetCounterDataInfo, PmDataInfoParams, p->completed = script.pm_samples);
    KW_FAKE(cuptiPmSamplingCounterDataGetSampleInfo, PmSampleInfoParams,
            p->end_ns = 1000 + 10 * (script.pm_first + p->sample));
    KW_FAKE(cuptiPCSamplingEnable, PcParams, ++script.pc_enabled);
    KW_FAKE(cuptiPCSamplingDisable, PcParams, --script.pc_enabled);
    KW_FAKE(cuptiPCSamplingStart, PcParams);
    KW_FAKE(cuptiPCSamplingStop, PcParams);
    KW_FAKE(cuptiPCSamplingSetConfigurationAttribute, PcConfigureParams);
    KW_FAKE(cuptiPCSamplingGetNumStallReasons, PcReasonCountParams, *p->count = script.reasons.size());
    KW_FAKE(cuptiPCSamplingGetStallReasons, PcReasonsParams, {
        for (std::size_t i = 0; i < p->count; ++i) {
            p->indices[i] = static_cast<std::uint32_t>(i + 5); // indices are CUPTI's own
            std::strncpy(p->names[i], script.reasons[i].c_str(), kStallNameBytes - 1);
        }
    });
    KW_FAKE(cuptiPCSamplingGetData, PcGetDataParams, {
        auto& samples = *p->samples;
        samples.count = 0;
        samples.total_samples = 0;
        if (script.pc_calls >= script.pcs.size()) {
            samples.remaining = 0;
            return kSuccess;
        }
        for (auto& pc : script.pcs[script.pc_calls]) {
            auto& record = samples.data[samples.count++];
            record.function = pc.function.data();
            record.offset = pc.offset;
            record.reason_count = pc.reasons.size();
            for (std::size_t i = 0; i < pc.reasons.size(); ++i) {
                record.reasons[i] = pc.reasons[i];
                samples.total_samples += pc.reasons[i].samples;
            }
        }
        ++script.pc_calls;
        samples.remaining = script.pcs.size() - script.pc_calls;
    });
    KW_FAKE(cuptiGetSassToSourceCorrelation, SourceOfPcParams, {
        p->file = strdup("k.cu");
        p->folder = strdup("");
        p->line = static_cast<std::uint32_t>(p->offset / 32 + 1);
    });
    return api;
}
#undef KW_FAKE

} // namespace fake
