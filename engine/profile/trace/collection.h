#pragma once

#include "engine/base/result.h"
#include "engine/profile/trace/chrome_trace.h"
#include "engine/profile/trace/spool.h"
#include "engine/profile/trace/summary.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace kw::trace {

/// Everything that the processes of one trace have told. Refreshing while they run keeps summary() current at little
/// cost; the activities themselves stay in the spool and are read again by source().
class Collection {
public:
    /// `base_time_ns` (since 1970) is the zero of all times. Beyond `max_activities` they count as lost.
    Collection(const Spool& spool, std::uint64_t base_time_ns, std::uint64_t max_activities)
        : spool_(spool), base_time_ns_(base_time_ns), max_activities_(max_activities) {}

    /// Reads what is new.
    [[nodiscard]] Result<void> refresh();

    /// Processes that initialised CUDA, in the order of their numbers; one that replaced itself by another program is
    /// one of them.
    [[nodiscard]] std::vector<ProcessInfo> processes() const;
    [[nodiscard]] const Summarizer& summarizer() const { return summarizer_; }
    [[nodiscard]] std::uint64_t lost() const;
    [[nodiscard]] LossesEvent losses() const;
    /// What went wrong in a process, each sentence once.
    [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }
    /// "13.0"; empty when no process got as far.
    [[nodiscard]] const std::string& cupti() const { return cupti_; }
    /// Processes that ended without saying so: killed, crashed, or by _exit.
    [[nodiscard]] std::size_t cut_short() const;

    /// The activities that the last refresh() knew, process by process, on this trace's clock.
    [[nodiscard]] Source source() const;

private:
    struct Stream {
        explicit Stream(std::filesystem::path path) : reader(std::move(path)) {}
        StreamReader reader;
        ProcessEvent process;
        ProcessInfo info;
        LossesEvent losses;
        std::uint64_t activities = 0;
        std::uint64_t kept = 0; ///< of them, within the limit
        bool ended = false;
    };

    void take(Stream& stream, Event&& event);
    [[nodiscard]] std::uint64_t on_our_clock(std::uint64_t time_ns, const ProcessEvent& process) const;
    void put_on_our_clock(profile::Activity& activity, const ProcessEvent& process) const;

    const Spool& spool_;
    std::uint64_t base_time_ns_;
    std::uint64_t max_activities_;
    std::vector<std::unique_ptr<Stream>> streams_;
    Summarizer summarizer_;
    std::uint64_t kept_ = 0;
    std::vector<std::string> problems_;
    std::string cupti_;
};

} // namespace kw::trace
