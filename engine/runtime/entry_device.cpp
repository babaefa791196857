// The device, its limits, and errors.
#include "engine/runtime/call.h"
#include "engine/runtime/properties.h"

#include <cstring>
#include <iterator>
#include <string>

using namespace kw::runtime;

namespace {

constexpr int kRuntimeVersion = 13000;

/// By number of cudaLimit: what the program has set, what there is of it, and what to say of a program that asks for
/// more. The simulator's own amounts stay as they are; without words, the limit changes nothing that a program
/// computes.
struct DeviceLimit {
    std::size_t value = 0;
    std::size_t most = 0;
    const char* words = nullptr;
    bool said = false;
};
DeviceLimit g_limits[] = {
    {1024, kw::sim::SimOptions{}.stack_bytes,
     "of stack are what a thread has on the simulator, whatever this limit is; recursion that needs more fails"},
    {std::size_t{1} << 20, std::size_t{1} << 20,
     "are what is shown of a launch's printf on the simulator, whatever this limit is"},
    {std::size_t{8} << 20, std::size_t{8} << 20,
     "are what malloc in kernels has on the simulator, whatever this limit is; it gives a null pointer when they are "
     "used up"},
    {2},    // depth of launches from the device
    {2048}, // how many of them may wait
    {64},   // granularity of fetches into L2
    {0},    // L2 for persisting accesses
};
constexpr int kLimits = static_cast<int>(std::size(g_limits));
int g_flags = 0;

Status known_device(int device) { return device == 0 ? Status::Success : Status::InvalidDevice; }

} // namespace

KW_API Status cudaGetDeviceCount(int* out) {
    return call(Meets::faults, [&](Runtime&) {
        if (!out) return Status::InvalidValue;
        *out = 1;
        return Status::Success;
    });
}
KW_API Status cudaSetDevice(int device) {
    return call(Meets::faults, [&](Runtime&) { return known_device(device); });
}
KW_API Status cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
KW_API Status cudaGetDevice(int* out) {
    return call(Meets::nothing, [&](Runtime&) {
        if (!out) return Status::InvalidValue;
        *out = 0;
        return Status::Success;
    });
}
KW_API Status cudaChooseDevice(int* out, const DeviceProperties*) { return cudaGetDevice(out); }
KW_API Status cudaSetValidDevices(int* devices, int count) {
    return call(Meets::faults, [&](Runtime&) {
        for (int index = 0; index < count; ++index)
            if (devices[index] != 0) return Status::InvalidDevice;
        return Status::Success;
    });
}
KW_API Status cudaSetDeviceFlags(unsigned flags) {
    return call(Meets::faults, [&](Runtime&) {
        g_flags = static_cast<int>(flags);
        return Status::Success;
    });
}
KW_API Status cudaGetDeviceFlags(unsigned* out) {
    return call(Meets::faults, [&](Runtime&) {
        if (!out) return Status::InvalidValue;
        *out = static_cast<unsigned>(g_flags);
        return Status::Success;
    });
}
KW_API Status cudaGetDeviceProperties(DeviceProperties* out, int device) {
    return call(Meets::faults, [&](Runtime& runtime) {
        if (device != 0) return Status::InvalidDevice;
        if (!out) return Status::InvalidValue;
        *out = properties_of(runtime.model(), runtime.memory().limit());
        return Status::Success;
    });
}
KW_API Status cudaDeviceGetAttribute(int* out, int attribute, int device) {
    return call(Meets::faults, [&](Runtime& runtime) {
        if (device != 0) return Status::InvalidDevice;
        if (!out) return Status::InvalidValue;
        const auto value = attribute_of(runtime.model(), runtime.memory().limit(), attribute);
        if (!value) return Status::InvalidValue;
        *out = *value;
        return Status::Success;
    });
}
KW_API Status cudaDeviceSynchronize() {
    return call(Meets::faults, [&](Runtime& runtime) {
        runtime.timeline.host_waited(runtime.timeline.all_ready());
        return Status::Success;
    });
}
KW_API Status cudaDeviceReset() {
    auto& runtime = Runtime::instance();
    const std::lock_guard lock(runtime.mutex);
    if (runtime.forked()) return Status::InitializationError;
    runtime.open();
    runtime.reset();
    last_error() = Status::Success;
    return Status::Success;
}
KW_API Status cudaDeviceGetLimit(std::size_t* out, int limit) {
    return call(Meets::faults, [&](Runtime&) {
        if (limit < 0 || limit >= kLimits) return Status::UnsupportedLimit;
        if (!out) return Status::InvalidValue;
        *out = g_limits[limit].value;
        return Status::Success;
    });
}
KW_API Status cudaDeviceSetLimit(int limit, std::size_t value) {
    const auto site = call_site();
    return call(Meets::faults, [&](Runtime& runtime) {
        if (limit < 0 || limit >= kLimits) return Status::UnsupportedLimit;
        DeviceLimit& set = g_limits[limit];
        set.value = value;
        if (set.words && value > set.most && !set.said) {
            set.said = true;
            runtime.explain("cudaDeviceSetLimit", site, std::to_string(set.most) + " bytes " + set.words);
        }
        return Status::Success;
    });
}
KW_API Status cudaDeviceSetCacheConfig(int) {
    return call(Meets::faults, [&](Runtime&) { return Status::Success; });
}
KW_API Status cudaDeviceGetCacheConfig(int* out) { return cudaGetDevice(out); }
KW_API Status cudaDeviceSetSharedMemConfig(int) { return cudaDeviceSetCacheConfig(0); }
KW_API Status cudaDeviceGetSharedMemConfig(int* out) {
    return call(Meets::faults, [&](Runtime&) {
        if (!out) return Status::InvalidValue;
        *out = 1; // cudaSharedMemBankSizeFourByte
        return Status::Success;
    });
}
KW_API Status cudaDeviceCanAccessPeer(int* out, int device, int peer) {
    return call(Meets::faults, [&](Runtime&) {
        if (device != 0 || peer != 0) return Status::InvalidDevice;
        if (!out) return Status::InvalidValue;
        *out = 0;
        return Status::Success;
    });
}
KW_API Status cudaDeviceEnablePeerAccess(int, unsigned) {
    return call(Meets::faults, [&](Runtime&) { return Status::InvalidDevice; });
}
KW_API Status cudaDeviceDisablePeerAccess(int) {
    return call(Meets::faults, [&](Runtime&) { return Status::PeerAccessNotEnabled; });
}
KW_API Status cudaDeviceGetPCIBusId(char* out, int length, int device) {
    return call(Meets::faults, [&](Runtime&) {
        constexpr std::string_view kBus = "0000:00:00.0";
        if (device != 0) return Status::InvalidDevice;
        if (!out || length <= static_cast<int>(kBus.size())) return Status::InvalidValue;
        std::memcpy(out, kBus.data(), kBus.size() + 1);
        return Status::Success;
    });
}
KW_API Status cudaDriverGetVersion(int* out) {
    if (!out) return last_error() = Status::InvalidValue;
    *out = kRuntimeVersion;
    return Status::Success;
}
KW_API Status cudaRuntimeGetVersion(int* out) { return cudaDriverGetVersion(out); }
KW_API Status cudaProfilerStart() { return Status::Success; }
KW_API Status cudaProfilerStop() { return Status::Success; }

KW_API const char* cudaGetErrorName(Status status) { return status_name(status); }
KW_API const char* cudaGetErrorString(Status status) { return status_text(status); }
KW_API Status cudaPeekAtLastError() {
    auto& runtime = Runtime::instance();
    const std::lock_guard lock(runtime.mutex);
    return runtime.sticky != Status::Success ? runtime.sticky : last_error();
}
KW_API Status cudaGetLastError() {
    const Status status = cudaPeekAtLastError();
    last_error() = Status::Success;
    return status;
}
