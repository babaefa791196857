#include "engine/profile/cupti/activity_api.h"

#include <QtTest/QtTest>

#include <cstddef>

#ifdef KW_HAVE_CUPTI_HEADERS
#include <cuda.h>
#include <cupti.h>
#if __has_include(<cupti_activity_deprecated.h>)
#include <cupti_activity_deprecated.h>
#endif

namespace {

using namespace kw::cupti;

#define KW_SAME(ours, our_member, theirs, their_member)                                                                \
    static_assert(offsetof(ours, our_member) == offsetof(theirs, their_member));                                       \
    static_assert(sizeof(ours::our_member) == sizeof(theirs::their_member))

#define KW_SAME_KERNEL(theirs)                                                                                         \
    KW_SAME(KernelRecord, kind, theirs, kind);                                                                         \
    KW_SAME(KernelRecord, registers, theirs, registersPerThread);                                                      \
    KW_SAME(KernelRecord, start, theirs, start);                                                                       \
    KW_SAME(KernelRecord, end, theirs, end);                                                                           \
    KW_SAME(KernelRecord, device, theirs, deviceId);                                                                   \
    KW_SAME(KernelRecord, context, theirs, contextId);                                                                 \
    KW_SAME(KernelRecord, stream, theirs, streamId);                                                                   \
    KW_SAME(KernelRecord, grid[0], theirs, gridX);                                                                     \
    KW_SAME(KernelRecord, grid[2], theirs, gridZ);                                                                     \
    KW_SAME(KernelRecord, block[0], theirs, blockX);                                                                   \
    KW_SAME(KernelRecord, block[2], theirs, blockZ);                                                                   \
    KW_SAME(KernelRecord, static_shared, theirs, staticSharedMemory);                                                  \
    KW_SAME(KernelRecord, dynamic_shared, theirs, dynamicSharedMemory);                                                \
    KW_SAME(KernelRecord, local_per_thread, theirs, localMemoryPerThread);                                             \
    KW_SAME(KernelRecord, correlation, theirs, correlationId);                                                         \
    KW_SAME(KernelRecord, name, theirs, name);                                                                         \
    KW_SAME(KernelRecord, shared_executed, theirs, sharedMemoryExecuted);                                              \
    KW_SAME(KernelRecord, graph, theirs, graphId);                                                                     \
    KW_SAME(KernelRecord, channel, theirs, channelID);                                                                 \
    KW_SAME(KernelRecord, cluster[0], theirs, clusterX);                                                               \
    KW_SAME(KernelRecord, cluster[2], theirs, clusterZ);                                                               \
    static_assert(sizeof(KernelRecord) <= sizeof(theirs))

#define KW_SAME_TRANSFER(ours, theirs)                                                                                 \
    KW_SAME(ours, kind, theirs, kind);                                                                                 \
    KW_SAME(ours, bytes, theirs, bytes);                                                                               \
    KW_SAME(ours, start, theirs, start);                                                                               \
    KW_SAME(ours, end, theirs, end);                                                                                   \
    KW_SAME(ours, device, theirs, deviceId);                                                                           \
    KW_SAME(ours, context, theirs, contextId);                                                                         \
    KW_SAME(ours, stream, theirs, streamId);                                                                           \
    KW_SAME(ours, correlation, theirs, correlationId);                                                                 \
    static_assert(sizeof(ours) <= sizeof(theirs))

#define KW_SAME_SYNCHRONIZATION(theirs)                                                                                \
    KW_SAME(SynchronizationRecord, type, theirs, type);                                                                \
    KW_SAME(SynchronizationRecord, start, theirs, start);                                                              \
    KW_SAME(SynchronizationRecord, end, theirs, end);                                                                  \
    KW_SAME(SynchronizationRecord, correlation, theirs, correlationId);                                                \
    KW_SAME(SynchronizationRecord, context, theirs, contextId);                                                        \
    KW_SAME(SynchronizationRecord, stream, theirs, streamId);                                                          \
    KW_SAME(SynchronizationRecord, event, theirs, cudaEventId);                                                        \
    static_assert(sizeof(SynchronizationRecord) <= sizeof(theirs))

#define KW_SAME_DEVICE(theirs)                                                                                         \
    KW_SAME(DeviceRecord, memory_bytes, theirs, globalMemorySize);                                                     \
    KW_SAME(DeviceRecord, multiprocessors, theirs, numMultiprocessors);                                                \
    KW_SAME(DeviceRecord, max_warps, theirs, maxWarpsPerMultiprocessor);                                               \
    KW_SAME(DeviceRecord, max_blocks, theirs, maxBlocksPerMultiprocessor);                                             \
    KW_SAME(DeviceRecord, max_shared, theirs, maxSharedMemoryPerMultiprocessor);                                       \
    KW_SAME(DeviceRecord, max_registers, theirs, maxRegistersPerMultiprocessor);                                       \
    KW_SAME(DeviceRecord, capability_major, theirs, computeCapabilityMajor);                                           \
    KW_SAME(DeviceRecord, capability_minor, theirs, computeCapabilityMinor);                                           \
    KW_SAME(DeviceRecord, id, theirs, id);                                                                             \
    KW_SAME(DeviceRecord, name, theirs, name);                                                                         \
    static_assert(sizeof(DeviceRecord) <= sizeof(theirs))

// What CUDA 12.0 and later emit. A header declares the records of its own release and, where it keeps them, the earlier
// ones.
KW_SAME_TRANSFER(MemsetRecord, CUpti_ActivityMemset4);
KW_SAME_TRANSFER(PeerMemcpyRecord, CUpti_ActivityMemcpyPtoP4);
KW_SAME(MemsetRecord, value, CUpti_ActivityMemset4, value);
KW_SAME(ApiRecord, kind, CUpti_ActivityAPI, kind);
KW_SAME(ApiRecord, function, CUpti_ActivityAPI, cbid);
KW_SAME(ApiRecord, start, CUpti_ActivityAPI, start);
KW_SAME(ApiRecord, end, CUpti_ActivityAPI, end);
KW_SAME(ApiRecord, process, CUpti_ActivityAPI, processId);
KW_SAME(ApiRecord, thread, CUpti_ActivityAPI, threadId);
KW_SAME(ApiRecord, correlation, CUpti_ActivityAPI, correlationId);
static_assert(sizeof(ApiRecord) == sizeof(CUpti_ActivityAPI));
KW_SAME(RecordHeader, kind, CUpti_Activity, kind);
#if CUPTI_API_VERSION >= 130000
KW_SAME_KERNEL(CUpti_ActivityKernel10);
KW_SAME_KERNEL(CUpti_ActivityKernel9);
KW_SAME_KERNEL(CUpti_ActivityKernel8);
KW_SAME_TRANSFER(MemcpyRecord, CUpti_ActivityMemcpy6);
KW_SAME(MemcpyRecord, copy_kind, CUpti_ActivityMemcpy6, copyKind);
KW_SAME_TRANSFER(MemcpyRecord, CUpti_ActivityMemcpy5);
KW_SAME_SYNCHRONIZATION(CUpti_ActivitySynchronization2);
KW_SAME_SYNCHRONIZATION(CUpti_ActivitySynchronization);
KW_SAME_DEVICE(CUpti_ActivityDevice5);
KW_SAME_DEVICE(CUpti_ActivityDevice4);
#else
KW_SAME_KERNEL(CUpti_ActivityKernel9);
KW_SAME_TRANSFER(MemcpyRecord, CUpti_ActivityMemcpy5);
KW_SAME(MemcpyRecord, copy_kind, CUpti_ActivityMemcpy5, copyKind);
KW_SAME_SYNCHRONIZATION(CUpti_ActivitySynchronization);
KW_SAME_DEVICE(CUpti_ActivityDevice4);
#endif

static_assert(static_cast<int>(RecordKind::memcpy) == CUPTI_ACTIVITY_KIND_MEMCPY);
static_assert(static_cast<int>(RecordKind::memset) == CUPTI_ACTIVITY_KIND_MEMSET);
static_assert(static_cast<int>(RecordKind::driver) == CUPTI_ACTIVITY_KIND_DRIVER);
static_assert(static_cast<int>(RecordKind::runtime) == CUPTI_ACTIVITY_KIND_RUNTIME);
static_assert(static_cast<int>(RecordKind::device) == CUPTI_ACTIVITY_KIND_DEVICE);
static_assert(static_cast<int>(RecordKind::concurrent_kernel) == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
static_assert(static_cast<int>(RecordKind::memcpy_peer) == CUPTI_ACTIVITY_KIND_MEMCPY2);
static_assert(static_cast<int>(RecordKind::synchronization) == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
static_assert(kEndOfRecords == CUPTI_ERROR_MAX_LIMIT_REACHED && kNotCompatible == CUPTI_ERROR_NOT_COMPATIBLE);
static_assert(kFlushForced == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
static_assert(kSystemThreadIds == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
static_assert(kDriverDomain == CUPTI_CB_DOMAIN_DRIVER_API && kRuntimeDomain == CUPTI_CB_DOMAIN_RUNTIME_API);
static_assert(kNoStream == CUPTI_SYNCHRONIZATION_INVALID_VALUE);

} // namespace
#endif

class TestActivityLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agrees_with_the_headers() {
#ifdef KW_HAVE_CUPTI_HEADERS
        // The rest was proved when this was compiled.
        QVERIFY(CUPTI_API_VERSION >= kw::cupti::kOldestActivityVersion);
#else
        QSKIP("CUPTI's headers are not installed");
#endif
    }
};

QTEST_APPLESS_MAIN(TestActivityLayout)
#include "test_activity_layout.moc"
