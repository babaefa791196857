// Allocation, copies and sets.
#include "engine/runtime/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace kw::runtime {
namespace {

/// Bytes per microsecond of a copy between host and device: what PCIe 4.0 ×16 gives in practice. Data sheets of GPUs
/// say nothing of the host.
constexpr double kHostLink = 25e3;
constexpr double kCopyStartUs = 5;

std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

} // namespace

Status Runtime::allocate(void** out, std::size_t bytes, MemoryKind kind, unsigned flags, std::string_view call,
                         const Site& site) {
    if (!out) return Status::InvalidValue;
    *out = nullptr;
    if (bytes == 0) return kind == MemoryKind::managed ? Status::InvalidValue : Status::Success;
    auto got = device_->allocate(bytes, fmt::format("@{}@", allocated_));
    if (!got) {
        explain(call, site,
                fmt::format("{} bytes are more than the {} that are left", bytes, memory().limit() - memory().used()));
        return Status::MemoryAllocation;
    }
    if (kind != MemoryKind::device) {
        if (auto shared = pages_->share(*got, bytes); !shared) {
            device_->release(*got);
            explain(call, site, shared.error().message);
            return Status::MemoryAllocation;
        }
        // Host code may write it unseen, so all of it counts as written.
        if (auto filled = device_->fill(*got, bytes, std::byte{0}); !filled) return Status::Unknown;
    }
    ++allocated_;
    Allocation allocation;
    allocation.bytes = bytes;
    allocation.kind = kind;
    allocation.site = site;
    allocation.flags = flags;
    allocation.label = allocated_ - 1;
    allocation.call = call;
    allocations.emplace(*got, allocation);
    *out = reinterpret_cast<void*>(*got); // NOLINT(performance-no-int-to-ptr)
    return Status::Success;
}

Status Runtime::release(void* pointer, std::initializer_list<MemoryKind> kinds, std::string_view call,
                        const Site& site) {
    if (!pointer) return Status::Success;
    const auto at = allocations.find(address(pointer));
    if (at == allocations.end()) {
        const bool ours = pages_->in_range(address(pointer));
        explain(call, site,
                fmt::format("{:#x} is {}", address(pointer),
                            !ours                    ? "host memory that this call does not free"
                            : allocation_of(pointer) ? "within an allocation, not its start"
                            : released_.contains(address(pointer))
                                ? fmt::format("free already; it was freed at {}", place(released_.at(address(pointer))))
                                : "not an allocation"));
        return Status::InvalidValue;
    }
    if (std::find(kinds.begin(), kinds.end(), at->second.kind) == kinds.end()) {
        explain(call, site, fmt::format("{} is freed by another call", describe(at->first, at->second)));
        return Status::InvalidValue;
    }
    if (at->second.kind != MemoryKind::device) pages_->unshare(at->first);
    device_->release(at->first);
    released_[at->first] = site;
    allocations.erase(at);
    return Status::Success;
}

std::optional<std::pair<std::uint64_t, Allocation>> Runtime::allocation_of(const void* pointer) const {
    auto at = allocations.upper_bound(address(pointer));
    if (at == allocations.begin()) return std::nullopt;
    --at;
    if (address(pointer) - at->first >= at->second.bytes) return std::nullopt;
    return *at;
}

std::string Runtime::describe(std::uint64_t begin, const Allocation& allocation) const {
    const auto at = place(allocation.site);
    if (at.empty()) return fmt::format("the memory at {:#x}", begin);
    const auto name = address_taken(at, allocation.call);
    return name.empty() ? fmt::format("the memory of {} at {}", allocation.call, at)
                        : fmt::format("{} ({} at {})", name, allocation.call, at);
}

bool Runtime::within(const void* pointer, std::size_t bytes) const {
    return sim::memory_of(*device_).host(address(pointer), bytes) != nullptr;
}

Status Runtime::move(void* to, const void* from, std::size_t bytes, CopyKind kind, std::string_view call,
                     const Site& site) {
    if (static_cast<int>(kind) < 0 || static_cast<int>(kind) > 4) return Status::InvalidMemcpyDirection;
    if (bytes == 0) return Status::Success;
    const bool to_device = pages_->in_range(address(to));
    const bool from_device = pages_->in_range(address(from));
    const auto wrong = [&](std::string_view side, const void* pointer, bool device) {
        const auto held = allocation_of(pointer);
        explain(
            call, site,
            !pointer  ? fmt::format("the {} is a null pointer", side)
            : !device ? fmt::format("the {} {:#x} is host memory, but the direction of the copy says device", side,
                                    address(pointer))
            : held    ? fmt::format("{} bytes at the {} {:#x} run over the end of {}, which has {} bytes", bytes, side,
                                    address(pointer), describe(held->first, held->second), held->second.bytes)
                   : fmt::format("the {} {:#x} is not memory of the device that is allocated", side, address(pointer)));
        return Status::InvalidValue;
    };
    const auto plain = [&](const void* pointer) {
        const auto held = allocation_of(pointer);
        return !held || held->second.kind != MemoryKind::device;
    };
    const bool wants_to = kind == CopyKind::host_to_device || kind == CopyKind::device_to_device;
    const bool wants_from = kind == CopyKind::device_to_host || kind == CopyKind::device_to_device;
    if (!to || (to_device ? !within(to, bytes) : wants_to)) return wrong("destination", to, to_device);
    if (!from || (from_device ? !within(from, bytes) : wants_from)) return wrong("source", from, from_device);
    if (kind != CopyKind::any
        && ((to_device && !wants_to && !plain(to)) || (from_device && !wants_from && !plain(from)))) {
        explain(call, site,
                "the direction of the copy says host, but the pointer is memory of the device; see cudaMemcpyKind");
        return Status::InvalidValue;
    }
    std::byte* target = to_device ? memory().host(address(to), bytes) : static_cast<std::byte*>(to);
    const std::byte* source = from_device ? memory().host(address(from), bytes) : static_cast<const std::byte*>(from);
    if (to_device) {
        if (auto done = device_->upload(address(to), {source, bytes}); !done) return Status::Unknown;
    } else {
        std::memmove(target, source, bytes);
    }
    return Status::Success;
}

void Runtime::add_copy_time(const void* to, const void* from, std::size_t bytes, Stream* stream) {
    const bool to_device = pages_->in_range(address(to));
    const bool from_device = pages_->in_range(address(from));
    const auto size = static_cast<double>(bytes);
    if (to_device && from_device)
        timeline.add(stream, Timeline::Engine::compute,
                     size * 2 / (model_.dram_gbps * 1e3) + model_.launch_overhead_us);
    else if (to_device)
        timeline.add(stream, Timeline::Engine::to_device, size / kHostLink + kCopyStartUs);
    else if (from_device)
        timeline.add(stream, Timeline::Engine::to_host, size / kHostLink + kCopyStartUs);
}

Status Runtime::copy(void* to, const void* from, std::size_t bytes, CopyKind kind, Stream* stream,
                     std::string_view call, const Site& site) {
    const auto status = move(to, from, bytes, kind, call, site);
    if (status == Status::Success && bytes > 0) add_copy_time(to, from, bytes, stream);
    return status;
}

Status Runtime::copy_rows(PitchedPointer to, PitchedPointer from, Extent extent, CopyKind kind, Stream* stream,
                          std::string_view call, const Site& site) {
    if (extent.width > to.pitch || extent.width > from.pitch) {
        explain(call, site,
                fmt::format("rows of {} bytes are longer than the pitch of {}", extent.width,
                            std::min(to.pitch, from.pitch)));
        return Status::InvalidPitchValue;
    }
    for (std::size_t z = 0; z < extent.depth; ++z)
        for (std::size_t y = 0; y < extent.height; ++y) {
            const auto status = move(static_cast<std::byte*>(to.pointer) + (z * to.height + y) * to.pitch,
                                     static_cast<const std::byte*>(from.pointer) + (z * from.height + y) * from.pitch,
                                     extent.width, kind, call, site);
            if (status != Status::Success) return status;
        }
    add_copy_time(to.pointer, from.pointer, extent.width * extent.height * extent.depth, stream);
    return Status::Success;
}

Status Runtime::set(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, Stream* stream,
                    std::string_view call, const Site& site) {
    if (width > pitch && height > 1) return Status::InvalidPitchValue;
    for (std::size_t row = 0; row < height && width > 0; ++row) {
        auto* begin = static_cast<std::byte*>(to) + row * pitch;
        if (!within(begin, width)) {
            explain(
                call, site,
                fmt::format("{} bytes at {:#x} are not within one allocation of the device", width, address(begin)));
            return Status::InvalidValue;
        }
        if (auto done = device_->fill(address(begin), width, static_cast<std::byte>(value)); !done)
            return Status::Unknown;
    }
    timeline.add(stream, Timeline::Engine::compute,
                 static_cast<double>(width * height) / (model_.dram_gbps * 1e3) + model_.launch_overhead_us);
    return Status::Success;
}

} // namespace kw::runtime
