#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kw::timeline {

/// Strings by number, without the means to find a number by its string. Number 0 is the empty string.
class StringTable {
public:
    StringTable() { add({}); }
    std::uint32_t add(std::string_view text);
    [[nodiscard]] std::string_view operator[](std::uint32_t id) const {
        return {text_.data() + ends_[id], static_cast<std::size_t>(ends_[id + 1] - ends_[id])};
    }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size() - 1); }
    [[nodiscard]] std::uint64_t memory_bytes() const { return text_.capacity() + ends_.capacity() * sizeof ends_[0]; }
    void shrink();

private:
    std::string text_;
    std::vector<std::uint64_t> ends_{0}; ///< of string i - 1, so that string i begins there
};

/// Gives equal strings equal numbers. Open addressing; the hash is kept beside the number, so that a miss rarely reads
/// a string.
class Interner {
public:
    Interner();
    [[nodiscard]] std::uint32_t intern(std::string_view text);
    [[nodiscard]] const StringTable& strings() const { return strings_; }
    [[nodiscard]] StringTable take() { return std::move(strings_); }

private:
    struct Slot {
        std::uint32_t hash;
        std::uint32_t id; ///< kFree: nothing here
    };
    void grow();

    StringTable strings_;
    std::vector<Slot> slots_;
};

} // namespace kw::timeline
