#pragma once

#include "engine/runtime/runtime.h"

#include <exception>
#include <new>

/// What the entry points share. Each is a C function under the name that programs link against.
#define KW_API extern "C" __attribute__((visibility("default")))

namespace kw::runtime {

enum class Meets {
    faults,  ///< a call that waits for the device, or may be told of what has gone wrong there
    nothing, ///< one that only hands work on
};

/// Runs the body of a call: the device is open, the runtime is this thread's, and what goes wrong is kept for
/// cudaGetLastError. Once a kernel has faulted every call gives that.
template<class Body> Status call(Meets meets, Body&& body) {
    auto& runtime = Runtime::instance();
    const std::lock_guard lock(runtime.mutex);
    Status status = Status::Unknown;
    try {
        if (runtime.forked()) {
            status = Status::InitializationError;
        } else {
            runtime.open();
            if (meets == Meets::faults && runtime.sticky == Status::Success) runtime.sticky = runtime.pending;
            status = runtime.sticky != Status::Success ? runtime.sticky : body(runtime);
        }
    } catch (const std::bad_alloc&) {
        status = Status::MemoryAllocation;
    } catch (const std::exception& error) {
        say(std::string("kw run: ") + error.what() + "\n");
    }
    if (status != Status::Success && status != Status::NotReady) last_error() = status;
    return status;
}

} // namespace kw::runtime
