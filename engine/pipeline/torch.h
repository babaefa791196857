#pragma once

#include "engine/base/bytes.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/pipeline/evaluation.h"
#include "engine/pipeline/job.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

/// Tasks whose reference is a PyTorch problem: Python computes what kernels are given and what they should give, in a
/// process that kernels never share, and the values travel in files.
namespace kw::pipeline {

/// Times of one baseline that PyTorch runs, in µs.
struct TorchTime {
    std::vector<double> samples_us{};
    std::string problem{}; ///< why there are none, one sentence
};

/// Runs PyTorch problems. Calls come one at a time.
class TorchRunner {
public:
    virtual ~TorchRunner() = default;

    struct Host {
        std::string torch; ///< version
        std::string gpu;   ///< name; empty where it computes on the CPU
    };
    [[nodiscard]] virtual Result<Host> host(std::stop_token stop) = 0;
    /// Makes inputs and weights from `seed` at `sizes`, runs the problem once and writes NAME.in and NAME.out into
    /// `folder`: raw values in C order, of every tensor that has some before and after. Errors are the task's, at a
    /// line of the problem where one is known.
    [[nodiscard]] virtual Result<void> compute(const std::string& file, const std::string& source,
                                               const task::Sizes& sizes, std::uint64_t seed,
                                               const std::filesystem::path& folder, std::stop_token stop) = 0;
    /// Baselines by name, kTorchEager and kTorchCompile, run in turns for about `seconds` after they are warm.
    [[nodiscard]] virtual Result<std::map<std::string, TorchTime>>
    time(const std::string& file, const std::string& source, const task::Sizes& sizes, std::uint64_t seed,
         std::span<const std::string> baselines, double seconds, std::stop_token stop) = 0;
};

/// Computes the values for every seed that the stages of `job` use, or an outputs job its one, and gives their folder
/// to it.
[[nodiscard]] Result<void> give_torch_values(Job& job, const task::Task& task, const task::Files& files,
                                             const device::Info& info, TorchRunner& torch, std::stop_token stop,
                                             const Progress& progress);

enum class TorchValues { before, after };
/// What the job was given for a tensor; an error where the problem gave another size than task.toml says.
[[nodiscard]] Result<Bytes> read_torch_values(const Job& job, const task::Tensor& tensor, const task::Sizes& sizes,
                                              std::uint64_t seed, TorchValues which, Bytes reuse);

/// Adds what PyTorch takes to a report of the candidate's times. Times of a CPU are shown but are no yardstick for a
/// GPU's, simulated or not.
[[nodiscard]] Result<void> add_torch_baselines(BenchReport& report, const task::Task& task, const task::Files& files,
                                               std::uint64_t seed, double seconds, TorchRunner& torch,
                                               std::stop_token stop, const Progress& progress);

} // namespace kw::pipeline
