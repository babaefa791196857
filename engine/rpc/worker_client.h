#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/pipeline/evaluate.h"
#include "engine/rpc/client.h"
#include "engine/task/task.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kw::rpc {

/// How a worker is started and what error sentences call it.
struct WorkerCommand {
    std::vector<std::string> arguments;
    std::string name;
    bool remote = false;                                             ///< may take long to start: a login, a queue
    std::chrono::milliseconds start_time = std::chrono::seconds{30}; ///< until it has to have answered the handshake
    std::vector<std::string> withheld{}; ///< further variables of the environment that it does not get
};

/// Variables of this process's environment that hold keys by their names (…_API_KEY, …_TOKEN and the like). A
/// worker runs code that models wrote and gets none of them.
[[nodiscard]] std::vector<std::string> key_variables();

/// kw-worker beside this executable, else the one in PATH. `options` go before "serve": {"--toolkit", …}.
[[nodiscard]] Result<WorkerCommand> local_worker(std::vector<std::string> options = {});
/// "local", "ssh:HOST", "srun" or "srun:ARGUMENTS" (split at spaces), "command:PROGRAM ARGUMENTS" (likewise, taken as
/// it is).
[[nodiscard]] Result<WorkerCommand> worker_command(std::string_view specification,
                                                   std::vector<std::string> options = {});

struct Capabilities {
    int protocol = 0;
    std::string version;
    std::vector<std::string> methods;
};

/// What `compile` is asked: docs at worker::Service::compile. With a task.toml among the files its directives are
/// checked too.
struct CompileQuery {
    task::Files files;
    std::string main; ///< empty: the task's kernel
    task::Sizes configuration{};
    std::string device = "auto";
    bool syntax_only = false; ///< diagnostics as fast as they can be had
    bool ptx = false;         ///< send the PTX along
};
struct DisassembleQuery {
    task::Files files;
    std::string main;
    task::Sizes configuration{};
    std::string device = "auto";
    std::string kernel; ///< empty: all
    bool sass = false;  ///< else PTX
};

/// A worker as kw and the desktop program use it. It is started by the first call, or start(), and again by the first
/// call after it has died; calls that were pending then fail with ErrorCode::crashed. Any thread may call; the *_async
/// forms never wait.
class WorkerClient {
public:
    explicit WorkerClient(WorkerCommand command) : command_(std::move(command)) {}
    ~WorkerClient();

    /// Starts the process without waiting for it.
    [[nodiscard]] Result<void> start();
    /// Waits for the handshake. A worker of another version is an error that says so.
    [[nodiscard]] Result<Capabilities> capabilities(std::stop_token stop = {});

    [[nodiscard]] Result<Json> compile(const CompileQuery& query, std::stop_token stop = {});
    /// The evaluation as the worker sent it, which is what `--json` prints and a session stores.
    [[nodiscard]] Result<Json> evaluate_json(const task::Files& files, const pipeline::Options& options,
                                             std::stop_token stop = {}, const Progress& progress = {},
                                             const profile::Live& live = {});
    /// `live` is told what is profiled while it runs.
    [[nodiscard]] Result<pipeline::Evaluation> evaluate(const task::Files& files, const pipeline::Options& options,
                                                        std::stop_token stop = {}, const Progress& progress = {},
                                                        const profile::Live& live = {});
    [[nodiscard]] Result<Json> devices(std::stop_token stop = {});
    [[nodiscard]] Result<Json> doctor(std::stop_token stop = {});
    [[nodiscard]] Result<Json> disassemble(const DisassembleQuery& query, std::stop_token stop = {});
    /// What a task around a PyTorch problem has: docs at worker::Service::describe_torch.
    [[nodiscard]] Result<Json> describe_torch(const std::string& file, const std::string& source,
                                              std::stop_token stop = {});

    /// A call under way. Survives the worker's death: cancelling is then without effect.
    class Ticket {
    public:
        void cancel() const;

    private:
        friend class WorkerClient;
        std::weak_ptr<Client> client_;
        Client::Id id_ = 0;
    };
    /// `done` runs exactly once, `progress` and `live` any number of times, on a thread of this object; see
    /// Client::call_async.
    Ticket compile_async(const CompileQuery& query, std::function<void(Result<Json>)> done);
    Ticket evaluate_async(const task::Files& files, const pipeline::Options& options,
                          std::function<void(Result<pipeline::Evaluation>)> done, Progress progress,
                          profile::Live live = {});
    Ticket disassemble_async(const DisassembleQuery& query, std::function<void(Result<Json>)> done);
    Ticket call_async(std::string_view method, Json params, std::function<void(Result<Json>)> done,
                      Progress progress = {}, profile::Live live = {});

    [[nodiscard]] bool alive() const;
    [[nodiscard]] const std::string& name() const { return command_.name; }
    /// -1 while none runs.
    [[nodiscard]] pid_t pid() const;
    /// Lets the worker end by itself, for a moment. The next call starts another.
    void shutdown();

private:
    [[nodiscard]] Result<std::shared_ptr<Client>> client();
    [[nodiscard]] Result<Json> call(std::string_view method, Json params, std::stop_token stop,
                                    const Progress& progress = {}, const profile::Live& live = {});

    WorkerCommand command_;
    mutable std::mutex mutex_;
    std::shared_ptr<Client> client_;
    /// Those that died: a callback on such a thread may be what starts the next, and cannot wait for its thread.
    std::vector<std::shared_ptr<Client>> retired_;
};

} // namespace kw::rpc
