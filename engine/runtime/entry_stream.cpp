// Streams and events.
#include "engine/runtime/call.h"

#include <algorithm>

using namespace kw::runtime;

namespace {

constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

Status make_stream(void** out, unsigned flags, int priority) {
    return call(Meets::faults, [&](Runtime& runtime) {
        if (!out || flags > 1) return Status::InvalidValue;
        auto* stream = new Stream; // NOLINT(cppcoreguidelines-owning-memory): the program destroys it
        stream->flags = flags;
        stream->priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
        stream->id = ++runtime.handles_made;
        runtime.streams.insert(stream);
        *out = stream;
        return Status::Success;
    });
}

Status make_event(void** out, unsigned flags) {
    return call(Meets::faults, [&](Runtime& runtime) {
        if (!out || flags > 7) return Status::InvalidValue;
        auto* event = new Event; // NOLINT(cppcoreguidelines-owning-memory): the program destroys it
        event->flags = flags;
        runtime.events.insert(event);
        *out = event;
        return Status::Success;
    });
}

/// A body that is given a stream of the program.
template<class Body> Status with_stream(Meets meets, void* handle, Body&& body) {
    return call(meets, [&](Runtime& runtime) {
        const auto stream = runtime.stream(handle);
        return stream ? body(runtime, *stream) : Status::InvalidResourceHandle;
    });
}

template<class Body> Status with_event(Meets meets, void* handle, Body&& body) {
    return call(meets, [&](Runtime& runtime) {
        Event* event = runtime.event(handle);
        return event ? body(runtime, *event) : Status::InvalidResourceHandle;
    });
}

} // namespace

KW_API Status cudaStreamCreate(void** out) { return make_stream(out, 0, 0); }
KW_API Status cudaStreamCreateWithFlags(void** out, unsigned flags) { return make_stream(out, flags, 0); }
KW_API Status cudaStreamCreateWithPriority(void** out, unsigned flags, int priority) {
    return make_stream(out, flags, priority);
}
KW_API Status cudaStreamDestroy(void* handle) {
    return with_stream(Meets::faults, handle, [](Runtime& runtime, Stream* stream) {
        if (!stream) return Status::InvalidResourceHandle;
        runtime.streams.erase(stream);
        delete stream; // NOLINT(cppcoreguidelines-owning-memory)
        return Status::Success;
    });
}
KW_API Status cudaStreamSynchronize(void* handle) {
    return with_stream(Meets::faults, handle, [](Runtime& runtime, Stream* stream) {
        runtime.timeline.host_waited(runtime.timeline.ready(stream));
        return Status::Success;
    });
}
KW_API Status cudaStreamQuery(void* handle) {
    return with_stream(Meets::faults, handle, [](Runtime&, Stream*) { return Status::Success; });
}
KW_API Status cudaStreamWaitEvent(void* handle, void* event, unsigned) {
    return with_stream(Meets::nothing, handle, [&](Runtime& runtime, Stream* stream) {
        const Event* known = runtime.event(event);
        if (!known) return Status::InvalidResourceHandle;
        if (known->recorded) runtime.timeline.wait(stream, known->time);
        return Status::Success;
    });
}
KW_API Status cudaStreamGetFlags(void* handle, unsigned* out) {
    return with_stream(Meets::faults, handle, [&](Runtime&, Stream* stream) {
        if (!out) return Status::InvalidValue;
        *out = stream ? stream->flags : 0;
        return Status::Success;
    });
}
KW_API Status cudaStreamGetPriority(void* handle, int* out) {
    return with_stream(Meets::faults, handle, [&](Runtime&, Stream* stream) {
        if (!out) return Status::InvalidValue;
        *out = stream ? stream->priority : 0;
        return Status::Success;
    });
}
KW_API Status cudaStreamGetId(void* handle, unsigned long long* out) {
    return with_stream(Meets::faults, handle, [&](Runtime&, Stream* stream) {
        if (!out) return Status::InvalidValue;
        *out = stream ? stream->id : 0;
        return Status::Success;
    });
}
KW_API Status cudaStreamGetDevice(void* handle, int* out) {
    return with_stream(Meets::faults, handle, [&](Runtime&, Stream*) {
        if (!out) return Status::InvalidValue;
        *out = 0;
        return Status::Success;
    });
}
KW_API Status cudaStreamIsCapturing(void* handle, int* out) {
    return with_stream(Meets::nothing, handle, [&](Runtime&, Stream*) {
        if (!out) return Status::InvalidValue;
        *out = 0; // cudaStreamCaptureStatusNone: there are no captures
        return Status::Success;
    });
}
KW_API Status cudaStreamAttachMemAsync(void* handle, void* memory, std::size_t, unsigned) {
    return with_stream(Meets::nothing, handle, [&](Runtime& runtime, Stream*) {
        return runtime.allocation_of(memory) ? Status::Success : Status::InvalidValue;
    });
}
// Work is done when it is handed over, so what follows in the stream runs now; calls of the runtime are not allowed in
// these functions, but do no harm here.
KW_API Status cudaLaunchHostFunc(void* handle, void (*function)(void*), void* data) {
    const auto status = with_stream(
        Meets::nothing, handle, [&](Runtime&, Stream*) { return function ? Status::Success : Status::InvalidValue; });
    if (status == Status::Success) function(data);
    return status;
}
KW_API Status cudaStreamAddCallback(void* handle, void (*function)(void*, Status, void*), void* data, unsigned flags) {
    Status told = Status::Success;
    const auto status = with_stream(Meets::nothing, handle, [&](Runtime& runtime, Stream*) {
        told = runtime.pending;
        return function && flags == 0 ? Status::Success : Status::InvalidValue;
    });
    if (status == Status::Success) function(handle, told, data);
    return status;
}
KW_API Status cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return call(Meets::faults, [&](Runtime&) {
        if (least) *least = kLeastPriority;
        if (greatest) *greatest = kGreatestPriority;
        return Status::Success;
    });
}

KW_API Status cudaEventCreate(void** out) { return make_event(out, 0); }
KW_API Status cudaEventCreateWithFlags(void** out, unsigned flags) { return make_event(out, flags); }
KW_API Status cudaEventDestroy(void* handle) {
    return with_event(Meets::faults, handle, [](Runtime& runtime, Event& event) {
        runtime.events.erase(&event);
        delete &event; // NOLINT(cppcoreguidelines-owning-memory)
        return Status::Success;
    });
}
KW_API Status cudaEventRecord(void* handle, void* queue) {
    return with_event(Meets::nothing, handle, [&](Runtime& runtime, Event& event) {
        const auto stream = runtime.stream(queue);
        if (!stream) return Status::InvalidResourceHandle;
        event.recorded = true;
        event.time = runtime.timeline.ready(*stream);
        return Status::Success;
    });
}
KW_API Status cudaEventRecordWithFlags(void* handle, void* queue, unsigned) { return cudaEventRecord(handle, queue); }
KW_API Status cudaEventSynchronize(void* handle) {
    return with_event(Meets::faults, handle, [](Runtime& runtime, Event& event) {
        if (event.recorded) runtime.timeline.host_waited(event.time);
        return Status::Success;
    });
}
KW_API Status cudaEventQuery(void* handle) {
    return with_event(Meets::faults, handle, [](Runtime&, Event&) { return Status::Success; });
}
KW_API Status cudaEventElapsedTime(float* out, void* begin, void* end) {
    return with_event(Meets::faults, begin, [&](Runtime& runtime, Event& from) {
        const Event* to = runtime.event(end);
        if (!to || !from.recorded || !to->recorded || !from.timed() || !to->timed())
            return Status::InvalidResourceHandle;
        if (!out) return Status::InvalidValue;
        runtime.say_estimated();
        *out = static_cast<float>((to->time - from.time) / 1e3);
        return Status::Success;
    });
}
