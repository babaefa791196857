#include "engine/compile/read_fence.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace kw::compile {
namespace {

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR
                                 | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR
                                 | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SYM;

/// What any shared library may need while it runs: other libraries, and what the C library reads about the machine.
constexpr std::array kSystem{
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/proc/cpuinfo", "/sys/devices/system/cpu"};

void allow(int ruleset, const char* path, std::uint64_t access) {
    const int folder = ::open(path, O_PATH | O_CLOEXEC);
    if (folder < 0) return;
    landlock_path_beneath_attr rule{};
    rule.allowed_access = access;
    rule.parent_fd = folder;
    // A rule for a plain file may not speak of folders; try the narrower one then.
    if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
        rule.allowed_access = access & (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE);
        ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
    ::close(folder);
}

} // namespace

bool restrict_reading(const std::vector<std::filesystem::path>& readable,
                      const std::vector<std::filesystem::path>& writable) {
    landlock_ruleset_attr attributes{};
    attributes.handled_access_fs = kRead | kWrite;
    const auto ruleset = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
    if (ruleset < 0) return false;
    for (const char* path : kSystem) allow(ruleset, path, kRead);
    for (const std::filesystem::path& folder : readable) allow(ruleset, folder.c_str(), kRead);
    for (const std::filesystem::path& folder : writable) allow(ruleset, folder.c_str(), kRead | kWrite);
    // Landlock asks that the thread can gain no privileges by executing files; it executes none.
    const bool restricted =
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    ::close(ruleset);
    return restricted;
}

} // namespace kw::compile
