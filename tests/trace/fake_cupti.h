#pragma once

#include "engine/profile/cupti/activity_api.h"

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <mutex>
#include <vector>

/// A CUPTI without a GPU: records are put into the client's buffers by whoever pretends to launch, and handed over as
/// CUPTI does. Shared by the tests that call it in their own process and by the library that stands in for libcupti.
namespace kw::test {

class FakeCupti {
public:
    static FakeCupti& instance() {
        static auto* const fake = new FakeCupti;
        return *fake;
    }

    std::uint32_t version = 130000;
    cupti::CUptiResult enable_result = cupti::kSuccess;
    cupti::BufferRequested requested = nullptr;
    cupti::BufferCompleted completed = nullptr;
    std::size_t dropped = 0;

    /// Bytes a record takes in a buffer: our prefixes, and more behind them, as CUPTI's own have.
    static std::size_t size_of(cupti::RecordKind kind) {
        switch (kind) {
        case cupti::RecordKind::concurrent_kernel: return sizeof(cupti::KernelRecord) + 32;
        case cupti::RecordKind::memcpy: return sizeof(cupti::MemcpyRecord) + 40;
        case cupti::RecordKind::memcpy_peer: return sizeof(cupti::PeerMemcpyRecord) + 32;
        case cupti::RecordKind::memset: return sizeof(cupti::MemsetRecord) + 40;
        case cupti::RecordKind::driver:
        case cupti::RecordKind::runtime: return sizeof(cupti::ApiRecord);
        case cupti::RecordKind::synchronization: return sizeof(cupti::SynchronizationRecord) + 16;
        case cupti::RecordKind::device: return sizeof(cupti::DeviceRecord) + 48;
        }
        return 64;
    }

    bool enabled(cupti::RecordKind kind) const {
        const auto index = static_cast<std::size_t>(kind);
        return index < enabled_.size() && enabled_[index];
    }
    void set_enabled(cupti::RecordKind kind, bool on) { enabled_.at(static_cast<std::size_t>(kind)) = on; }

    template<class Record> void emit(const Record& record) {
        const std::scoped_lock lock{mutex_};
        if (!enabled(record.kind) || !requested) return;
        const auto size = size_of(record.kind);
        if (buffer_ && used_ + size > capacity_) hand_over();
        if (!buffer_) {
            std::size_t most = 0;
            requested(&buffer_, &capacity_, &most);
            used_ = 0;
        }
        if (!buffer_ || size > capacity_) {
            ++dropped;
            return;
        }
        std::memset(buffer_ + used_, 0xee, size);
        std::memcpy(buffer_ + used_, static_cast<const void*>(&record), sizeof record);
        used_ += size;
    }

    void flush() {
        const std::scoped_lock lock{mutex_};
        if (buffer_) hand_over();
    }

    /// CUPTI's clock need not be the system's: this one is 1000 s behind.
    static std::uint64_t now() {
        timespec time{};
        ::clock_gettime(CLOCK_REALTIME, &time);
        return static_cast<std::uint64_t>(time.tv_sec - 1000) * 1'000'000'000
               + static_cast<std::uint64_t>(time.tv_nsec);
    }

    cupti::CUptiResult next(std::uint8_t* buffer, std::size_t valid, cupti::RecordHeader** record) const {
        auto* at = reinterpret_cast<std::uint8_t*>(*record);
        at = at ? at + size_of((*record)->kind) : buffer;
        if (at >= buffer + valid) return cupti::kEndOfRecords;
        *record = reinterpret_cast<cupti::RecordHeader*>(at);
        return cupti::kSuccess;
    }

    /// Callback names, by domain and number.
    static const char* name_of(int domain, std::uint32_t function) {
        if (domain == cupti::kRuntimeDomain) switch (function) {
            case 211: return "cudaLaunchKernel_v7000";
            case 31: return "cudaMemcpy_v3020";
            case 165: return "cudaDeviceSynchronize_v3020";
            case 10: return "cudaGetDevice_v3020";
            default: return nullptr;
            }
        if (function == 3) return "cuStreamQuery";
        return function == 307 ? "cuLaunchKernel" : nullptr;
    }

private:
    void hand_over() {
        auto* const buffer = buffer_;
        buffer_ = nullptr;
        completed(nullptr, 0, buffer, capacity_, used_);
    }

    std::mutex mutex_;
    std::array<bool, 64> enabled_{};
    std::uint8_t* buffer_ = nullptr;
    std::size_t capacity_ = 0;
    std::size_t used_ = 0;
};

/// The records of one launch by the runtime, `start` being when the call starts: the call, the driver's within it, and
/// the kernel after it.
inline void emit_launch(FakeCupti& fake, const char* kernel, std::uint64_t start, std::uint64_t duration,
                        std::uint32_t correlation, std::uint32_t stream, std::uint32_t thread) {
    using namespace cupti;
    const auto process = static_cast<std::uint32_t>(::getpid());
    fake.emit(ApiRecord{RecordKind::driver, 307, start + 100, start + 400, process, thread, correlation, 0});
    fake.emit(ApiRecord{RecordKind::runtime, 211, start, start + 500, process, thread, correlation, 0});
    KernelRecord record;
    record.kind = RecordKind::concurrent_kernel;
    record.registers = 32;
    record.start = start + 600;
    record.end = start + 600 + duration;
    record.context = 1;
    record.stream = stream;
    record.grid[0] = 128;
    record.grid[1] = record.grid[2] = 1;
    record.block[0] = 256;
    record.block[1] = record.block[2] = 1;
    record.dynamic_shared = 1024;
    record.correlation = correlation;
    record.name = kernel;
    fake.emit(record);
}

inline void emit_device(FakeCupti& fake) {
    using namespace cupti;
    DeviceRecord device;
    device.kind = RecordKind::device;
    device.multiprocessors = 132;
    device.max_warps = 64;
    device.max_blocks = 32;
    device.max_shared = 228 * 1024;
    device.max_registers = 65536;
    device.capability_major = 9;
    device.memory_bytes = std::uint64_t{141} << 30;
    device.name = "Fake H200";
    fake.emit(device);
}

} // namespace kw::test
