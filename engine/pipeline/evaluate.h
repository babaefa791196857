#pragma once

#include "engine/compile/compiler.h"
#include "engine/pipeline/evaluation.h"
#include "engine/profile/profiler.h"
#include "engine/task/task.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

/// From a task's files to an Evaluation. Compilation happens in the calling process, which stays warm; everything that
/// runs candidate code goes through an Executor, so that it can be a child that may be killed.
namespace kw::pipeline {

using Progress = device::Progress;

/// Timeouts are above 0 and at most this; options_from_json sees to it.
constexpr double kLongestTimeoutSeconds = 1e6;

struct Options {
    std::string candidate{};     ///< file in the task; empty: task.kernel
    std::string device = "auto"; ///< auto | sim | sim:<gpu> | cuda | cuda:<n>
    task::Sizes configuration{}; ///< tunables that differ from their defaults
    Stages stages{};
    std::optional<std::uint64_t> seed{}; ///< fixed seeds for reproduction; drawn from the system otherwise
    bool flush_l2 = true;
    double compile_timeout_s = 60; ///< for each source
    double verify_timeout_s = 60;
    double bench_timeout_s = 120;
    double profile_timeout_s = 120;
    profile::Options profiling{}; ///< of the profile stage; its flush_l2 is the one above
    std::string sanitize{}; ///< what runs on the simulator are looked at for, as device::checks_from reads it; empty:
                            ///< see checks_for()
    std::optional<std::uint64_t> shuffle_schedule{}; ///< seed of the order in which the simulator's warps take turns
    std::uint64_t memory_limit_bytes = 0;            ///< 0: three quarters of what the machine has available
};
[[nodiscard]] Json to_json(const Options& options);
[[nodiscard]] Result<Options> options_from_json(const Json& json);

/// Runs jobs (made by evaluate, understood by execute.h) where candidate code may run.
class Executor {
public:
    virtual ~Executor() = default;
    /// Fails with ErrorCode::crashed or timeout when the job took its process along; the next call must work again.
    [[nodiscard]] virtual Result<Json> execute(const Json& job, double timeout_s, std::stop_token stop,
                                               const Progress& progress) = 0;
    /// The same for profile jobs, which on a GPU must not run in a process that others are timed in. `live` may be
    /// empty.
    [[nodiscard]] virtual Result<Json> execute_profile(const Json& job, double timeout_s, std::stop_token stop,
                                                       const Progress& progress, const profile::Live& live) = 0;
    /// After a job has cost its process: opens `device` in the next one, so that the next job finds it ready. No value
    /// when none was lost since execute() was last called, as for one that runs jobs in this process.
    [[nodiscard]] virtual std::optional<Recovery> recover(const std::string& /*device*/, std::stop_token /*stop*/) {
        return std::nullopt;
    }
    /// Runs a verify or bench job that ended in a fault of a GPU of kind `told` again wherever the place of it can be
    /// told; nothing where it cannot.
    [[nodiscard]] virtual std::optional<device::Fault> locate(const Json& /*job*/, device::FaultKind /*told*/,
                                                              std::stop_token /*stop*/, const Progress& /*progress*/) {
        return std::nullopt;
    }
    /// What open_device(id) would give, asked where kernels run.
    [[nodiscard]] virtual Result<device::Info> describe(const std::string& device) = 0;
};

class TorchRunner;

/// A candidate that is wrong, faults or does not compile is an Evaluation, not an Error. Errors: the task, the options,
/// the environment, cancellation. A profile that fails is one whose rungs say why, and changes nothing else. `live` is
/// told what is profiled while it runs.
/// `torch` may be null; a task with a PyTorch reference is an error then.
[[nodiscard]] Result<Evaluation> evaluate(const task::Files& files, const Options& options, compile::Compiler& compiler,
                                          Executor& executor, std::stop_token stop, const Progress& progress,
                                          const profile::Live& live = {}, TorchRunner* torch = nullptr);

} // namespace kw::pipeline
