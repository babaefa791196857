#include "engine/base/bytes.h"

#include "engine/base/parallel.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace kw {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// From here on rounding up to whole huge pages wastes little.
constexpr std::size_t kLarge = 4 * kHugePage;
/// Bytes of one thread's turn: a thread costs some 20 µs, copying these about 100.
constexpr std::uint64_t kTurn = std::uint64_t{1} << 20;

std::byte* allocate(std::size_t size) {
    if (size > std::numeric_limits<std::size_t>::max() - kHugePage) throw std::bad_alloc();
    if (size < kLarge) {
        auto* memory = std::malloc(size);
        if (!memory) throw std::bad_alloc();
        return static_cast<std::byte*>(memory);
    }
    const std::size_t rounded = (size + kHugePage - 1) / kHugePage * kHugePage;
    auto* memory = std::aligned_alloc(kHugePage, rounded);
    if (!memory) throw std::bad_alloc();
    // Refused where there are no huge pages, and as good without.
    ::madvise(memory, rounded, MADV_HUGEPAGE);
    return static_cast<std::byte*>(memory);
}

} // namespace

Bytes::Bytes(Bytes&& other) noexcept
    : memory_(std::move(other.memory_)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

Bytes& Bytes::operator=(Bytes&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
}

void Bytes::resize(std::size_t size) {
    if (size > capacity_) {
        // The old first, so that there is never both.
        memory_.reset();
        size_ = capacity_ = 0;
        memory_.reset(allocate(size));
        capacity_ = size;
    }
    size_ = size;
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
    if (a.size() != b.size()) return false;
    std::atomic<bool> same = true;
    parallel_for(a.size(), kTurn, [&](std::uint64_t begin, std::uint64_t end) {
        if (same.load(std::memory_order_relaxed) && std::memcmp(a.data() + begin, b.data() + begin, end - begin) != 0)
            same.store(false, std::memory_order_relaxed);
    });
    return same;
}

void copy_bytes(std::span<std::byte> to, std::span<const std::byte> from) {
    parallel_for(from.size(), kTurn, [&](std::uint64_t begin, std::uint64_t end) {
        std::memcpy(to.data() + begin, from.data() + begin, end - begin);
    });
}

} // namespace kw
