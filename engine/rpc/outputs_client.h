#pragma once

#include "engine/pipeline/outputs.h"
#include "engine/rpc/worker_client.h"
#include "engine/verify/output_source.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kw::rpc {

/// One check that a worker has run again. Without a source there is nothing to look at: the candidate does not compile,
/// or `problem` says why.
struct OutputsRun {
    bool ok = false; ///< compiled, without a fault, and every output right
    std::string candidate;
    device::Info device;
    task::Sizes configuration;
    std::size_t case_index = 0;
    task::Sizes sizes;
    std::uint64_t seed = 0;
    pipeline::CompileReport compile;
    std::vector<verify::TensorOutput> tensors;
    std::optional<device::Fault> fault{};
    std::string output;
    std::string problem;
    double milliseconds = 0;
    /// Asks the worker, for as long as its WorkerClient lives. The worker keeps the values of the two runs that were
    /// looked at last and lets them go when the source does. ErrorCode::not_found: it no longer has them; run it again.
    std::shared_ptr<verify::OutputSource> source;
};

/// `json` is the worker's answer to `outputs`.
[[nodiscard]] Result<OutputsRun> outputs_run_from_json(const Json& json, std::weak_ptr<WorkerClient> worker);

/// `done` runs exactly once, `progress` any number of times, on a thread of the worker's client.
WorkerClient::Ticket outputs_async(const std::shared_ptr<WorkerClient>& worker, const task::Files& files,
                                   const pipeline::Options& options, const pipeline::OutputsQuery& query,
                                   std::function<void(Result<OutputsRun>)> done, Progress progress = {});

/// As the worker sent it, which is what `kw outputs --json` prints.
[[nodiscard]] Json outputs_params(const task::Files& files, const pipeline::Options& options,
                                  const pipeline::OutputsQuery& query);

} // namespace kw::rpc
