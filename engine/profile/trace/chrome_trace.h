#pragma once

#include "engine/base/result.h"
#include "engine/profile/report.h"
#include "engine/profile/trace/wire.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace kw::trace {

/// A process of a trace, for the names of its rows.
struct ProcessInfo {
    std::uint32_t pid = 0;
    std::string name;
    std::string command;
    std::map<std::uint32_t, std::string> threads{}; ///< by tid
    std::map<std::uint32_t, DeviceEvent> devices{}; ///< by id
};

struct TraceInfo {
    std::string producer;           ///< "kw 0.1.0, CUPTI 13.0"
    std::uint64_t base_time_ns = 0; ///< the activities' zero, ns since 1970
    std::vector<ProcessInfo> processes;
    std::uint64_t lost = 0; ///< activities that are not in the trace
};

/// Passes on every activity; the same ones in the same order each time it is called.
using Source = std::function<Result<void>(const std::function<void(const profile::Activity&)>&)>;

/// Writes the Trace Event Format that chrome://tracing, Perfetto and PyTorch's tools read, with the names that PyTorch
/// uses: categories kernel, gpu_memcpy, gpu_memset, cuda_runtime, cuda_driver, cuda_sync, arrows ac2g, times in µs with
/// three decimals, `baseTimeNanoseconds`. Samples become counters. Compressed when the name ends in .gz. What is not a
/// regular file is written to as it is; else the old file stays until the new one is whole.
/// Gives how many activities were written. Asks `source` twice; takes about 32 bytes of memory per activity.
[[nodiscard]] Result<std::uint64_t> write_chrome_trace(const std::filesystem::path& path, const TraceInfo& info,
                                                       const Source& source, const profile::Sampling& sampling,
                                                       std::stop_token stop);

/// The same for what is in memory.
[[nodiscard]] Source source_of(const std::vector<profile::Activity>& activities);

} // namespace kw::trace
