#include "engine/base/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace kw {
namespace {

/// Keeps SIGPIPE of this thread's writes from being delivered, without touching the process's disposition.
class PipeSignalGuard {
public:
    PipeSignalGuard() {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~PipeSignalGuard() {
        const int saved = errno;
        if (raised_ && !was_pending_) {
            const timespec now{};
            while (sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
            }
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = saved;
    }
    PipeSignalGuard(const PipeSignalGuard&) = delete;
    PipeSignalGuard& operator=(const PipeSignalGuard&) = delete;
    void raised() { raised_ = true; }

private:
    sigset_t pipe_{};
    sigset_t before_{};
    bool was_pending_ = false;
    bool raised_ = false;
};

} // namespace

void Descriptor::reset(int fd) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
}

Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail(Stage::environment, ErrorCode::internal,
                    fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    return Pipe{Descriptor{ends[0]}, Descriptor{ends[1]}};
}

std::ptrdiff_t write_some(int fd, std::string_view bytes) {
    PipeSignalGuard guard;
    ssize_t n = 0;
    do {
        n = ::write(fd, bytes.data(), bytes.size());
    } while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EPIPE) guard.raised();
    return n;
}

Result<void> write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto n = write_some(fd, bytes);
        if (n < 0)
            return fail(Stage::rpc, errno == EPIPE ? ErrorCode::crashed : ErrorCode::internal,
                        fmt::format("cannot write to the other process: {}", std::strerror(errno)));
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
}

std::ptrdiff_t read_some(int fd, char* to, std::size_t capacity) {
    ssize_t n = 0;
    do {
        n = ::read(fd, to, capacity);
    } while (n < 0 && errno == EINTR);
    return n;
}

} // namespace kw
