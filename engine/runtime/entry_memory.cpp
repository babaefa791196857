// Allocation, copies, sets and symbols.
#include "engine/runtime/call.h"

using namespace kw::runtime;

namespace {

std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); } // NOLINT(performance-no-int-to-ptr)

Status allocate(void** out, std::size_t bytes, MemoryKind kind, unsigned flags, std::string_view name,
                const Site& site) {
    return call(Meets::faults, [&](Runtime& runtime) { return runtime.allocate(out, bytes, kind, flags, name, site); });
}

Status copy(void* to, const void* from, std::size_t bytes, CopyKind kind, void* handle, bool waits,
            std::string_view name, const Site& site) {
    return call(waits ? Meets::faults : Meets::nothing, [&](Runtime& runtime) {
        const auto stream = runtime.stream(handle);
        if (!stream) return Status::InvalidResourceHandle;
        const auto status = runtime.copy(to, from, bytes, kind, *stream, name, site);
        if (waits) runtime.timeline.host_waited(runtime.timeline.ready(*stream));
        return status;
    });
}

Status copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
               std::size_t height, CopyKind kind, void* handle, bool waits, std::string_view name, const Site& site) {
    return call(waits ? Meets::faults : Meets::nothing, [&](Runtime& runtime) {
        const auto stream = runtime.stream(handle);
        if (!stream) return Status::InvalidResourceHandle;
        const auto status =
            runtime.copy_rows({to, to_pitch, width, height}, {const_cast<void*>(from), from_pitch, width, height},
                              {width, height, 1}, kind, *stream, name, site);
        if (waits) runtime.timeline.host_waited(runtime.timeline.ready(*stream));
        return status;
    });
}

Status copy_3d(const Copy3D* what, void* handle, bool waits, std::string_view name, const Site& site) {
    return call(waits ? Meets::faults : Meets::nothing, [&](Runtime& runtime) {
        if (!what) return Status::InvalidValue;
        if (what->from_array || what->to_array) unsupported("cudaMemcpy3D with CUDA arrays");
        const auto stream = runtime.stream(handle);
        if (!stream) return Status::InvalidResourceHandle;
        const auto from_corner = [](PitchedPointer side, const Position3& at) {
            side.pointer = static_cast<std::byte*>(side.pointer) + (at.z * side.height + at.y) * side.pitch + at.x;
            return side;
        };
        const auto status =
            runtime.copy_rows(from_corner(what->to, what->to_at), from_corner(what->from, what->from_at), what->extent,
                              what->kind, *stream, name, site);
        if (waits) runtime.timeline.host_waited(runtime.timeline.ready(*stream));
        return status;
    });
}

Status set(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, void* handle, bool waits,
           std::string_view name, const Site& site) {
    return call(waits ? Meets::faults : Meets::nothing, [&](Runtime& runtime) {
        const auto stream = runtime.stream(handle);
        if (!stream) return Status::InvalidResourceHandle;
        return runtime.set(to, pitch, value, width, height, *stream, name, site);
    });
}

Status symbol_copy(const void* symbol, void* host, const void* from, std::size_t bytes, std::size_t offset,
                   CopyKind kind, void* handle, bool waits, std::string_view name, const Site& site) {
    return call(waits ? Meets::faults : Meets::nothing, [&](Runtime& runtime) {
        const auto found = runtime.find_variable(symbol);
        if (!found) {
            runtime.explain(name, site, "the symbol is not a __device__ or __constant__ variable of the program");
            return Status::InvalidSymbol;
        }
        const auto stream = runtime.stream(handle);
        if (!stream) return Status::InvalidResourceHandle;
        if (offset > found->bytes || bytes > found->bytes - offset) {
            runtime.explain(name, site,
                            std::to_string(bytes) + " bytes from byte " + std::to_string(offset)
                                + " on run over the end of the variable, which has " + std::to_string(found->bytes));
            return Status::InvalidValue;
        }
        void* variable = pointer(found->address + offset);
        return host ? runtime.copy(host, variable, bytes, kind, *stream, name, site)
                    : runtime.copy(variable, from, bytes, kind, *stream, name, site);
    });
}

constexpr std::size_t kPitchUnit = 512;
std::size_t pitch_of(std::size_t width) { return (width + kPitchUnit - 1) / kPitchUnit * kPitchUnit; }

} // namespace

KW_API Status cudaMalloc(void** out, std::size_t bytes) {
    return allocate(out, bytes, MemoryKind::device, 0, "cudaMalloc", call_site());
}
KW_API Status cudaMallocAsync(void** out, std::size_t bytes, void*) {
    return allocate(out, bytes, MemoryKind::device, 0, "cudaMallocAsync", call_site());
}
KW_API Status cudaMallocManaged(void** out, std::size_t bytes, unsigned flags) {
    return allocate(out, bytes, MemoryKind::managed, flags, "cudaMallocManaged", call_site());
}
KW_API Status cudaMallocHost(void** out, std::size_t bytes) {
    return allocate(out, bytes, MemoryKind::host, 0, "cudaMallocHost", call_site());
}
KW_API Status cudaHostAlloc(void** out, std::size_t bytes, unsigned flags) {
    return allocate(out, bytes, MemoryKind::host, flags, "cudaHostAlloc", call_site());
}
KW_API Status cudaMallocPitch(void** out, std::size_t* pitch, std::size_t width, std::size_t height) {
    if (!pitch) return last_error() = Status::InvalidValue;
    *pitch = pitch_of(width);
    return allocate(out, *pitch * height, MemoryKind::device, 0, "cudaMallocPitch", call_site());
}
KW_API Status cudaMalloc3D(PitchedPointer* out, Extent extent) {
    if (!out) return last_error() = Status::InvalidValue;
    const auto pitch = pitch_of(extent.width);
    const auto status = allocate(&out->pointer, pitch * extent.height * extent.depth, MemoryKind::device, 0,
                                 "cudaMalloc3D", call_site());
    out->pitch = pitch;
    out->width = extent.width;
    out->height = extent.height;
    return status;
}
KW_API Status cudaFree(void* memory) {
    const auto site = call_site();
    return call(Meets::faults, [&](Runtime& runtime) {
        return runtime.release(memory, {MemoryKind::device, MemoryKind::managed}, "cudaFree", site);
    });
}
KW_API Status cudaFreeAsync(void* memory, void*) {
    const auto site = call_site();
    return call(Meets::nothing,
                [&](Runtime& runtime) { return runtime.release(memory, {MemoryKind::device}, "cudaFreeAsync", site); });
}
KW_API Status cudaFreeHost(void* memory) {
    const auto site = call_site();
    return call(Meets::faults,
                [&](Runtime& runtime) { return runtime.release(memory, {MemoryKind::host}, "cudaFreeHost", site); });
}
KW_API Status cudaHostGetDevicePointer(void** out, void* host, unsigned) {
    return call(Meets::faults, [&](Runtime& runtime) {
        const auto held = runtime.allocation_of(host);
        if (!out || !held || held->second.kind != MemoryKind::host) {
            if (out && runtime.registered.contains(address(host)))
                unsupported("cudaHostGetDevicePointer for memory of cudaHostRegister");
            return Status::InvalidValue;
        }
        *out = host;
        return Status::Success;
    });
}
KW_API Status cudaHostGetFlags(unsigned* out, void* host) {
    return call(Meets::faults, [&](Runtime& runtime) {
        const auto held = runtime.allocation_of(host);
        if (!out || !held || held->second.kind != MemoryKind::host) return Status::InvalidValue;
        *out = held->second.flags;
        return Status::Success;
    });
}
KW_API Status cudaHostRegister(void* host, std::size_t bytes, unsigned flags) {
    return call(Meets::faults, [&](Runtime& runtime) {
        if (!host || bytes == 0 || runtime.pages().in_range(address(host))) return Status::InvalidValue;
        if (runtime.registered.contains(address(host))) return Status::HostMemoryAlreadyRegistered;
        runtime.registered[address(host)] = {bytes, flags};
        return Status::Success;
    });
}
KW_API Status cudaHostUnregister(void* host) {
    return call(Meets::faults, [&](Runtime& runtime) {
        return runtime.registered.erase(address(host)) == 1 ? Status::Success : Status::HostMemoryNotRegistered;
    });
}
KW_API Status cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    return call(Meets::faults, [&](Runtime& runtime) {
        if (!free || !total) return Status::InvalidValue;
        *total = runtime.memory().limit();
        *free = *total - runtime.memory().used();
        return Status::Success;
    });
}
KW_API Status cudaPointerGetAttributes(PointerAttributes* out, const void* memory) {
    return call(Meets::faults, [&](Runtime& runtime) {
        if (!out || !memory) return Status::InvalidValue;
        *out = {};
        out->device = -2; // cudaInvalidDeviceId
        if (const auto held = runtime.allocation_of(memory)) {
            out->type = held->second.kind;
            out->device = 0;
            out->device_pointer = const_cast<void*>(memory);
            if (held->second.kind != MemoryKind::device) out->host_pointer = const_cast<void*>(memory);
        }
        return Status::Success;
    });
}

KW_API Status cudaMemcpy(void* to, const void* from, std::size_t bytes, CopyKind kind) {
    return copy(to, from, bytes, kind, nullptr, true, "cudaMemcpy", call_site());
}
KW_API Status cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, CopyKind kind, void* stream) {
    return copy(to, from, bytes, kind, stream, false, "cudaMemcpyAsync", call_site());
}
KW_API Status cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
    if (to_device != 0 || from_device != 0) return last_error() = Status::InvalidDevice;
    return copy(to, from, bytes, CopyKind::device_to_device, nullptr, true, "cudaMemcpyPeer", call_site());
}
KW_API Status cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                  void* stream) {
    if (to_device != 0 || from_device != 0) return last_error() = Status::InvalidDevice;
    return copy(to, from, bytes, CopyKind::device_to_device, stream, false, "cudaMemcpyPeerAsync", call_site());
}
KW_API Status cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                           std::size_t height, CopyKind kind) {
    return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, nullptr, true, "cudaMemcpy2D", call_site());
}
KW_API Status cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                std::size_t width, std::size_t height, CopyKind kind, void* stream) {
    return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, stream, false, "cudaMemcpy2DAsync",
                   call_site());
}
KW_API Status cudaMemcpy3D(const Copy3D* what) { return copy_3d(what, nullptr, true, "cudaMemcpy3D", call_site()); }
KW_API Status cudaMemcpy3DAsync(const Copy3D* what, void* stream) {
    return copy_3d(what, stream, false, "cudaMemcpy3DAsync", call_site());
}
KW_API Status cudaMemset(void* to, int value, std::size_t bytes) {
    return set(to, bytes, value, bytes, 1, nullptr, true, "cudaMemset", call_site());
}
KW_API Status cudaMemsetAsync(void* to, int value, std::size_t bytes, void* stream) {
    return set(to, bytes, value, bytes, 1, stream, false, "cudaMemsetAsync", call_site());
}
KW_API Status cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    return set(to, pitch, value, width, height, nullptr, true, "cudaMemset2D", call_site());
}
KW_API Status cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                                void* stream) {
    return set(to, pitch, value, width, height, stream, false, "cudaMemset2DAsync", call_site());
}
KW_API Status cudaMemset3D(PitchedPointer to, int value, Extent extent) {
    if (extent.height != to.height && extent.depth > 1) unsupported("cudaMemset3D of a part of each slice");
    return set(to.pointer, to.pitch, value, extent.width, extent.height * extent.depth, nullptr, true, "cudaMemset3D",
               call_site());
}

KW_API Status cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                 CopyKind kind) {
    return symbol_copy(symbol, nullptr, from, bytes, offset, kind, nullptr, true, "cudaMemcpyToSymbol", call_site());
}
KW_API Status cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                      CopyKind kind, void* stream) {
    return symbol_copy(symbol, nullptr, from, bytes, offset, kind, stream, false, "cudaMemcpyToSymbolAsync",
                       call_site());
}
KW_API Status cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, CopyKind kind) {
    return symbol_copy(symbol, to, nullptr, bytes, offset, kind, nullptr, true, "cudaMemcpyFromSymbol", call_site());
}
KW_API Status cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                        CopyKind kind, void* stream) {
    return symbol_copy(symbol, to, nullptr, bytes, offset, kind, stream, false, "cudaMemcpyFromSymbolAsync",
                       call_site());
}
KW_API Status cudaGetSymbolAddress(void** out, const void* symbol) {
    return call(Meets::faults, [&](Runtime& runtime) {
        const auto found = runtime.find_variable(symbol);
        if (!found) return Status::InvalidSymbol;
        if (!out) return Status::InvalidValue;
        *out = pointer(found->address);
        return Status::Success;
    });
}
KW_API Status cudaGetSymbolSize(std::size_t* out, const void* symbol) {
    return call(Meets::faults, [&](Runtime& runtime) {
        const auto found = runtime.find_variable(symbol);
        if (!found) return Status::InvalidSymbol;
        if (!out) return Status::InvalidValue;
        *out = found->bytes;
        return Status::Success;
    });
}

// Hints, which change no result.
KW_API Status cudaMemPrefetchAsync(const void* memory, std::size_t, Location, unsigned, void*) {
    return call(Meets::nothing, [&](Runtime& runtime) {
        return runtime.allocation_of(memory) ? Status::Success : Status::InvalidValue;
    });
}
KW_API Status cudaMemAdvise(const void* memory, std::size_t, int, Location) {
    return call(Meets::nothing, [&](Runtime& runtime) {
        return runtime.allocation_of(memory) ? Status::Success : Status::InvalidValue;
    });
}
