#pragma once

#include "engine/pipeline/evaluate.h"
#include "engine/rpc/client.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kw::worker {

/// Runs jobs in `kw-worker exec`, a child that is kept warm and that a hung or faulting kernel may take along: it is
/// killed when a job passes its deadline, does not heed a cancel or has lost a device, and the next call starts
/// another. Questions about devices may be asked while a job runs and never cost the job its child.
class ChildExecutor final : public pipeline::Executor {
public:
    /// `command` starts the child: this program with "exec".
    explicit ChildExecutor(std::vector<std::string> command) : command_(std::move(command)) {}

    /// Starts the child without waiting for it, so that it gets ready beside other work. A failure is told by the next
    /// call.
    void warm_up();

    [[nodiscard]] Result<Json> execute(const Json& job, double timeout_s, std::stop_token stop,
                                       const pipeline::Progress& progress) override;
    [[nodiscard]] Result<device::Info> describe(const std::string& device) override;
    /// {devices: […]}
    [[nodiscard]] Result<Json> devices(std::stop_token stop);

private:
    [[nodiscard]] Result<std::shared_ptr<rpc::Client>> client();
    /// `child` is of no use any more.
    void drop(const std::shared_ptr<rpc::Client>& child);
    /// Asks again once, when a job took the child along meanwhile.
    [[nodiscard]] Result<Json> ask(std::string_view method, const Json& params, std::stop_token stop);

    std::vector<std::string> command_;
    std::mutex mutex_; ///< guards the two below
    std::shared_ptr<rpc::Client> client_;
    std::map<std::string, device::Info, std::less<>> described_;
};

} // namespace kw::worker
