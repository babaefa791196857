#include "engine/device/sim/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
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
    void* bits = mmap(nullptr, reserved / 8, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bits == MAP_FAILED)
        return fail(Stage::device, ErrorCode::device,
                    fmt::format("cannot reserve {} MiB of address space for what was written", reserved >> 23));
    memory.written_ = static_cast<std::uint64_t*>(bits);
    memory.limit_ = bytes;
    memory.delta_ = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(base) - kGlobalBase);
    return memory;
}

DeviceMemory::~DeviceMemory() {
    if (written_) munmap(written_, reserved_ / 8);
    if (base_) munmap(base_, reserved_);
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(written_, other.written_);
    std::swap(covered_, other.covered_);
    std::swap(reserved_, other.reserved_);
    std::swap(limit_, other.limit_);
    std::swap(used_, other.used_);
    std::swap(high_, other.high_);
    std::swap(highest_, other.highest_);
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
    const std::uint64_t taken = size + 2 * kPage; // with a guard page on either side
    auto fit = free_.end();
    for (auto range = free_.begin(); range != free_.end(); ++range) {
        if (range->second >= taken && (fit == free_.end() || range->second < fit->second)) fit = range;
    }
    const std::uint64_t start = fit != free_.end() ? fit->first : high_;
    if (fit == free_.end() && taken > reserved_ - high_)
        return fail(Stage::device, ErrorCode::device,
                    "simulated memory is too fragmented; release allocations or start anew");
    const std::uint64_t offset = start + kPage;
    if (mprotect(base_ + offset, size, PROT_READ | PROT_WRITE) != 0)
        return fail(Stage::device, ErrorCode::device,
                    fmt::format("the system has no memory for {} ({} MiB)", label, size >> 20));
    if (!cover_written(offset + size))
        return fail(Stage::device, ErrorCode::device,
                    fmt::format("the system has no memory to remember what of {} was written", label));
    if (fit != free_.end()) {
        const std::uint64_t rest = fit->second - taken;
        free_.erase(fit);
        if (rest != 0) free_.emplace(start + taken, rest);
    } else {
        high_ += taken;
        highest_ = std::max(highest_, high_);
    }
    used_ += size;
    Allocation allocation{kGlobalBase + offset, bytes, std::string(label), writable};
    const auto at = std::lower_bound(allocations_.begin(), allocations_.end(), allocation.begin,
                                     [](const Allocation& entry, std::uint64_t begin) { return entry.begin < begin; });
    return allocations_.insert(at, std::move(allocation))->begin;
}

Result<std::uint64_t> DeviceMemory::allocate_apart(std::uint64_t bytes, std::string_view label, bool writable) {
    const std::uint64_t taken = pages(bytes) + 2 * kPage;
    if (taken > reserved_ - highest_) return allocate(bytes, label, writable);
    // Out of the way while the allocation is placed, so that it goes to the end.
    std::map<std::uint64_t, std::uint64_t> free;
    free.swap(free_);
    const std::uint64_t begin = std::exchange(high_, highest_);
    auto address = allocate(bytes, label, writable);
    free_.swap(free);
    if (!address)
        high_ = begin;
    else if (begin < highest_ - taken)
        free_.emplace(begin, highest_ - taken - begin);
    return address;
}

bool DeviceMemory::cover_written(std::uint64_t end) {
    const std::uint64_t wanted = pages(end / 8);
    if (wanted <= covered_) return true;
    auto* at = reinterpret_cast<std::byte*>(written_) + covered_;
    if (mprotect(at, wanted - covered_, PROT_READ | PROT_WRITE) != 0) return false;
    covered_ = wanted;
    return true;
}

void DeviceMemory::release(std::uint64_t address) {
    const auto at = std::lower_bound(allocations_.begin(), allocations_.end(), address,
                                     [](const Allocation& entry, std::uint64_t begin) { return entry.begin < begin; });
    if (at == allocations_.end() || at->begin != address) return;
    const std::uint64_t size = pages(at->bytes);
    const std::uint64_t offset = at->begin - kGlobalBase;
    madvise(base_ + offset, size, MADV_DONTNEED);
    forget_written(at->begin, at->bytes);
    mprotect(base_ + offset, size, PROT_NONE);
    used_ -= size;
    allocations_.erase(at);
    std::uint64_t begin = offset - kPage, end = offset + size + kPage;
    auto next = free_.lower_bound(begin);
    if (next != free_.end() && next->first == end) {
        end += next->second;
        next = free_.erase(next);
    }
    if (next != free_.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == begin) {
            begin = before->first;
            free_.erase(before);
        }
    }
    if (end == high_)
        high_ = begin;
    else
        free_.emplace(begin, end - begin);
}

namespace {

/// Sets or clears a range of bits; other bits of its first and last words stay.
void set_bits(std::uint64_t* words, std::uint64_t first, std::uint64_t count, bool value) {
    const auto change = [&](std::uint64_t word, std::uint64_t mask) {
        words[word] = value ? words[word] | mask : words[word] & ~mask;
    };
    if (count == 0) return;
    const std::uint64_t end = first + count, low = first / 64, high = end / 64;
    const std::uint64_t from = ~std::uint64_t{0} << first % 64, until = (std::uint64_t{1} << end % 64) - 1;
    if (low == high) return change(low, from & until);
    change(low, from);
    std::memset(words + low + 1, value ? 0xff : 0, (high - low - 1) * sizeof *words);
    if (until != 0) change(high, until);
}

} // namespace

void DeviceMemory::mark_written(std::uint64_t address, std::uint64_t bytes) const {
    set_bits(written_, address - kGlobalBase, bytes, true);
}
void DeviceMemory::forget_written(std::uint64_t address, std::uint64_t bytes) const {
    set_bits(written_, address - kGlobalBase, bytes, false);
}
void DeviceMemory::poison(std::uint64_t address, std::uint64_t bytes) {
    for (Allocation& allocation : allocations_) {
        if (address < allocation.begin || address >= allocation.end()) continue;
        if (allocation.assumed) mark_written(allocation.begin, allocation.bytes);
        allocation.assumed = false;
    }
    forget_written(address, bytes);
}
void DeviceMemory::assume_written() {
    for (Allocation& allocation : allocations_) allocation.assumed = true;
}
void DeviceMemory::settle_written() {
    for (Allocation& allocation : allocations_) {
        if (allocation.assumed) mark_written(allocation.begin, allocation.bytes);
        allocation.assumed = false;
    }
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
