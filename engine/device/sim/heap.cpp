#include "engine/device/sim/heap.h"

#include <algorithm>
#include <iterator>

namespace kw::sim {

std::uint64_t DeviceHeap::allocate(std::uint64_t bytes) {
    if (bytes > ~std::uint64_t{0} - 16) return 0;
    const std::lock_guard lock(mutex_);
    const std::uint64_t taken = (std::max<std::uint64_t>(bytes, 1) + 15) / 16 * 16;
    const auto fit = std::find_if(free_.begin(), free_.end(), [&](const auto& range) { return range.second >= taken; });
    if (fit == free_.end()) return 0;
    const auto [address, size] = *fit;
    free_.erase(fit);
    if (size > taken) free_.emplace(address + taken, size - taken);
    used_.emplace(address, taken);
    return address;
}

bool DeviceHeap::release(std::uint64_t address) {
    if (address == 0) return true;
    const std::lock_guard lock(mutex_);
    const auto at = used_.find(address);
    if (at == used_.end()) return false;
    std::uint64_t begin = address, end = address + at->second;
    used_.erase(at);
    if (const auto next = free_.find(end); next != free_.end()) {
        end += next->second;
        free_.erase(next);
    }
    if (const auto next = free_.lower_bound(begin); next != free_.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == begin) {
            begin = before->first;
            free_.erase(before);
        }
    }
    free_.emplace(begin, end - begin);
    return true;
}

} // namespace kw::sim
