#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/compile/compiler.h"
#include "engine/pipeline/evaluate.h"
#include "engine/pipeline/sources.h"
#include "engine/worker/child_executor.h"
#include "engine/worker/output_store.h"
#include "engine/worker/torch_process.h"

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace kw::worker {

/// What a worker does, by method, on values as they come over the wire (engine/rpc/worker_client.h has the typed form).
/// Methods may run side by side; each of them one at a time.
class Service {
public:
    struct Settings {
        std::string toolkit{};               ///< folder or library of NVRTC; empty: searched for
        std::vector<std::string> executor{}; ///< command that starts the process that runs kernels
        std::vector<std::string> compiler{}; ///< command that starts the process that compiles
    };

    explicit Service(Settings settings);
    ~Service();

    /// Opens the compiler and starts the child beside each other and beside whatever the caller does next.
    void warm_up();

    /// {files, main?, configuration?, device?, arch?, syntax_only?, ptx?, log?} → {ok, ms, file, arch, diagnostics,
    /// kernels, ptx?, log?}. With a task.toml among the files, directives are checked too and say what is compiled;
    /// without one, every __global__ is.
    [[nodiscard]] Result<Json> compile(const Json& params, std::stop_token stop);
    /// {files, options} → pipeline::to_json(Evaluation)
    [[nodiscard]] Result<Json> evaluate(const Json& params, std::stop_token stop, const pipeline::Progress& progress,
                                        const profile::Live& live);
    [[nodiscard]] Result<Json> evaluate(const task::Files& files, const pipeline::Options& options,
                                        std::stop_token stop, const pipeline::Progress& progress,
                                        const profile::Live& live);
    /// {devices: [device::Info…]}
    [[nodiscard]] Result<Json> devices(std::stop_token stop);
    /// {worker, host, components, checks, ladders: [{device, name, rungs | problem}]}, the last for every GPU
    [[nodiscard]] Result<Json> doctor(std::stop_token stop);
    /// {file, source} of a PyTorch problem → {title, sizes, small, tensors: [{name, type, role, state, shape}],
    /// scalars:
    /// [{name, type, value}], notes: [sentence…]}: what a task around it has. `small` are sizes for a simulator.
    [[nodiscard]] Result<Json> describe_torch(const Json& params, std::stop_token stop);
    /// {files, main?, configuration?, device?, kernel?, sass?} → {ok, file, arch, diagnostics, kernels, listing, text};
    /// the last two when ok
    [[nodiscard]] Result<Json> disassemble(const Json& params, std::stop_token stop);
    /// {files, options, case? | sizes?, seed?} → {handle?, ok, candidate, device, configuration, case, sizes, seed,
    /// compile, tensors: [verify::TensorOutput…], fault?, output, problem, ms}: one check run again with its values
    /// kept under the handle. Without one there is nothing to look at: it does not compile, or `problem` says why.
    [[nodiscard]] Result<Json> outputs(const Json& params, std::stop_token stop, const pipeline::Progress& progress);
    /// {handle, tensor, index} → verify::WriterReport
    [[nodiscard]] Result<Json> writers(const Json& params, std::stop_token stop, const pipeline::Progress& progress);
    /// What is kept; its methods are to be called beside those above.
    [[nodiscard]] OutputStore& kept_outputs() { return outputs_; }

private:
    /// A compiler and who uses it: opened by the first use, one compilation at a time.
    struct Slot {
        std::mutex mutex;
        std::unique_ptr<compile::Compiler> compiler;
    };
    /// Call with the slot's mutex held.
    [[nodiscard]] Result<compile::Compiler*> open(Slot& slot);
    /// With the live compiler, which is free again afterwards.
    [[nodiscard]] Result<pipeline::Built> build(const std::string& main, const task::Sizes& configuration,
                                                const task::Task& task, const task::Files& files,
                                                const device::Info& info, std::stop_token stop);
    [[nodiscard]] Json check_compiler(std::stop_token stop);
    [[nodiscard]] Json check_executor(const Result<Json>& devices);
    [[nodiscard]] Json ladders(const Json& devices, std::stop_token stop);

    Settings settings_;
    ChildExecutor executor_;
    ChildExecutor
        profiling_;      ///< a process of its own, as profiling changes what a GPU's times are; started when needed
    TorchProcess torch_; ///< guarded by evaluating_.mutex, too
    Slot evaluating_;    ///< so that typing is not held up by an evaluation
    Slot live_;
    OutputStore outputs_;
    std::jthread warming_;
};

} // namespace kw::worker
