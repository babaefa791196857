#pragma once

#include "engine/pipeline/evaluate.h"
#include "engine/rpc/client.h"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kw::worker {

/// Runs jobs in `kw-worker exec`, a child that is kept warm and that a hung or faulting kernel may take along: it is
/// killed when a job passes its deadline, does not heed a cancel or has lost a device, and the next call starts
/// another. Questions about devices may be asked while a job runs and never cost the job its child.
class ChildExecutor final : public pipeline::Executor {
public:
    /// `command` starts the child: this program with "exec". `toolkit` is where compute-sanitizer is looked for first.
    explicit ChildExecutor(std::vector<std::string> command, std::string toolkit = {})
        : command_(std::move(command)), toolkit_(std::move(toolkit)) {}

    /// Starts the child without waiting for it, so that it gets ready beside other work. A failure is told by the next
    /// call.
    void warm_up();

    [[nodiscard]] Result<Json> execute(const Json& job, double timeout_s, std::stop_token stop,
                                       const pipeline::Progress& progress) override;
    [[nodiscard]] Result<Json> execute_profile(const Json& job, double timeout_s, std::stop_token stop,
                                               const pipeline::Progress& progress, const profile::Live& live) override;
    [[nodiscard]] Result<device::Info> describe(const std::string& device) override;
    [[nodiscard]] std::optional<pipeline::Recovery> recover(const std::string& device, std::stop_token stop) override;
    [[nodiscard]] std::optional<device::Fault> locate(const Json& job, device::FaultKind told, std::stop_token stop,
                                                      const pipeline::Progress& progress) override;
    /// {devices: […]}
    [[nodiscard]] Result<Json> devices(std::stop_token stop);
    /// {rungs: […]}: what could be profiled on a device. Waits for a job that runs.
    [[nodiscard]] Result<Json> ladder(const std::string& device, std::stop_token stop);

private:
    [[nodiscard]] Result<std::shared_ptr<rpc::Client>> client();
    /// `child` is of no use any more.
    void drop(const std::shared_ptr<rpc::Client>& child);
    /// execute and execute_profile.
    [[nodiscard]] Result<Json> run(const Json& job, double timeout_s, std::stop_token stop,
                                   const pipeline::Progress& progress, const profile::Live& live);
    /// Asks again once, when a job took the child along meanwhile.
    [[nodiscard]] Result<Json> ask(std::string_view method, const Json& params, std::stop_token stop,
                                   std::chrono::milliseconds limit);

    std::vector<std::string> command_;
    std::string toolkit_;
    std::mutex mutex_; ///< guards the three below
    std::shared_ptr<rpc::Client> client_;
    std::optional<std::chrono::steady_clock::time_point> lost_; ///< when the last job cost its child
    std::map<std::string, device::Info, std::less<>> described_;
};

} // namespace kw::worker
