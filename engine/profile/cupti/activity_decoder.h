#pragma once

#include "engine/profile/cupti/activity_api.h"
#include "engine/profile/cupti/activity_occupancy.h"
#include "engine/profile/report.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kw::cupti {

/// A GPU that CUPTI spoke of.
struct TracedDevice {
    std::uint32_t id = 0;
    std::string name;
    std::uint32_t multiprocessors = 0;
    std::uint64_t memory_bytes = 0;
    SmLimits limits{};
};

/// Records that did not become activities.
struct ActivityLosses {
    std::uint64_t not_kept = 0;   ///< beyond what the collector may keep
    std::uint64_t dropped = 0;    ///< by CUPTI, which had no buffer for them
    std::uint64_t unfinished = 0; ///< without times: still running at the end, or no memory to measure
    std::uint64_t malformed = 0;  ///< buffers whose rest could not be read
    [[nodiscard]] std::uint64_t total() const { return not_kept + dropped + unfinished + malformed; }
    bool operator==(const ActivityLosses&) const = default;
};

/// Turns CUPTI's buffers into activities. Runtime and driver calls that only ask for a state (cudaGetDevice,
/// cudaGetLastError, …) and that programs make by the million are left out. Not thread-safe.
class ActivityDecoder {
public:
    /// `zero_ns` is taken from all times, on CUPTI's clock; earlier ones become 0. `devices` are the limits for the
    /// occupancy on GPUs that no record describes, as when CUDA had started before CUPTI did.
    explicit ActivityDecoder(const ActivityApi& api, std::uint64_t zero_ns = 0,
                             std::map<std::uint32_t, SmLimits> devices = {});

    /// Appends what `valid` bytes of a buffer hold.
    void decode(std::uint8_t* buffer, std::size_t valid, std::vector<profile::Activity>& to);

    [[nodiscard]] const std::map<std::uint32_t, TracedDevice>& devices() const { return devices_; }
    [[nodiscard]] const ActivityLosses& losses() const { return losses_; }

private:
    struct Call {
        std::string name;
        bool known = false;
        bool noise = false;
    };

    void decode_records(std::uint8_t* buffer, std::size_t valid, std::vector<profile::Activity>& to);
    void add(const RecordHeader* record, std::size_t room, std::vector<profile::Activity>& to);
    void add_kernel(const KernelRecord& record, std::vector<profile::Activity>& to);
    void add_call(const ApiRecord& record, std::vector<profile::Activity>& to);
    void add_synchronization(const SynchronizationRecord& record, std::vector<profile::Activity>& to);
    void add_device(const DeviceRecord& record);
    template<class Record>
    void add_transfer(const Record& record, profile::Activity::Kind kind, std::string_view name,
                      std::vector<profile::Activity>& to);
    /// Sets the times; false, and counted, when there are none.
    bool set_times(profile::Activity& activity, std::uint64_t start, std::uint64_t end);
    [[nodiscard]] const std::string& demangled(const char* name);
    [[nodiscard]] const Call& call(int domain, std::uint32_t function);

    ActivityApi api_;
    std::uint64_t zero_ns_;
    std::uint32_t process_;
    std::map<std::uint32_t, SmLimits> limits_;
    std::map<std::uint32_t, TracedDevice> devices_;
    std::unordered_map<std::string, std::string> kernel_names_;
    std::unordered_map<std::uint64_t, Call> calls_;
    /// Where in the output waits are whose call has not been seen yet, by correlation; within one buffer.
    std::unordered_map<std::uint32_t, std::size_t> waits_;
    std::vector<std::size_t> polls_; ///< where in the output waits are that were questions; within one buffer
    ActivityLosses losses_;
};

/// A mangled name as C++ writes it; itself when it is none.
[[nodiscard]] std::string demangle(const char* name);

} // namespace kw::cupti
