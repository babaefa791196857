#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/device/device.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What profiling yields, the same whether a GPU's counters or the simulator filled it.
namespace kw::profile {

/// A source of knowledge about a kernel. Each is tried by itself; one that is refused costs only what it would have
/// told.
enum class Rung {
    activity,    ///< what ran when: kernels, copies, memsets, synchronisations
    counters,    ///< hardware counters per launch
    pc_sampling, ///< stall reasons per source line and instruction
    pm_sampling, ///< counters over time inside a kernel
};
[[nodiscard]] std::string_view to_string(Rung rung);
[[nodiscard]] std::optional<Rung> rung_from(std::string_view name);
inline constexpr Rung kRungs[] = {Rung::activity, Rung::counters, Rung::pc_sampling, Rung::pm_sampling};

/// Whether a rung can be used, or what became of it.
struct RungState {
    Rung rung = Rung::activity;
    enum class State { available, done, skipped, failed } state = State::available;
    std::string reason{}; ///< why it was skipped or failed, one sentence
    std::string remedy{}; ///< what to do about it, one sentence; empty where there is nothing to do
    double milliseconds = 0;
    std::uint32_t passes = 0; ///< counters: how often the work was run
};
[[nodiscard]] std::string_view to_string(RungState::State state);

/// One thing that happened. Times are in ns on one clock, whose zero is the report's.
struct Activity {
    enum class Kind { kernel, copy, memset, synchronization, call } kind = Kind::kernel;
    std::string name; ///< kernel: demangled; copy: "HtoD"; memset: "memset"; call: "cuLaunchKernel"
    std::uint64_t start_ns = 0;
    std::uint64_t end_ns = 0;
    std::uint32_t process = 0;
    std::uint32_t thread = 0; ///< call, synchronization: that made it
    std::uint32_t device = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
    std::uint32_t correlation = 0; ///< joins a call with what it started; 0: unknown
    std::uint64_t bytes = 0;       ///< copy, memset

    // Kernels only.
    device::Dim3 grid{};
    device::Dim3 block{};
    device::Dim3 cluster{};
    std::uint32_t registers = 0; ///< per thread
    std::uint32_t static_shared_bytes = 0;
    std::uint32_t dynamic_shared_bytes = 0;
    std::uint32_t local_bytes = 0; ///< per thread
    double occupancy = 0;          ///< theoretical, 0 to 1; 0: unknown
};
[[nodiscard]] std::string_view to_string(Activity::Kind kind);

/// What is known of one source line; line 0 where the code has no line information.
struct LineProfile {
    std::string file;
    int line = 0;
    std::map<std::string, double> values; ///< by metric id: "samples", "stall_barrier", "warp_instructions", …
};

/// What is known of one machine instruction.
struct InstructionProfile {
    std::uint64_t offset = 0; ///< bytes from the kernel's start
    std::string file;
    int line = 0;
    std::map<std::string, double> values;
};

/// One kernel launch of the plan, in order.
struct LaunchProfile {
    std::string kernel;  ///< as the launch spells it where that is known, else demangled
    std::string lowered; ///< mangled name
    device::Dim3 grid{};
    device::Dim3 block{};
    device::Dim3 cluster{};
    std::uint32_t registers = 0; ///< per thread
    std::uint32_t static_shared_bytes = 0;
    std::uint32_t dynamic_shared_bytes = 0;
    std::uint32_t local_bytes = 0;         ///< per thread
    std::map<std::string, double> metrics; ///< by metric id, see metrics.h
    std::string limited_by;                ///< what bounds an estimate ("DRAM"), empty when measured
    std::vector<LineProfile> lines;
    std::vector<InstructionProfile> instructions;
};

/// Counters over time: `values[i]` belongs to the interval that ends at `end_ns[i]`.
struct Sampling {
    std::uint64_t interval_ns = 0;
    std::vector<std::uint64_t> end_ns;                 ///< on the clock of the activities
    std::map<std::string, std::vector<double>> values; ///< by metric id, each as long as end_ns
    bool overflowed = false;                           ///< the hardware's buffer was too small, so some are missing
};

/// What the GPU cannot exceed, of its data sheet: for rooflines.
struct Ceiling {
    std::string id;    ///< "fp32", "tensor_fp16", "dram", "l2"
    std::string label; ///< "FP32"
    bool memory = false;
    double peak = 0; ///< operations per second, or bytes per second of a memory
};

struct Report {
    device::Info device;
    bool estimated = false; ///< the simulator's
    bool sampled = false;   ///< the simulator executed some of the blocks only
    std::string chip;       ///< "GH100"; empty on the simulator
    std::string profiler;   ///< "CUPTI 13.0", "simulator"
    std::map<std::string, std::int64_t, std::less<>> sizes;
    std::vector<RungState> rungs;
    std::vector<LaunchProfile> launches;
    std::vector<Ceiling> ceilings{}; ///< empty where the GPU's data sheet is not known
    std::vector<Activity> activities;
    std::uint64_t activities_dropped = 0; ///< beyond what was kept
    Sampling sampling;
    std::optional<device::Fault> fault{}; ///< of a kernel while it was profiled; what was seen before it is kept
    double milliseconds = 0;              ///< what profiling took
};

[[nodiscard]] Json to_json(const RungState& state);
[[nodiscard]] Json to_json(const Activity& activity);
[[nodiscard]] Json to_json(const Sampling& sampling);
[[nodiscard]] Json to_json(const Report& report);
/// Malformed values are an error that names the member.
[[nodiscard]] Result<RungState> rung_state_from_json(const Json& json);
[[nodiscard]] Result<Report> report_from_json(const Json& json);

} // namespace kw::profile
