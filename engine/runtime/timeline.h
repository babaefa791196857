#pragma once

#include <cstdint>

namespace kw::runtime {

/// A stream, or an event, as the model of time knows it. Times are estimated microseconds since the start of the
/// program's first work; what the host does between its calls takes none.
struct Stream {
    unsigned flags = 0; ///< 1: does not wait for the default stream
    int priority = 0;
    std::uint64_t id = 0;
    double ready = 0; ///< when all its work has ended
};
struct Event {
    unsigned flags = 0; ///< 2: without times
    bool recorded = false;
    double time = 0;
    [[nodiscard]] bool timed() const { return (flags & 2u) == 0; }
};

/// When what would run. One queue per engine: kernels one after the other, copies in each direction one after the
/// other, beside each other as streams allow.
class Timeline {
public:
    enum class Engine { compute, to_device, to_host };

    /// Work of `us` at the end of a stream; null is the default stream, which waits for all that do not opt out.
    void add(Stream* stream, Engine engine, double us);
    /// When the work in a stream so far has ended.
    [[nodiscard]] double ready(const Stream* stream) const;
    void wait(Stream* stream, double time);
    /// The host has waited until `time`: what it asks for next begins no sooner.
    void host_waited(double time);
    /// When all work so far has ended.
    [[nodiscard]] double all_ready() const { return latest_; }

private:
    [[nodiscard]] static bool waits_for_default(const Stream* stream) { return !stream || (stream->flags & 1u) == 0; }

    double host_ = 0;
    double default_ready_ = 0;
    double blocking_ready_ = 0; ///< latest of the streams that the default one waits for
    double latest_ = 0;
    double engine_free_[3] = {0, 0, 0};
};

} // namespace kw::runtime
