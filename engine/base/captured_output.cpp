#include "engine/base/captured_output.h"

#include "engine/base/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace kw {
namespace {

std::atomic<bool> captured = false;

} // namespace

Result<void> capture_standard_output() {
    std::fflush(stdout);
    const Descriptor memory{::memfd_create("standard output", MFD_CLOEXEC)};
    // Appending, so that writers start at the beginning again after it was emptied.
    if (!memory || ::fcntl(memory.get(), F_SETFL, O_APPEND) != 0 || ::dup2(memory.get(), STDOUT_FILENO) < 0)
        return fail(Stage::environment, ErrorCode::internal,
                    fmt::format("cannot keep what kernels print: {}", std::strerror(errno)));
    captured = true;
    return {};
}

bool standard_output_is_captured() { return captured; }

std::string take_standard_output(std::size_t limit) {
    if (!captured) return {};
    std::fflush(stdout);
    struct stat file{};
    if (::fstat(STDOUT_FILENO, &file) != 0 || file.st_size == 0) return {};
    std::string text(std::min(limit, static_cast<std::size_t>(file.st_size)), '\0');
    std::size_t have = 0;
    while (have < text.size()) {
        const auto n = ::pread(STDOUT_FILENO, text.data() + have, text.size() - have, static_cast<off_t>(have));
        if (n <= 0) break;
        have += static_cast<std::size_t>(n);
    }
    text.resize(have);
    // Should this fail, the same text would be told again, which is better than losing it.
    static_cast<void>(::ftruncate(STDOUT_FILENO, 0));
    return text;
}

} // namespace kw
