#pragma once

#include <cstdint>

namespace kw::worker {

/// What eats memory must cost this process, not the machine or its neighbours: bounds the process's data (RLIMIT_DATA,
/// which leaves the address space that a GPU driver reserves alone), writes no core, and is the first to go when the
/// machine runs out all the same. 0: nine tenths of the machine's memory.
void bound_memory(std::uint64_t bytes);

} // namespace kw::worker
