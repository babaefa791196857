#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <string_view>
#include <utility>

namespace kw {

/// An open file descriptor, closed with the object. -1 is none.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() { reset(); }
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) reset(std::exchange(other.fd_, -1));
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
    [[nodiscard]] int release() { return std::exchange(fd_, -1); }
    void reset(int fd = -1);

private:
    int fd_ = -1;
};

struct Pipe {
    Descriptor read;
    Descriptor write;
};

/// Both ends close on exec.
[[nodiscard]] Result<Pipe> make_pipe();

/// Writes every byte. A reader that has gone is an error (EPIPE), never a SIGPIPE, whatever the process does with that
/// signal.
[[nodiscard]] Result<void> write_all(int fd, std::string_view bytes);

/// One write that may take less, never raises SIGPIPE, and returns -1 with errno as write(2) does.
[[nodiscard]] std::ptrdiff_t write_some(int fd, std::string_view bytes);

/// Bytes read, 0 at the end, -1 with errno. Interrupted reads are repeated.
[[nodiscard]] std::ptrdiff_t read_some(int fd, char* to, std::size_t capacity);

} // namespace kw
