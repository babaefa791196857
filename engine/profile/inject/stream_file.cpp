#include "engine/profile/inject/stream_file.h"

#include "engine/base/descriptor.h"
#include "engine/profile/trace/wire.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace kw::trace {
namespace {

/// Whether a file may grow to `size`. Writing beyond the limit would raise SIGXFSZ and end the program.
bool may_grow_to(std::uint64_t size) {
    rlimit limit{};
    return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && (limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur);
}

} // namespace

StreamFile::StreamFile(const std::filesystem::path& folder) {
    // A process that replaces itself (exec) keeps its number, so a number may come again.
    constexpr int kAttempts = 1000;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        auto path = folder / fmt::format("{:07}-{:03}{}", ::getpid(), attempt, kStreamSuffix);
        const Descriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)};
        if (file) {
            path_ = std::move(path);
            return;
        }
        if (errno != EEXIST) return;
    }
}

bool StreamFile::append(std::string_view bytes) const {
    const Descriptor file{::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)};
    struct stat info{};
    if (!file || ::fstat(file.get(), &info) != 0) return false;
    if (!may_grow_to(static_cast<std::uint64_t>(info.st_size) + bytes.size())) return false;
    if (write_all(file.get(), bytes)) return true;
    // Half a frame would make the rest unreadable.
    return ::ftruncate(file.get(), info.st_size) != 0 && false;
}

bool StreamFile::abandoned() const { return ::access(path_.c_str(), W_OK) != 0 && errno == ENOENT; }

} // namespace kw::trace
