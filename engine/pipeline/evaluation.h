#pragma once

#include "engine/audit/finding.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/bench/statistics.h"
#include "engine/compile/compiler.h"
#include "engine/device/device.h"
#include "engine/reward/rule.h"
#include "engine/task/task.h"
#include "engine/verify/compare.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What evaluating one candidate yields: docs/design.md §3. One value, the same on the wire, in a session and in every
/// view.
namespace kw::pipeline {

/// The stages an evaluation may be asked for. Compile always runs; a stage needs those before it that it names in the
/// design. Times come with an audit.
struct Stages {
    bool verify = true;
    bool bench = true;
    bool profile = false;
    bool audit = true;
    bool operator==(const Stages&) const = default;
};
/// From a list such as "compile,verify,bench,profile,reward"; an unknown name is an error that lists the known ones.
[[nodiscard]] Result<Stages> parse_stages(std::string_view list);

/// One output tensor of one run compared with the reference.
struct Check {
    task::Sizes sizes;
    std::uint64_t seed = 0;
    std::string tensor;
    bool ok = false;
    std::string problem; ///< why not, when the numbers do not say it: "input x was modified", "fault"
    verify::Comparison comparison;
};

struct VerifyReport {
    bool ok = false;
    std::vector<Check> checks;
    std::optional<device::Fault> fault{};
    std::string because; ///< one sentence when !ok
    std::string output;  ///< what the kernel printed
    double milliseconds = 0;
    std::uint64_t seed = 0; ///< that the checks' seeds follow from: Options::seed to repeat them
};

/// Times of one source, in µs. `ratio` is baseline median ÷ candidate median: above 1 the candidate is faster.
struct BaselineTime {
    std::string name;
    bench::Summary time;
    double ratio = 0;
    bench::Interval ratio_ci{};
    std::string problem; ///< why there is no time
};

struct BenchReport {
    bool estimated = false;
    bool sampled = false; ///< estimate from some of the grid's blocks
    bool cold = true;
    task::Sizes sizes;
    bench::Summary time;
    bench::Interval median_ci{}; ///< 95 % interval of the median, µs
    std::vector<BaselineTime> baselines;
    std::vector<std::string> limited_by; ///< one per launch, when known
    std::string problem;                 ///< why there is no time
    bool wrong = false; ///< the problem is the candidate's: it faulted, did not end, or was wrong after timing
    std::optional<device::Fault> fault{};
    double milliseconds = 0; ///< what measuring took
    double read_bytes =
        -1; ///< of an estimate: most distinct bytes of global memory that the launches read; −1: unknown
    double written_bytes = -1; ///< the same, written
    std::size_t discarded = 0; ///< samples that do not count because the GPU's clock was low
    double clock_mhz = 0;      ///< median clock of the SMs while the candidate was timed; 0: unknown
    std::string clock_note{};  ///< one sentence where the clock was not checked or is capped
};

struct CompileReport {
    bool ok = false;
    double milliseconds = 0;
    std::vector<compile::Diagnostic> diagnostics;
    std::vector<compile::Kernel> kernels;
};

/// After a kernel took the process that runs kernels along: how the next one came up.
struct Recovery {
    double milliseconds = 0; ///< from the loss until the device was open again
    std::string problem{};   ///< why it could not be opened, one sentence; empty when it was
};

struct Evaluation {
    std::string task;
    std::string candidate; ///< file name
    std::string source_sha256;
    task::Sizes configuration; ///< tunables
    device::Info device;
    CompileReport compile;
    std::vector<audit::Finding> audit;
    std::optional<VerifyReport> verify{};
    std::optional<BenchReport> bench{};
    std::optional<Json> profile{};
    std::optional<reward::Reward> reward{};
    std::optional<Recovery> recovery{};

    /// Compiled, verified when that was asked for, still right after timing, and not refused by the audit.
    [[nodiscard]] bool ok() const;
};

/// {"rows": 64}; a malformed value makes sizes_from_json throw nlohmann::json::exception.
[[nodiscard]] Json sizes_to_json(const task::Sizes& sizes);
[[nodiscard]] task::Sizes sizes_from_json(const Json& json);

[[nodiscard]] Json to_json(const CompileReport& report);
[[nodiscard]] Json to_json(const VerifyReport& report);
[[nodiscard]] Json to_json(const BenchReport& report);
[[nodiscard]] Json to_json(const Evaluation& evaluation);

/// These throw nlohmann::json::exception on a malformed value, as they read what this program wrote.
[[nodiscard]] CompileReport compile_report_from_json(const Json& json);
[[nodiscard]] VerifyReport verify_report_from_json(const Json& json);
[[nodiscard]] BenchReport bench_report_from_json(const Json& json);
[[nodiscard]] Result<Evaluation> evaluation_from_json(const Json& json);

} // namespace kw::pipeline
