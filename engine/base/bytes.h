#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

namespace kw {

/// Memory for results that are written whole, hundreds of megabytes of them: nothing is cleared first, which would cost
/// more than most of what is done with them, and large ones ask for huge pages, as a page fault every 4 KB costs as
/// much again.
class Bytes {
public:
    Bytes() = default;
    explicit Bytes(std::size_t size) { resize(size); }
    Bytes(Bytes&& other) noexcept;
    Bytes& operator=(Bytes&& other) noexcept;
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;
    ~Bytes() = default;

    /// Contents are unspecified afterwards. Allocates only where what is held is too small; throws std::bad_alloc.
    void resize(std::size_t size);

    [[nodiscard]] std::byte* data() { return memory_.get(); }
    [[nodiscard]] const std::byte* data() const { return memory_.get(); }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::byte* begin() { return data(); }
    [[nodiscard]] const std::byte* begin() const { return data(); }
    [[nodiscard]] std::byte* end() { return data() + size_; }
    [[nodiscard]] const std::byte* end() const { return data() + size_; }

private:
    struct Free {
        void operator()(std::byte* memory) const { std::free(memory); }
    };
    std::unique_ptr<std::byte, Free> memory_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

/// Whether both hold the same bytes, looked at by several threads.
[[nodiscard]] bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b);

/// Copies by several threads; `to` holds at least as much as `from` and does not overlap it.
void copy_bytes(std::span<std::byte> to, std::span<const std::byte> from);

} // namespace kw
