#pragma once

#include "engine/report/commands.h"
#include "engine/rpc/worker_client.h"

#include <utility>

namespace kw::cli {

/// Lets the shared commands evaluate through a worker.
class WorkerBackend final : public report::Backend {
public:
    explicit WorkerBackend(rpc::WorkerClient& worker) : worker_(worker) {}

    [[nodiscard]] Result<Json> evaluate(const task::Files& files, const pipeline::Options& options,
                                        std::stop_token stop, const pipeline::Progress& progress) override;
    [[nodiscard]] Result<Json> devices(std::stop_token stop) override;
    [[nodiscard]] Result<Json> doctor(std::stop_token stop) override;

private:
    rpc::WorkerClient& worker_;
};

} // namespace kw::cli
