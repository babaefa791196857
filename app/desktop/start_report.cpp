#include "app/desktop/start_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <sstream>

namespace kw::desktop {
namespace {

/// Field 22 of proc(5)'s stat: clock ticks after boot. The name before it may hold spaces.
double started_s() {
    std::ifstream file("/proc/self/stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::istringstream fields(text.substr(text.rfind(')') + 1));
    std::string field;
    for (int number = 3; number <= 22; ++number) fields >> field;
    return std::stod(field) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double now_s() {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Field 2 of statm: resident pages.
double resident_mib() {
    std::ifstream file("/proc/self/statm");
    double size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

} // namespace

std::string start_report() {
    return fmt::format("usable after {:.0f} ms, {:.0f} MiB resident", (now_s() - started_s()) * 1000, resident_mib());
}

} // namespace kw::desktop
