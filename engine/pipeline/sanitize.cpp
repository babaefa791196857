#include "engine/pipeline/sanitize.h"

namespace kw::pipeline {

device::Checks checks_for(const Options& options, std::size_t index) {
    device::Checks checks = index == 0 ? device::all_checks() : device::Checks{};
    if (!options.sanitize.empty()) {
        if (const auto asked = device::checks_from(options.sanitize)) checks = *asked;
    }
    checks.schedule = options.shuffle_schedule;
    return checks;
}

} // namespace kw::pipeline
