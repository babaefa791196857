#pragma once

#include "engine/pipeline/job.h"
#include "engine/pipeline/sources.h"
#include "engine/verify/output_source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// One check run again with its values kept: what a map of errors is made from.
namespace kw::pipeline {

/// Which check: the inputs of evaluate's Check of these sizes and this seed.
struct OutputsQuery {
    std::size_t case_index = 0;
    std::optional<task::Sizes> sizes{};  ///< of a Check, instead of the index
    std::optional<std::uint64_t> seed{}; ///< of a Check; drawn from the system otherwise
};

/// Ready to run, or why not.
struct OutputsPlan {
    Job job;
    device::Info device;
    task::Sizes sizes;
    CompileReport compile; ///< of the candidate; unless ok, there is no job
};
/// Compiles the candidate and the reference, or lets `torch` compute what a PyTorch reference gives. Sizes that no case
/// of the task has on the device are an error.
[[nodiscard]] Result<OutputsPlan> plan_outputs(const task::Files& files, const Options& options,
                                               const OutputsQuery& query, compile::Compiler& compiler,
                                               Executor& executor, std::stop_token stop, const Progress& progress,
                                               TorchRunner* torch = nullptr);

/// A tensor's values in the job's file, product(shape) elements each.
struct StoredTensor {
    std::string name;
    std::size_t index = 0; ///< in the task
    task::ScalarType type = task::ScalarType::f32;
    std::vector<std::int64_t> shape;
    task::Tolerance tolerance;
    std::uint64_t bytes = 0;
    std::uint64_t expected_at = 0, actual_at = 0; ///< offsets
};

struct StoredOutputs {
    std::vector<StoredTensor> tensors; ///< outputs and inouts in the task's order; none when they cannot be had
    std::optional<device::Fault> fault{};
    std::string output;  ///< what the kernel printed
    std::string problem; ///< why there are no values: the device is lost
    double milliseconds = 0;
};
[[nodiscard]] Json to_json(const StoredOutputs& outputs);
/// Throws nlohmann::json::exception or std::invalid_argument on a malformed value.
[[nodiscard]] StoredOutputs stored_outputs_from_json(const Json& json);

/// Runs the reference and the candidate once and writes what both left into the job's file. After a fault the values
/// are those written until then.
[[nodiscard]] Result<StoredOutputs> run_outputs(const Job& job, device::Device& device, std::stop_token stop,
                                                const Progress& progress);

/// Which threads wrote an element, found on the simulator at the sizes of the check; a note where that cannot be. Takes
/// at most kWriterSeconds.
[[nodiscard]] Result<verify::WriterReport> run_writers(const Job& job, std::stop_token stop, const Progress& progress);
inline constexpr double kWriterSeconds = 20;

} // namespace kw::pipeline
