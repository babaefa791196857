#include "engine/compile/scratch_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <string>
#include <string_view>

namespace fs = std::filesystem;

namespace kw::compile {
namespace {

constexpr std::string_view kPrefix = "kernelwright-compile-";

/// Removes the folders that this user's ended processes left behind.
void sweep(const fs::path& parent) {
    std::error_code error;
    for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename().string();
        if (!name.starts_with(kPrefix)) continue;
        int owner = 0;
        std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), owner);
        struct ::stat status{};
        const bool ours =
            ::lstat(it->path().c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
        if (!ours || owner <= 0 || ::kill(owner, 0) == 0 || errno != ESRCH) continue;
        std::error_code ignored;
        fs::remove_all(it->path(), ignored);
    }
}

} // namespace

ScratchFolder::ScratchFolder() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    if (error) return;
    sweep(parent);
    std::string name = (parent / fmt::format("{}{}-XXXXXX", kPrefix, ::getpid())).string();
    if (::mkdtemp(name.data())) path_ = name;
}

ScratchFolder::~ScratchFolder() {
    if (path_.empty()) return;
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

} // namespace kw::compile
