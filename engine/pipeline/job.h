#pragma once

#include "engine/base/json.h"
#include "engine/base/temporary_folder.h"
#include "engine/compile/compiler.h"
#include "engine/pipeline/evaluate.h"
#include "engine/profile/profiler.h"
#include "engine/task/plan.h"
#include "engine/task/task.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What evaluate() hands to the process that runs kernels.
namespace kw::pipeline {

/// A compiled source with its plan's text: enough to run it.
struct Source {
    std::string file;
    std::string text;          ///< the plan is parsed from it again, so that there is one form of a plan
    task::Sizes configuration; ///< every tunable
    std::string ptx;
    std::string cubin;
    std::vector<compile::Kernel> kernels; ///< as the launches spell them
};

/// What an outputs, writers or audit job is about, beside the rest.
struct Inspect {
    std::size_t case_index = 0;
    std::string store{}; ///< outputs: the file that the values are written to
    /// writers: a GPU's sizes are laid out on the simulator, too. audit: what was timed there is counted here.
    device::Kind sizes_of = device::Kind::sim;
    std::size_t tensor = 0;    ///< writers: in the task
    std::uint64_t element = 0; ///< writers
    std::string actual{};      ///< writers: what the element holds, as bytes
};

struct Job {
    enum class Kind { verify, bench, profile, outputs, writers, audit };
    Kind kind = Kind::verify;
    task::Files files; ///< task.toml and .npy data
    Source candidate;
    std::optional<Source> reference; ///< absent where the task says what every output is expected to be
    std::vector<Source> baselines;
    Options options;
    std::uint64_t seed = 0; ///< of the first check; the others follow from it. Of outputs and writers: of their check
    Inspect inspect{};
    /// Of a PyTorch task, whose reference is not run where kernels run: a folder with the values that it takes and
    /// gives for each seed that the job uses, as read_values and read_expected know it. Empty for others.
    std::string values{};
    std::shared_ptr<const TemporaryFolder> values_folder{}; ///< keeps it there; not sent along
};

[[nodiscard]] Json to_json(const Job& job);
[[nodiscard]] Result<Job> job_from_json(const Json& json);

/// What a verify job reports while sources of the task itself run, the reference and the baselines: a run that has to
/// be stopped then is the task's fault.
inline constexpr std::string_view kTrustedPhase = "verify: reference";

/// A verify job checks each case of the task so often, check `index` (over all cases) with the inputs of this seed.
inline constexpr std::size_t kChecksPerCase = 5;
/// From the operating system's generator, below 2⁵³.
[[nodiscard]] std::uint64_t draw_seed();
[[nodiscard]] std::uint64_t check_seed(std::uint64_t base, std::size_t index);

/// What the jobs answer with.
[[nodiscard]] Result<VerifyReport> run_verify(const Job& job, device::Device& device, std::stop_token stop,
                                              const Progress& progress);

[[nodiscard]] Result<BenchReport> run_bench(const Job& job, device::Device& device, std::stop_token stop,
                                            const Progress& progress);
/// The candidate at the timed sizes, once with each of the profiler's rungs. A fault of it is in the report.
[[nodiscard]] Result<profile::Report> run_profile(const Job& job, device::Device& device, profile::Profiler& profiler,
                                                  std::stop_token stop, const Progress& progress,
                                                  const profile::Live& live);

} // namespace kw::pipeline
