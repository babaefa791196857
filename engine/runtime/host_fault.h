#pragma once

namespace kw::runtime {

/// From now on, host code that uses a pointer of the device is told so, with the allocation and the line, before the
/// access violation ends the program as it would anyway.
void watch_host_faults();

} // namespace kw::runtime
