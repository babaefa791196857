#pragma once

#include "engine/base/dynlib.h"
#include "engine/profile/cupti/activity.h"
#include "engine/profile/inject/stream_file.h"
#include "engine/profile/trace/wire.h"

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>

namespace kw::trace {

/// Collects this process's activities and writes them to its stream every few moments, from a thread of its own, so
/// that a process that is killed loses little. Made once and never destroyed: CUDA, and threads of the program, may
/// still be at work while the process ends.
class Tracer {
public:
    /// As the environment says; null when it says nothing or the stream cannot be made. What else goes wrong is told
    /// in the stream.
    [[nodiscard]] static Tracer* start();

    /// Writes what there is and ends the stream. Does nothing in a forked child, whose copy of CUDA cannot be used.
    void finish();

private:
    explicit Tracer(StreamFile file) : file_(std::move(file)) {}
    /// Opens CUPTI and starts collecting.
    [[nodiscard]] Result<void> begin();
    void say_who();
    void run();
    /// One round: has CUPTI hand over what has ended, and writes it. With the mutex held.
    void write(bool forced);
    void name_threads(const std::vector<profile::Activity>& activities);

    StreamFile file_;
    pid_t process_ = 0;
    DynamicLibrary library_;
    cupti::ActivityApi api_;
    std::unique_ptr<cupti::ActivityCollector> collector_;
    Encoder encoder_;
    std::set<std::uint32_t> named_threads_;
    std::size_t devices_told_ = 0;
    std::uint64_t limit_ = 0;
    std::uint64_t written_ = 0;
    std::uint64_t not_written_ = 0;
    LossesEvent losses_told_;
    bool clocks_told_ = false;
    std::timed_mutex mutex_;             ///< of a round
    std::atomic<bool> finished_ = false; ///< nothing is written any more
    std::atomic<bool> broken_ = false;   ///< nothing can be written any more
};

} // namespace kw::trace
