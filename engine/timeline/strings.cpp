#include "engine/timeline/strings.h"

#include <functional>

namespace kw::timeline {
namespace {

constexpr std::uint32_t kFree = UINT32_MAX;
constexpr std::size_t kFirstSlots = 1024; // a power of two

std::uint32_t hash_of(std::string_view text) {
    const auto hash = static_cast<std::uint64_t>(std::hash<std::string_view>{}(text));
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

} // namespace

std::uint32_t StringTable::add(std::string_view text) {
    text_.append(text);
    ends_.push_back(text_.size());
    return size() - 1;
}

void StringTable::shrink() {
    text_.shrink_to_fit();
    ends_.shrink_to_fit();
}

Interner::Interner() : slots_(kFirstSlots, Slot{0, kFree}) {
    const std::uint32_t hash = hash_of({});
    slots_[hash & (slots_.size() - 1)] = {hash, 0};
}

std::uint32_t Interner::intern(std::string_view text) {
    const std::uint32_t hash = hash_of(text);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].id != kFree) {
        if (slots_[at].hash == hash && strings_[slots_[at].id] == text) return slots_[at].id;
        at = (at + 1) & mask;
    }
    const std::uint32_t id = strings_.add(text);
    slots_[at] = {hash, id};
    if (std::size_t{strings_.size()} * 2 > slots_.size()) grow();
    return id;
}

void Interner::grow() {
    std::vector<Slot> bigger(slots_.size() * 2, Slot{0, kFree});
    const std::size_t mask = bigger.size() - 1;
    for (const Slot& slot : slots_) {
        if (slot.id == kFree) continue;
        std::size_t at = slot.hash & mask;
        while (bigger[at].id != kFree) at = (at + 1) & mask;
        bigger[at] = slot;
    }
    slots_ = std::move(bigger);
}

} // namespace kw::timeline
