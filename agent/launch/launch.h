#pragma once

#include "agent/launch/server.h"
#include "agent/llm/dialect.h"
#include "agent/session/loop.h"
#include "engine/rpc/worker_client.h"
#include "engine/task/task.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

/// Opens a driver by what a command line or a window says about it, and runs it with a worker of its own.
namespace kw::agent {

/// What is asked of a model.
struct ModelChoice {
    ServerChoice server{};
    std::string name{};
    std::optional<double> temperature{};
    std::int64_t max_tokens = 16384; ///< of one reply
    std::string effort{};
    std::optional<std::int64_t> context{}; ///< none: 131072, or less where the model is known
};

struct LaunchOptions {
    std::string driver = "tuner";  ///< or advisor, lesson, replay, llm
    std::string search = "guided"; ///< tuner: or exhaustive, random
    std::string lesson{};          ///< lesson: folder of its lesson.toml
    std::string replayed{};        ///< replay: session
    ModelChoice model{};           ///< llm
    std::string message{};         ///< llm: what the engineer wants it to know
    /// tuner, advisor, llm: begin from this step's source. None: from the task's own; a model from the best step.
    std::optional<trajectory::StepId> from{};
    bool own_text = false; ///< llm: from the task's own source all the same
    task::Files files{};
    task::Task task{};
    std::string file{}; ///< the candidate, among `files`
    pipeline::Options evaluation{};
    Budget budget{};
    pipeline::Progress progress{};
    std::function<void(const llm::Delta&)> on_delta{};
    std::function<void(std::string_view)> on_activity{}; ///< "the model writes", "profile"
};

/// One run of a driver, from what was chosen to why it ended. Used by one thread.
class Launch {
public:
    /// Refuses whatever can be refused before there is a session. `worker` outlives it.
    [[nodiscard]] static Result<Launch> prepare(LaunchOptions options, rpc::WorkerClient& worker, std::stop_token stop);
    Launch(Launch&&) noexcept;
    Launch& operator=(Launch&&) noexcept;
    ~Launch();

    /// Runs until the driver has no more, a budget is used up or `stop` is requested; see agent::run(). `on_step` may
    /// pause `control`.
    [[nodiscard]] Result<RunResult> run(trajectory::SessionFile& session, Control& control,
                                        std::function<void(const trajectory::Step&)> on_step, std::stop_token stop);
    /// Why it ended, in words, after a run that was no error.
    [[nodiscard]] const std::string& ending() const { return ending_; }

private:
    struct Model;
    Launch(LaunchOptions options, rpc::WorkerClient& worker);
    [[nodiscard]] Result<std::unique_ptr<Driver>> open_offline() const;
    [[nodiscard]] Result<std::unique_ptr<Driver>> open_model_driver(const trajectory::SessionFile& session,
                                                                    Control& control, std::stop_token stop) const;

    LaunchOptions options_;
    rpc::WorkerClient* worker_;
    std::unique_ptr<Model> model_;
    std::unique_ptr<Driver> driver_; ///< opened already, where it needs no session
    std::string ending_;
};

/// A session to write: a new one of the task, or one of the same task to go on with.
[[nodiscard]] Result<trajectory::SessionFile> open_session(const std::filesystem::path& path, const task::Files& files,
                                                           const std::string& task);

} // namespace kw::agent
