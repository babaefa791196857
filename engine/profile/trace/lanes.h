#pragma once

#include "engine/profile/report.h"

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace kw::trace {

/// A row of a trace: what viewers call a process and a thread.
struct Lane {
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    auto operator<=>(const Lane&) const = default;
};

struct LaneName {
    Lane lane;
    std::string name;
    std::uint32_t order = 0; ///< among the lanes of its pid
};

/// A GPU as a traced process sees it. Its pid is the device's number where that is free, as other tools have it.
struct GpuLanes {
    std::uint32_t pid = 0;
    std::uint32_t process = 0;
    std::uint32_t device = 0;
};

/// Says on which lane each activity goes, so that no two on a lane overlap unless one holds the other, which is what
/// viewers ask for. Calls lie on their thread; what GPUs do on a lane per context and stream, with more of them where
/// work of one stream overlaps (graphs, dependent launches); waits on lanes of their own. Also joins calls with what
/// they started.
///
/// Two passes over the same activities in the same order: add() each, settle(), then place() each.
class Lanes {
public:
    void add(const profile::Activity& activity);
    void settle();

    struct Place {
        Lane lane;
        /// The arrow that starts or ends here; 0: none. The first thing that a call started has it.
        std::uint64_t flow = 0;
    };
    [[nodiscard]] Place place(const profile::Activity& activity);

    /// Known after settle(), in order.
    [[nodiscard]] const std::vector<LaneName>& names() const { return names_; }
    [[nodiscard]] const std::vector<GpuLanes>& gpus() const { return gpus_; }
    /// Those that made calls.
    [[nodiscard]] const std::set<Lane>& threads() const { return threads_; }
    [[nodiscard]] const std::set<std::uint32_t>& processes() const { return processes_; }

private:
    /// Process, device (kWaits: none), context, stream or thread.
    using Key = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t, std::uint32_t>;
    struct Span {
        std::uint64_t start = 0;
        std::uint64_t end = 0;
        std::uint32_t group = 0;
        std::uint32_t sequence = 0;
    };

    [[nodiscard]] static Key key_of(const profile::Activity& activity);
    [[nodiscard]] static std::uint64_t flow_key(const profile::Activity& activity);
    void name_gpus();
    void number_lanes(const std::vector<std::uint32_t>& widths);

    std::map<Key, std::uint32_t> groups_;
    std::vector<Span> spans_;
    std::vector<std::uint64_t> started_; ///< flow keys of GPU work, then of those that a call has too
    std::vector<std::uint64_t> calls_;
    std::vector<std::uint8_t> flow_seen_;  ///< per entry of started_: 1 its call was placed, 2 its first work was
    std::vector<std::uint8_t> slots_;      ///< per span, in order of add()
    std::vector<std::vector<Lane>> lanes_; ///< per group and slot
    std::vector<LaneName> names_;
    std::vector<GpuLanes> gpus_;
    std::set<Lane> threads_;
    std::set<std::uint32_t> processes_;
    std::size_t next_ = 0;
};

} // namespace kw::trace
