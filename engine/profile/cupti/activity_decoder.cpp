#include "engine/profile/cupti/activity_decoder.h"

#include <cxxabi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

namespace kw::cupti {
namespace {

using profile::Activity;

/// Kernels of one program have at most some thousands of names; more than this is a program that makes them up.
constexpr std::size_t kMaxKernelNames = 16384;

/// Calls that only read or set a state of the calling thread, sorted.
constexpr auto kNoise = std::to_array<std::string_view>({
    "cuCtxGetCurrent",
    "cuCtxGetDevice",
    "cuCtxPopCurrent",
    "cuCtxPushCurrent",
    "cuCtxSetCurrent",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDevicePrimaryCtxGetState",
    "cuDriverGetVersion",
    "cuEventQuery",
    "cuGetErrorString",
    "cuGetProcAddress",
    "cuKernelGetFunction",
    "cuStreamGetCaptureInfo",
    "cuStreamIsCapturing",
    "cuStreamQuery",
    "cuThreadExchangeStreamCaptureMode",
    "cudaDeviceGetAttribute",
    "cudaEventQuery",
    "cudaFuncGetAttributes",
    "cudaFuncSetAttribute",
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaGetDriverEntryPoint",
    "cudaGetFuncBySymbol",
    "cudaGetKernel",
    "cudaGetLastError",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    "cudaPeekAtLastError",
    "cudaPointerGetAttributes",
    "cudaSetDevice",
    "cudaStreamGetCaptureInfo",
    "cudaStreamIsCapturing",
    "cudaStreamQuery",
    "cudaThreadExchangeStreamCaptureMode",
});
static_assert(std::ranges::is_sorted(kNoise));

/// "cudaLaunchKernel_v7000" and "cuMemAlloc_v2" are what programs write without the number; per-thread-default-stream
/// variants are told apart by the stream.
std::string_view without_version(std::string_view name) {
    for (const std::string_view suffix : {"_ptsz", "_ptds"})
        if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
    const auto at = name.rfind("_v");
    if (at == std::string_view::npos || at + 2 == name.size()) return name;
    const auto digits = name.substr(at + 2);
    const bool number = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    return number ? name.substr(0, at) : name;
}

/// CUpti_ActivityMemcpyKind.
std::string_view copy_name(std::uint8_t kind) {
    constexpr std::string_view kNames[] = {"copy", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                           "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
    return kNames[kind < std::size(kNames) ? kind : 0];
}

/// CUpti_ActivitySynchronizationType.
std::string_view synchronization_name(std::int32_t type) {
    constexpr std::string_view kNames[] = {"synchronize", "event synchronize", "stream wait event",
                                           "stream synchronize", "context synchronize"};
    return kNames[type >= 0 && static_cast<std::size_t>(type) < std::size(kNames) ? static_cast<std::size_t>(type) : 0];
}

std::uint32_t unsigned_of(std::int32_t value) { return static_cast<std::uint32_t>(std::max(value, 0)); }

device::Dim3 dimensions(const std::int32_t (&values)[3]) {
    return {unsigned_of(values[0]), unsigned_of(values[1]), unsigned_of(values[2])};
}

/// Copied, because a record at a buffer's end may be shorter than its type says. False when it is.
template<class Record> bool read(const RecordHeader* record, std::size_t room, Record& to) {
    if (room < sizeof(Record)) return false;
    std::memcpy(static_cast<void*>(&to), record, sizeof(Record));
    return true;
}

} // namespace

std::string demangle(const char* name) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text{abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free};
    return text && status == 0 ? text.get() : name;
}

ActivityDecoder::ActivityDecoder(const ActivityApi& api, std::uint64_t zero_ns,
                                 std::map<std::uint32_t, SmLimits> limits)
    : api_(api), zero_ns_(zero_ns), process_(static_cast<std::uint32_t>(::getpid())), limits_(std::move(limits)) {}

void ActivityDecoder::decode(std::uint8_t* buffer, std::size_t valid, std::vector<Activity>& to) {
    waits_.clear();
    polls_.clear();
    decode_records(buffer, valid, to);
    // Backwards, so that the other positions stay true.
    std::ranges::sort(polls_, std::greater{});
    for (const auto at : polls_) to.erase(to.begin() + static_cast<std::ptrdiff_t>(at));
    polls_.clear();
}

void ActivityDecoder::decode_records(std::uint8_t* buffer, std::size_t valid, std::vector<Activity>& to) {
    RecordHeader* record = nullptr;
    const std::uint8_t* last = nullptr;
    for (;;) {
        const auto result = api_.cuptiActivityGetNextRecord(buffer, valid, &record);
        if (result == kEndOfRecords) return;
        const auto* at = reinterpret_cast<const std::uint8_t*>(record);
        // A record outside the buffer, or none after the last, would have us read what is not there or go on for ever.
        if (result != kSuccess || !record || at < buffer || at <= last || at + sizeof(RecordHeader) > buffer + valid) {
            ++losses_.malformed;
            return;
        }
        last = at;
        add(record, static_cast<std::size_t>(buffer + valid - at), to);
    }
}

void ActivityDecoder::add(const RecordHeader* record, std::size_t room, std::vector<Activity>& to) {
    const auto with = [&]<class Record>(Record value, auto&& use) {
        if (read(record, room, value))
            use(value);
        else
            ++losses_.malformed;
    };
    switch (record->kind) {
    case RecordKind::concurrent_kernel: with(KernelRecord{}, [&](const auto& r) { add_kernel(r, to); }); break;
    case RecordKind::memcpy:
        with(MemcpyRecord{}, [&](const auto& r) { add_transfer(r, Activity::Kind::copy, copy_name(r.copy_kind), to); });
        break;
    case RecordKind::memcpy_peer:
        with(PeerMemcpyRecord{}, [&](const auto& r) { add_transfer(r, Activity::Kind::copy, "PtoP", to); });
        break;
    case RecordKind::memset:
        with(MemsetRecord{}, [&](const auto& r) { add_transfer(r, Activity::Kind::memset, "memset", to); });
        break;
    case RecordKind::driver:
    case RecordKind::runtime: with(ApiRecord{}, [&](const auto& r) { add_call(r, to); }); break;
    case RecordKind::synchronization:
        with(SynchronizationRecord{}, [&](const auto& r) { add_synchronization(r, to); });
        break;
    case RecordKind::device: with(DeviceRecord{}, [&](const auto& r) { add_device(r); }); break;
    default: break; // a kind that something else in the process asked for
    }
}

bool ActivityDecoder::set_times(Activity& activity, std::uint64_t start, std::uint64_t end) {
    if (start == 0 || end < start) {
        ++losses_.unfinished;
        return false;
    }
    activity.start_ns = start > zero_ns_ ? start - zero_ns_ : 0;
    activity.end_ns = end > zero_ns_ ? end - zero_ns_ : 0;
    return true;
}

void ActivityDecoder::add_kernel(const KernelRecord& record, std::vector<Activity>& to) {
    Activity activity{.kind = Activity::Kind::kernel, .name = {}};
    if (!set_times(activity, record.start, record.end)) return;
    activity.name = record.name ? demangled(record.name) : "unnamed kernel";
    activity.process = process_;
    activity.device = record.device;
    activity.context = record.context;
    activity.stream = record.stream;
    activity.correlation = record.correlation;
    activity.grid = dimensions(record.grid);
    activity.block = dimensions(record.block);
    if (record.cluster[0] > 0)
        activity.cluster = {record.cluster[0], std::max(record.cluster[1], 1u), std::max(record.cluster[2], 1u)};
    activity.registers = record.registers;
    activity.static_shared_bytes = unsigned_of(record.static_shared);
    activity.dynamic_shared_bytes = unsigned_of(record.dynamic_shared);
    activity.local_bytes = record.local_per_thread;
    if (const auto limits = limits_.find(record.device); limits != limits_.end())
        activity.occupancy = theoretical_occupancy(limits->second, activity.block.count(), record.registers,
                                                   activity.static_shared_bytes + activity.dynamic_shared_bytes);
    to.push_back(std::move(activity));
}

template<class Record>
void ActivityDecoder::add_transfer(const Record& record, Activity::Kind kind, std::string_view name,
                                   std::vector<Activity>& to) {
    Activity activity{.kind = kind, .name = std::string{name}};
    if (!set_times(activity, record.start, record.end)) return;
    activity.process = process_;
    activity.device = record.device;
    activity.context = record.context;
    activity.stream = record.stream;
    activity.correlation = record.correlation;
    activity.bytes = record.bytes;
    to.push_back(std::move(activity));
}

void ActivityDecoder::add_call(const ApiRecord& record, std::vector<Activity>& to) {
    const auto& known = call(record.kind == RecordKind::driver ? kDriverDomain : kRuntimeDomain, record.function);
    // The call in which a thread waited ends after the wait, so its record comes later.
    if (const auto wait = waits_.find(record.correlation); wait != waits_.end()) {
        to[wait->second].thread = record.thread;
        // CUPTI has a wait for each time that somebody asks whether a stream is done.
        if (known.noise) polls_.push_back(wait->second);
        waits_.erase(wait);
    }
    if (known.noise) return;
    Activity activity{.kind = Activity::Kind::call, .name = {}};
    if (!set_times(activity, record.start, record.end)) return;
    activity.name = known.name;
    activity.process = record.process;
    activity.thread = record.thread;
    activity.correlation = record.correlation;
    to.push_back(std::move(activity));
}

void ActivityDecoder::add_synchronization(const SynchronizationRecord& record, std::vector<Activity>& to) {
    Activity activity{.kind = Activity::Kind::synchronization, .name = std::string{synchronization_name(record.type)}};
    if (!set_times(activity, record.start, record.end)) return;
    activity.process = process_;
    activity.context = record.context;
    activity.stream = record.stream == kNoStream ? 0 : record.stream;
    activity.correlation = record.correlation;
    waits_[record.correlation] = to.size();
    to.push_back(std::move(activity));
}

void ActivityDecoder::add_device(const DeviceRecord& record) {
    const int capability = static_cast<int>(record.capability_major * 10 + record.capability_minor);
    const SmLimits limits{capability, record.max_warps, record.max_blocks, record.max_shared, record.max_registers};
    limits_[record.id] = limits;
    devices_[record.id] = {record.id, record.name ? record.name : "GPU", record.multiprocessors, record.memory_bytes,
                           limits};
}

const std::string& ActivityDecoder::demangled(const char* name) {
    if (kernel_names_.size() > kMaxKernelNames) kernel_names_.clear();
    const auto [entry, is_new] = kernel_names_.try_emplace(name);
    if (is_new) entry->second = demangle(name);
    return entry->second;
}

const ActivityDecoder::Call& ActivityDecoder::call(int domain, std::uint32_t function) {
    auto& entry = calls_[std::uint64_t{static_cast<std::uint32_t>(domain)} << 32 | function];
    if (!entry.known) {
        const char* name = nullptr;
        const bool named = api_.cuptiGetCallbackName(domain, function, &name) == kSuccess && name;
        entry.name = named ? without_version(name) : domain == kDriverDomain ? "cuUnknown" : "cudaUnknown";
        entry.noise = std::ranges::binary_search(kNoise, std::string_view{entry.name});
        entry.known = true;
    }
    return entry;
}

} // namespace kw::cupti
