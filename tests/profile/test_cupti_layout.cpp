// Proves that our declarations of CUPTI's parameter blocks are those of its headers, where those are installed.
#include "engine/profile/cupti/cupti_api.h"

#include <QTest>

#ifdef KW_HAVE_CUPTI_HEADERS
#include <cupti_pcsampling.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <cstddef>

namespace {

using namespace kw::cupti;

#define KW_SAME(ours, our_member, theirs, their_member)                                                                \
    static_assert(offsetof(ours, our_member) == offsetof(theirs, their_member)                                         \
                  && sizeof(ours::our_member) == sizeof(theirs::their_member))

KW_SAME(ChipNameParams, chip, CUpti_Device_GetChipName_Params, pChipName);
KW_SAME(CounterAvailabilityParams, image, CUpti_Profiler_GetCounterAvailability_Params, pCounterAvailabilityImage);
KW_SAME(DeviceSupportedParams, supported, CUpti_Profiler_DeviceSupported_Params, isSupported);
KW_SAME(DeviceSupportedParams, confidential_compute, CUpti_Profiler_DeviceSupported_Params, confidentialCompute);
KW_SAME(DeviceSupportedParams, api, CUpti_Profiler_DeviceSupported_Params, api);
KW_SAME(HostInitializeParams, chip, CUpti_Profiler_Host_Initialize_Params, pChipName);
KW_SAME(HostInitializeParams, object, CUpti_Profiler_Host_Initialize_Params, pHostObject);
KW_SAME(HostObjectParams, object, CUpti_Profiler_Host_Deinitialize_Params, pHostObject);
KW_SAME(HostMetricsParams, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);
KW_SAME(HostConfigSizeParams, image_size, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize);
KW_SAME(HostConfigParams, image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
KW_SAME(HostPassesParams, passes, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses);
KW_SAME(HostEvaluateParams, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
KW_SAME(HostEvaluateParams, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues);
KW_SAME(RangeEnableParams, profiler, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject);
KW_SAME(RangeParams, profiler, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject);
KW_SAME(RangeParams, profiler, CUpti_RangeProfiler_Disable_Params, pRangeProfilerObject);
KW_SAME(RangeConfigParams, image, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
KW_SAME(RangeConfigParams, replay, CUpti_RangeProfiler_SetConfig_Params, replayMode);
KW_SAME(RangeConfigParams, max_ranges, CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass);
KW_SAME(RangeConfigParams, min_nesting_level, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel);
KW_SAME(RangeConfigParams, target_nesting_level, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel);
KW_SAME(RangeStopParams, all_passes_submitted, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted);
KW_SAME(RangeDecodeParams, dropped, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped);
KW_SAME(RangeDataSizeParams, max_tree_nodes, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumRangeTreeNodes);
KW_SAME(RangeDataSizeParams, image_size, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize);
KW_SAME(DataInitializeParams, image, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pCounterData);
KW_SAME(DataInitializeParams, image, CUpti_PmSampling_CounterDataImage_Initialize_Params, pCounterData);
KW_SAME(RangeDataInfoParams, ranges, CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges);
KW_SAME(PmEnableParams, sampler, CUpti_PmSampling_Enable_Params, pPmSamplingObject);
KW_SAME(PmParams, sampler, CUpti_PmSampling_Start_Params, pPmSamplingObject);
KW_SAME(PmConfigParams, interval, CUpti_PmSampling_SetConfig_Params, samplingInterval);
KW_SAME(PmConfigParams, keep_latest, CUpti_PmSampling_SetConfig_Params, hwBufferAppendMode);
KW_SAME(PmAvailabilityParams, image, CUpti_PmSampling_GetCounterAvailability_Params, pCounterAvailabilityImage);
KW_SAME(PmDataSizeParams, max_samples, CUpti_PmSampling_GetCounterDataSize_Params, maxSamples);
KW_SAME(PmDataSizeParams, image_size, CUpti_PmSampling_GetCounterDataSize_Params, counterDataSize);
KW_SAME(PmDecodeParams, stop, CUpti_PmSampling_DecodeData_Params, decodeStopReason);
KW_SAME(PmDecodeParams, overflow, CUpti_PmSampling_DecodeData_Params, overflow);
KW_SAME(PmDataInfoParams, completed, CUpti_PmSampling_GetCounterDataInfo_Params, numCompletedSamples);
KW_SAME(PmSampleInfoParams, end_ns, CUpti_PmSampling_CounterData_GetSampleInfo_Params, endTimestamp);
KW_SAME(PcStallReason, samples, CUpti_PCSamplingStallReason, samples);
KW_SAME(PcData, reasons, CUpti_PCSamplingPCData, stallReason);
KW_SAME(PcData, correlation, CUpti_PCSamplingPCData, correlationId);
KW_SAME(PcSamples, data, CUpti_PCSamplingData, pPcData);
KW_SAME(PcSamples, hardware_buffer_full, CUpti_PCSamplingData, hardwareBufferFull);
KW_SAME(PcAttribute, value, CUpti_PCSamplingConfigurationInfo, attributeData);
KW_SAME(PcConfigureParams, attributes, CUpti_PCSamplingConfigurationInfoParams, pPCSamplingConfigurationInfo);
KW_SAME(PcParams, context, CUpti_PCSamplingEnableParams, ctx);
KW_SAME(PcGetDataParams, samples, CUpti_PCSamplingGetDataParams, pcSamplingData);
KW_SAME(PcReasonCountParams, count, CUpti_PCSamplingGetNumStallReasonsParams, numStallReasons);
KW_SAME(PcReasonsParams, names, CUpti_PCSamplingGetStallReasonsParams, stallReasons);
KW_SAME(SourceOfPcParams, line, CUpti_GetSassToSourceCorrelationParams, lineNumber);
KW_SAME(SourceOfPcParams, folder, CUpti_GetSassToSourceCorrelationParams, dirName);
static_assert(sizeof(PcData) == sizeof(CUpti_PCSamplingPCData));
static_assert(int{kTime} == CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL);
static_assert(int{kUserReplay} == CUPTI_UserReplay && int{kAutoRange} == CUPTI_AutoRange);
static_assert(int{kPmSampling} == CUPTI_PROFILER_PM_SAMPLING && int{kPcSampling} == CUPTI_PROFILER_PC_SAMPLING);
static_assert(int{PcAttribute::kWorkerSleep}
              == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_WORKER_THREAD_PERIODIC_SLEEP_SPAN);

} // namespace
#endif

class TestCuptiLayout : public QObject {
    Q_OBJECT

private slots:
    void sizes() {
#ifdef KW_HAVE_CUPTI_HEADERS
        QCOMPARE(ChipNameParams{}.size, std::size_t{CUpti_Device_GetChipName_Params_STRUCT_SIZE});
        QCOMPARE(CounterAvailabilityParams{}.size,
                 std::size_t{CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE});
        QCOMPARE(DeviceSupportedParams{}.size, std::size_t{CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE});
        QCOMPARE(HostInitializeParams{}.size, std::size_t{CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE});
        QCOMPARE(HostObjectParams{}.size, std::size_t{CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE});
        QCOMPARE(HostMetricsParams{}.size, std::size_t{CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE});
        QCOMPARE(HostConfigSizeParams{}.size, std::size_t{CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE});
        QCOMPARE(HostConfigParams{}.size, std::size_t{CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE});
        QCOMPARE(HostPassesParams{}.size, std::size_t{CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE});
        QCOMPARE(HostEvaluateParams{}.size, std::size_t{CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE});
        QCOMPARE(RangeEnableParams{}.size, std::size_t{CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE});
        QCOMPARE(RangeParams{}.size, std::size_t{CUpti_RangeProfiler_Start_Params_STRUCT_SIZE});
        QCOMPARE(RangeConfigParams{}.size, std::size_t{CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE});
        QCOMPARE(RangeStopParams{}.size, std::size_t{CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE});
        QCOMPARE(RangeDecodeParams{}.size, std::size_t{CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE});
        QCOMPARE(RangeDataSizeParams{}.size, std::size_t{CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE});
        QCOMPARE(DataInitializeParams{}.size,
                 std::size_t{CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE});
        QCOMPARE(RangeDataInfoParams{}.size, std::size_t{CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE});
        QCOMPARE(PmEnableParams{}.size, std::size_t{CUpti_PmSampling_Enable_Params_STRUCT_SIZE});
        QCOMPARE(PmParams{}.size, std::size_t{CUpti_PmSampling_Start_Params_STRUCT_SIZE});
        QCOMPARE(PmConfigParams{}.size, std::size_t{CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE});
        QCOMPARE(PmAvailabilityParams{}.size, std::size_t{CUpti_PmSampling_GetCounterAvailability_Params_STRUCT_SIZE});
        QCOMPARE(PmDataSizeParams{}.size, std::size_t{CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE});
        QCOMPARE(PmDecodeParams{}.size, std::size_t{CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE});
        QCOMPARE(PmDataInfoParams{}.size, std::size_t{CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE});
        QCOMPARE(PmSampleInfoParams{}.size, std::size_t{CUpti_PmSampling_CounterData_GetSampleInfo_Params_STRUCT_SIZE});
        QCOMPARE(PcData{}.size, sizeof(CUpti_PCSamplingPCData));
        QCOMPARE(PcSamples{}.size, sizeof(CUpti_PCSamplingData));
        QCOMPARE(PcConfigureParams{}.size, std::size_t{CUpti_PCSamplingConfigurationInfoParamsSize});
        QCOMPARE(PcParams{}.size, std::size_t{CUpti_PCSamplingEnableParamsSize});
        QCOMPARE(PcGetDataParams{}.size, std::size_t{CUpti_PCSamplingGetDataParamsSize});
        QCOMPARE(PcReasonCountParams{}.size, std::size_t{CUpti_PCSamplingGetNumStallReasonsParamsSize});
        QCOMPARE(PcReasonsParams{}.size, std::size_t{CUpti_PCSamplingGetStallReasonsParamsSize});
        QCOMPARE(SourceOfPcParams{}.size, std::size_t{CUpti_GetSassToSourceCorrelationParamsSize});
#else
        QSKIP("CUPTI's headers are not installed");
#endif
    }
};

QTEST_APPLESS_MAIN(TestCuptiLayout)
#include "test_cupti_layout.moc"
