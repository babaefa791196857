#include "engine/worker/stdio_guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kw::worker {

Result<Channel> take_stdio() {
    Channel channel{Descriptor{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)},
                    Descriptor{::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)}};
    if (!channel.input || !channel.output)
        return fail(Stage::environment, ErrorCode::internal,
                    fmt::format("cannot take standard input and output for the protocol: {}", std::strerror(errno)));
    const Descriptor null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
    if (null) ::dup2(null.get(), STDIN_FILENO);
    // Without a standard error there is nobody to read what would be printed.
    if (::fcntl(STDERR_FILENO, F_GETFD) >= 0)
        ::dup2(STDERR_FILENO, STDOUT_FILENO);
    else if (null)
        ::dup2(null.get(), STDOUT_FILENO);
    return channel;
}

} // namespace kw::worker
