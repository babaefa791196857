#include "engine/worker/memory_bound.h"

#include "engine/base/descriptor.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

namespace kw::worker {

void bound_memory(std::uint64_t bytes) {
    if (bytes == 0) {
        struct sysinfo memory{};
        ::sysinfo(&memory);
        bytes = std::uint64_t{memory.totalram} * memory.mem_unit / 10 * 9;
    }
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_DATA, &limit);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    // Raising one's own score needs no privilege.
    const Descriptor score{::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)};
    if (score) static_cast<void>(write_all(score.get(), "1000"));
}

} // namespace kw::worker
