#include "engine/runtime/timeline.h"

#include <algorithm>

namespace kw::runtime {

void Timeline::add(Stream* stream, Engine engine, double us) {
    double& free = engine_free_[static_cast<int>(engine)];
    const double begin = std::max({ready(stream), host_, free});
    const double end = begin + us;
    free = end;
    latest_ = std::max(latest_, end);
    (stream ? stream->ready : default_ready_) = end;
    if (waits_for_default(stream)) blocking_ready_ = std::max(blocking_ready_, end);
}

double Timeline::ready(const Stream* stream) const {
    if (!stream) return std::max(default_ready_, blocking_ready_);
    return waits_for_default(stream) ? std::max(stream->ready, default_ready_) : stream->ready;
}

void Timeline::wait(Stream* stream, double time) {
    double& ready = stream ? stream->ready : default_ready_;
    ready = std::max(ready, time);
}

void Timeline::host_waited(double time) { host_ = std::max(host_, time); }

} // namespace kw::runtime
