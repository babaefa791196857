#pragma once

#include "engine/base/json.h"
#include "engine/profile/report.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kw::trace {

/// How often something was done and what it took.
struct Total {
    std::string name;
    std::uint64_t count = 0;
    std::uint64_t total_ns = 0;
    std::uint64_t min_ns = 0;
    std::uint64_t max_ns = 0;
    std::uint64_t bytes = 0; ///< copies and memsets
    void add(std::uint64_t ns, std::uint64_t moved);
};

struct DeviceTotal {
    std::uint32_t device = 0;
    std::uint64_t busy_ns = 0;  ///< while at least one kernel, copy or memset ran, of whichever process
    std::uint64_t first_ns = 0; ///< start of the first of them
    std::uint64_t last_ns = 0;  ///< end of the last
};

struct Summary {
    std::uint64_t activities = 0;
    std::vector<DeviceTotal> devices;
    std::vector<Total> kernels; ///< by total time, most first, as are all
    std::vector<Total> copies;  ///< by direction
    std::vector<Total> memsets;
    std::vector<Total> calls;
    std::vector<Total> waits;
};
[[nodiscard]] Json to_json(const Summary& summary);

/// Adds up activities as they come. 16 bytes of memory for each that a GPU did.
class Summarizer {
public:
    void add(const profile::Activity& activity);
    [[nodiscard]] std::uint64_t activities() const { return activities_; }
    [[nodiscard]] std::uint64_t kernels() const { return kernel_count_; }
    /// Kernels' times added up.
    [[nodiscard]] std::uint64_t kernel_ns() const { return kernel_ns_; }
    [[nodiscard]] Summary summary() const;

private:
    using Totals = std::unordered_map<std::string, Total>;

    std::uint64_t activities_ = 0;
    std::uint64_t kernel_count_ = 0;
    std::uint64_t kernel_ns_ = 0;
    Totals kernels_, copies_, memsets_, calls_, waits_;
    std::map<std::uint32_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> busy_; ///< start and end, by device
};

} // namespace kw::trace
