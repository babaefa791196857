#pragma once

#include "engine/base/dynlib.h"
#include "engine/base/result.h"
#include "engine/profile/cupti/cupti_api.h"

#include <cstddef>
#include <cstdint>

/// CUPTI's activity API: the functions, and the records as prefixes of what its headers say. All records here have had
/// the same prefix since CUDA 12.0 (Kernel8 to Kernel10, Memcpy5 and 6, …), so that no version needs to be told apart;
/// tests/profile/test_activity_layout.cpp holds them against the headers.
namespace kw::cupti {

/// CUpti_ActivityKind, those that are used.
enum class RecordKind : std::uint32_t {
    memcpy = 1,
    memset = 2,
    driver = 4,
    runtime = 5,
    device = 8,
    concurrent_kernel = 10,
    memcpy_peer = 22,
    synchronization = 38,
};

/// Every record starts like this. Records lie 8-aligned in their buffer.
struct RecordHeader {
    RecordKind kind{};
};

struct KernelRecord {
    RecordKind kind{};
    std::uint8_t cache_config = 0;
    std::uint8_t shared_config = 0;
    std::uint16_t registers = 0; ///< per thread
    std::int32_t partitioned_cache[2]{};
    std::uint64_t start = 0; ///< ns; 0: no time was measured
    std::uint64_t end = 0;
    std::uint64_t completed = 0;
    std::uint32_t device = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
    std::int32_t grid[3]{};
    std::int32_t block[3]{};
    std::int32_t static_shared = 0; ///< bytes
    std::int32_t dynamic_shared = 0;
    std::uint32_t local_per_thread = 0;
    std::uint32_t local_total = 0;
    std::uint32_t correlation = 0;
    std::int64_t grid_id = 0;
    const char* name = nullptr; ///< mangled
    void* reserved = nullptr;
    std::uint64_t queued = 0;
    std::uint64_t submitted = 0;
    std::uint8_t launch_type = 0;
    std::uint8_t carveout[3]{};
    std::uint32_t shared_executed = 0; ///< bytes of shared memory that the SM was configured to
    std::uint64_t graph_node = 0;
    std::int32_t shared_limit_config = 0;
    std::uint32_t graph = 0;
    void* access_policy = nullptr;
    std::uint32_t channel = 0;
    std::int32_t channel_type = 0;
    std::uint32_t cluster[3]{}; ///< zeros where the kernel was launched without
};

struct MemcpyRecord {
    RecordKind kind{};
    std::uint8_t copy_kind = 0;
    std::uint8_t source_kind = 0;
    std::uint8_t target_kind = 0;
    std::uint8_t flags = 0;
    std::uint64_t bytes = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint32_t device = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
    std::uint32_t correlation = 0;
};

struct PeerMemcpyRecord {
    RecordKind kind{};
    std::uint8_t copy_kind = 0;
    std::uint8_t source_kind = 0;
    std::uint8_t target_kind = 0;
    std::uint8_t flags = 0;
    std::uint64_t bytes = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint32_t device = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
    std::uint32_t source_device = 0;
    std::uint32_t source_context = 0;
    std::uint32_t target_device = 0;
    std::uint32_t target_context = 0;
    std::uint32_t correlation = 0;
};

struct MemsetRecord {
    RecordKind kind{};
    std::uint32_t value = 0;
    std::uint64_t bytes = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint32_t device = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
    std::uint32_t correlation = 0;
};

struct ApiRecord { ///< of the runtime and of the driver
    RecordKind kind{};
    std::uint32_t function = 0; ///< callback id within its domain
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint32_t process = 0;
    std::uint32_t thread = 0;
    std::uint32_t correlation = 0;
    std::uint32_t result = 0;
};

struct SynchronizationRecord {
    RecordKind kind{};
    std::int32_t type = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint32_t correlation = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0; ///< kNoStream where the wait is for a context or an event
    std::uint32_t event = 0;
};
inline constexpr std::uint32_t kNoStream = 0xffffffffu;

struct DeviceRecord {
    RecordKind kind{};
    std::int32_t flags = 0;
    std::uint64_t memory_bandwidth = 0; ///< KB/s
    std::uint64_t memory_bytes = 0;
    std::uint32_t constant_bytes = 0;
    std::uint32_t l2_bytes = 0;
    std::uint32_t threads_per_warp = 0;
    std::uint32_t clock_khz = 0;
    std::uint32_t copy_engines = 0;
    std::uint32_t multiprocessors = 0;
    std::uint32_t max_ipc = 0;
    std::uint32_t max_warps = 0; ///< per multiprocessor, as are the next three
    std::uint32_t max_blocks = 0;
    std::uint32_t max_shared = 0;
    std::uint32_t max_registers = 0;
    std::uint32_t max_block_registers = 0;
    std::uint32_t max_block_shared = 0;
    std::uint32_t max_block_threads = 0;
    std::uint32_t max_block_dim[3]{};
    std::uint32_t max_grid_dim[3]{};
    std::uint32_t capability_major = 0;
    std::uint32_t capability_minor = 0;
    std::uint32_t id = 0;
    std::uint32_t ecc = 0;
    std::uint8_t uuid[16]{};
    const char* name = nullptr;
};

// Results beyond those of cupti_api.h.
inline constexpr CUptiResult kEndOfRecords = 12; ///< CUPTI_ERROR_MAX_LIMIT_REACHED
inline constexpr CUptiResult kNotCompatible = 14;

inline constexpr std::uint32_t kFlushForced = 1;
inline constexpr int kSystemThreadIds = 1; ///< gettid() rather than pthread_self()
inline constexpr int kDriverDomain = 1;    ///< CUpti_CallbackDomain
inline constexpr int kRuntimeDomain = 2;

using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records);
using BufferCompleted = void (*)(CUcontext, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                                 std::size_t valid_bytes);

/// The functions; whoever opened the library keeps it open.
struct ActivityApi {
    CUptiResult (*cuptiGetVersion)(std::uint32_t*) = nullptr;
    CUptiResult (*cuptiGetResultString)(CUptiResult, const char**) = nullptr;
    CUptiResult (*cuptiGetTimestamp)(std::uint64_t*) = nullptr;
    CUptiResult (*cuptiActivityEnable)(RecordKind) = nullptr;
    CUptiResult (*cuptiActivityDisable)(RecordKind) = nullptr;
    CUptiResult (*cuptiActivityRegisterCallbacks)(BufferRequested, BufferCompleted) = nullptr;
    CUptiResult (*cuptiActivityGetNextRecord)(std::uint8_t* buffer, std::size_t valid_bytes,
                                              RecordHeader** record) = nullptr;
    CUptiResult (*cuptiActivityGetNumDroppedRecords)(CUcontext, std::uint32_t stream, std::size_t*) = nullptr;
    CUptiResult (*cuptiActivityFlushAll)(std::uint32_t flags) = nullptr;
    CUptiResult (*cuptiGetCallbackName)(int domain, std::uint32_t function, const char**) = nullptr;
    CUptiResult (*cuptiSetThreadIdType)(int) = nullptr;
};

/// The oldest CUPTI whose records look like those above: that of CUDA 12.0.
inline constexpr std::uint32_t kOldestActivityVersion = 18;

/// Binds the functions of an opened libcupti. One that is too old, or something else, is an error with its remedy.
[[nodiscard]] Result<ActivityApi> bind_activity(const DynamicLibrary& library);

/// "13.0", from what cuptiGetVersion gives: the release of the toolkit that it came with.
[[nodiscard]] std::string activity_version_text(std::uint32_t version);

/// One sentence on why collecting activities did not start, with the remedy where there is one.
[[nodiscard]] std::string activity_refusal(const ActivityApi& api, CUptiResult result);

} // namespace kw::cupti
