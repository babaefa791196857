#include "engine/device/sim/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>

namespace kw::sim {
namespace {

constexpr std::uint64_t kPage = 4096;

std::uint64_t pages(std::uint64_t bytes) { return (std::max<std::uint64_t>(bytes, 1) + kPage - 1) / kPage * kPage; }

} // namespace

Result<DeviceMemory> DeviceMemory::reserve(std::uint64_t bytes) {
    DeviceMemory memory;
    // Twice the limit, so that guard pages and fragmentation do not run into it.
    const std::uint64_t reserved = pages(bytes) * 2 + (std::uint64_t{1} << 30);
    void* base = mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return fail(Stage::device, ErrorCode::device,
                    fmt::format("cannot reserve {} MiB of address space for simulated memory", reserved >> 20));
    memory.base_ = static_cast<std::byte*>(base);
    memory.reserved_ = reserved;
    memory.limit_ = bytes;
    memory.delta_ = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(base) - kGlobalBase);
    return memory;
}

DeviceMemory::~DeviceMemory() {
    if (base_) munmap(base_, reserved_);
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(reserved_, other.reserved_);
    std::swap(limit_, other.limit_);
    std::swap(used_, other.used_);
    std::swap(high_, other.high_);
    std::swap(delta_, other.delta_);
    allocations_.swap(other.allocations_);
    free_.swap(other.free_);
    return *this;
}

Result<std::uint64_t> DeviceMemory::allocate(std::uint64_t bytes, std::string_view label, bool writable) {
    if (bytes > limit_ || used_ + pages(bytes) > limit_)
        return fail(Stage::device, ErrorCode::invalid_input,
                    fmt::format("{} needs {} MiB, but the simulated device has only {} MiB left", label,
                                (bytes >> 20) + 1, (limit_ - used_) >> 20));
    const std::uint64_t size = pages(bytes);
    std::uint64_t offset = 0;
    if (const auto reuse = free_.find(size); reuse != free_.end()) {
        offset = reuse->second;
        free_.erase(reuse);
    } else {
        if (high_ + size + 2 * kPage > reserved_)
            return fail(Stage::device, ErrorCode::device,
                        "simulated memory is too fragmented; release allocations or start anew");
        offset = high_ + kPage;
        high_ = offset + size + kPage;
    }
    if (mprotect(base_ + offset, size, PROT_READ | PROT_WRITE) != 0)
        return fail(Stage::device, ErrorCode::device,
                    fmt::format("the system has no memory for {} ({} MiB)", label, size >> 20));
    used_ += size;
    Allocation allocation{kGlobalBase + offset, bytes, std::string(label), writable};
    const auto at = std::lower_bound(allocations_.begin(), allocations_.end(), allocation.begin,
                                     [](const Allocation& entry, std::uint64_t begin) { return entry.begin < begin; });
    return allocations_.insert(at, std::move(allocation))->begin;
}

void DeviceMemory::release(std::uint64_t address) {
    const auto at = std::lower_bound(allocations_.begin(), allocations_.end(), address,
                                     [](const Allocation& entry, std::uint64_t begin) { return entry.begin < begin; });
    if (at == allocations_.end() || at->begin != address) return;
    const std::uint64_t size = pages(at->bytes);
    const std::uint64_t offset = at->begin - kGlobalBase;
    madvise(base_ + offset, size, MADV_DONTNEED);
    mprotect(base_ + offset, size, PROT_NONE);
    used_ -= size;
    free_.emplace(size, offset);
    allocations_.erase(at);
}

const Allocation* DeviceMemory::find(std::uint64_t address) const {
    auto at = std::upper_bound(allocations_.begin(), allocations_.end(), address,
                               [](std::uint64_t value, const Allocation& entry) { return value < entry.begin; });
    if (at == allocations_.begin()) return nullptr;
    --at;
    return address < at->end() ? &*at : nullptr;
}

const Allocation* DeviceMemory::nearest(std::uint64_t address) const {
    const Allocation* best = nullptr;
    std::uint64_t distance = ~std::uint64_t{0};
    for (const Allocation& allocation : allocations_) {
        const std::uint64_t gap = address < allocation.begin    ? allocation.begin - address
                                  : address >= allocation.end() ? address - allocation.end() + 1
                                                                : 0;
        if (gap < distance) {
            distance = gap;
            best = &allocation;
        }
    }
    return best;
}

std::byte* DeviceMemory::host(std::uint64_t address, std::uint64_t bytes) const {
    const Allocation* allocation = find(address);
    if (!allocation || bytes > allocation->end() - address) return nullptr;
    return base_ + (address - kGlobalBase);
}

} // namespace kw::sim
