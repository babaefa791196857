#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/device/checks.h"
#include "engine/device/counters.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// What the pipeline asks of a device, be it the simulator or a GPU. A Device is used by one thread at a time.
namespace kw::device {

enum class Kind { sim, cuda };

struct Dim3 {
    std::uint32_t x = 1, y = 1, z = 1;
    bool operator==(const Dim3&) const = default;
    [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// Launch limits, CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability".
struct Limits {
    std::uint32_t max_threads_per_block = 1024;
    Dim3 max_block{1024, 1024, 64};
    Dim3 max_grid{2147483647u, 65535, 65535};
    std::uint32_t max_shared_bytes = 49152;       ///< per block without opting in
    std::uint32_t max_shared_bytes_optin = 49152; ///< per block after cuFuncSetAttribute
    std::uint64_t l2_bytes = 0;
    std::uint64_t memory_bytes = 0; ///< what allocate() can give in all
};

struct Info {
    Kind kind = Kind::sim;
    std::string id;      ///< what --device takes: "sim:h200", "cuda:0"
    std::string name;    ///< "NVIDIA H200"
    std::string arch;    ///< "sm_90"
    std::string driver;  ///< empty on the simulator
    std::string toolkit; ///< version of the compiler that made the code, e.g. "13.0"
    Limits limits;
};
[[nodiscard]] Json to_json(const Info& info);
[[nodiscard]] Info info_from_json(const Json& json);

/// Compiled code. The simulator reads `ptx`; a GPU loads `cubin`. File names in line information are relative to the
/// task.
struct Image {
    std::string ptx;
    std::string cubin;
    std::map<std::string, std::uint32_t, std::less<>>
        registers{}; ///< per thread by lowered kernel name, from ptxas; for estimates
};

struct LaunchConfig {
    Dim3 grid;
    Dim3 block;
    Dim3 cluster{};
    std::uint32_t dynamic_shared_bytes = 0;
    bool cooperative = false;
};

enum class FaultKind {
    out_of_bounds,
    misaligned,
    uninitialized_read, ///< this and the next only where Device::look_for asks for it
    race,
    divergent_barrier,
    deadlock,
    endless_loop,
    assertion,
    trap,
    invalid_shuffle,
    unsupported_instruction,
    stack_overflow,
    launch_failure, ///< the GPU said only that the launch failed
};
[[nodiscard]] std::string_view to_string(FaultKind kind);
[[nodiscard]] FaultKind fault_kind_from(std::string_view name);

/// The other thread of a fault that takes two: of a race, of a shuffle from a lane that is not there, of a barrier that
/// others do not reach. Empty members are unknown.
struct FaultParty {
    std::string did; ///< what it did, to follow "thread (0, 0, 0)": "wrote 4 bytes here before"
    Where where{};
    std::optional<Dim3> block{};
    std::optional<Dim3> thread{};
};

/// Something that a kernel did wrong, as precisely as the device can tell. Empty members are unknown.
struct Fault {
    FaultKind kind = FaultKind::launch_failure;
    std::string message; ///< one sentence, e.g. "4-byte write to global memory at 0x… is 12 bytes past the end of y
                         ///< (4096 bytes)"
    std::string kernel;
    Where where{};
    std::optional<Dim3> block{};  ///< blockIdx
    std::optional<Dim3> thread{}; ///< threadIdx
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    std::string space;      ///< global, shared, local, const
    std::string allocation; ///< label of the nearest allocation
    std::optional<FaultParty> other{};
};
[[nodiscard]] Json to_json(const Fault& fault);
[[nodiscard]] Fault fault_from_json(const Json& json);
/// "thread (1, 0, 0) of the same block wrote 4 bytes here before"; empty without another party.
[[nodiscard]] std::string other_party_text(const Fault& fault);

using Pointer = std::uint64_t;

/// A loaded Image. Kernels are named by their lowered (mangled) names.
class Module {
public:
    virtual ~Module() = default;
};

/// What a launch that could be started did; errors of the environment are Result errors, faults of the kernel are here.
struct LaunchOutcome {
    std::optional<Fault> fault{};
    std::string output{}; ///< device-side printf, at most 1 MiB, then cut with a note
};

/// One thing to be timed: `run` enqueues one execution (all launches of a plan) with the inputs of rotation `index`.
struct Work {
    std::string label;
    std::function<Result<LaunchOutcome>(std::size_t index)> run;
    /// Where given, called untimed before each sample on a GPU for every rotation that the sample runs, so that a run
    /// cannot live on what an earlier one left.
    std::function<Result<void>(std::size_t index)> prepare{};
};

struct MeasureOptions {
    bool flush_l2 = true;
    std::size_t rotations = 1; ///< how many sets of inputs `run` can be given
    std::uint64_t rotation_bytes =
        0; ///< memory that a run with one of them touches; tells whether L2 can hold them all
    double min_seconds = 0.5;
    double max_seconds = 15;
    /// The noise of a sample; measuring stops once every work's is below the target. Without it, at min_seconds.
    std::function<double(std::span<const double> samples_us)> noise{};
    double noise_target = 0.005;
    std::size_t min_samples = 10;
};

/// Times of one Work. On the simulator `samples_us` holds one estimate and `estimated` is true.
struct Measurement {
    std::string label;
    bool estimated = false;
    bool cold = true;     ///< no run found its inputs in L2: it was flushed, or the rotations are too large for it
    bool sampled = false; ///< estimate from some of the grid's blocks, scaled up
    std::vector<double> samples_us;
    std::size_t discarded = 0;            ///< samples that were taken while the clock was low and do not count
    double clock_mhz = 0;                 ///< median clock of the SMs during the samples; 0: unknown
    std::string clock_note{};             ///< what is to be known about the clock: not checked, or capped
    std::vector<LaunchCounters> counters; ///< simulator only, one per launch
    std::vector<std::string>
        limited_by; ///< simulator only, one per launch: what bounds the estimate ("DRAM", "FP32", …)
    std::optional<Fault> fault{};
};

/// Told what is going on, at most every 100 ms: a short phrase and a fraction done in [0, 1], negative when unknown.
using Progress = std::function<void(std::string_view what, double fraction)>;

class Device {
public:
    virtual ~Device() = default;

    [[nodiscard]] virtual const Info& info() const = 0;

    /// A kernel's fault has made the device unusable from this process, which should answer and end.
    [[nodiscard]] virtual bool lost() const { return false; }

    [[nodiscard]] virtual Result<std::unique_ptr<Module>> load(const Image& image) = 0;

    /// Memory aligned to 256 bytes, contents unspecified and treated as never written by checks that look. `label`
    /// names it in faults.
    [[nodiscard]] virtual Result<Pointer> allocate(std::uint64_t bytes, std::string_view label) = 0;
    virtual void release(Pointer pointer) = 0;
    [[nodiscard]] virtual Result<void> upload(Pointer to, std::span<const std::byte> from) = 0;
    [[nodiscard]] virtual Result<void> download(std::span<std::byte> to, Pointer from) = 0;
    /// Sets every byte.
    [[nodiscard]] virtual Result<void> fill(Pointer to, std::uint64_t bytes, std::byte value) = 0;
    /// As fill, but the bytes count as never written by checks that look.
    [[nodiscard]] virtual Result<void> poison(Pointer to, std::uint64_t bytes, std::byte value) {
        return fill(to, bytes, value);
    }

    /// What the launches that follow are looked at for; devices that cannot do so find what they find.
    virtual void look_for(const Checks& /*checks*/) {}

    /// `parameters` is the kernel's parameter block, laid out as the PTX declares it. Checks the configuration against
    /// info().limits. May return before the kernel has ended on a GPU; synchronize() then tells its fault.
    [[nodiscard]] virtual Result<LaunchOutcome> launch(Module& module, std::string_view kernel,
                                                       const LaunchConfig& config,
                                                       std::span<const std::byte> parameters, std::stop_token stop) = 0;
    [[nodiscard]] virtual Result<LaunchOutcome> synchronize(std::stop_token stop) = 0;

    /// Times all works in one interleaved run (GPU), or estimates each from one counted execution (simulator).
    [[nodiscard]] virtual Result<std::vector<Measurement>> measure(std::span<const Work> works,
                                                                   const MeasureOptions& options, std::stop_token stop,
                                                                   const Progress& progress) = 0;
};

} // namespace kw::device
