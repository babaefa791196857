#include "engine/worker/host.h"

#include <gnu/libc-version.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <cstdint>

namespace kw::worker {

Json describe_host() {
    utsname names{};
    ::uname(&names);
    struct sysinfo memory{};
    ::sysinfo(&memory);
    // What this process may use, which a container or a batch system may have cut down.
    cpu_set_t cores;
    CPU_ZERO(&cores);
    const int usable = ::sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : ::get_nprocs();
    return Json{{"name", names.nodename},
                {"kernel", names.release},
                {"glibc", ::gnu_get_libc_version()},
                {"cores", usable},
                {"memory_bytes", std::uint64_t{memory.totalram} * memory.mem_unit}};
}

} // namespace kw::worker
