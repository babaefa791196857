#pragma once

#include "agent/launch/launch.h"
#include "agent/review/agent_view.h"
#include "engine/rpc/worker_client.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

namespace kw::desktop {

/// A driver at work, on a thread of its own and with a worker of its own, so that the editor's stays free. It writes
/// its steps into the session that the window has open, each by one transaction; what the window shows of them it reads
/// from there. Calls return at once; everything is told by signals in this object's thread.
class AgentSession : public QObject {
    Q_OBJECT
public:
    enum class State {
        idle,
        running,
        pausing, ///< once what is under way is done
        paused,
        awaiting, ///< approval of a step that has been written
        stopping
    };

    explicit AgentSession(QObject* parent = nullptr);
    /// Stops what runs; what it has written stays.
    ~AgentSession() override;

    struct Start {
        agent::LaunchOptions options{}; ///< its callbacks are set here
        rpc::WorkerCommand worker{};
        std::filesystem::path session{}; ///< exists
        bool approve_each = false;       ///< wait for resume() after each step
    };
    /// Only while idle.
    void start(Start start);
    void pause();
    /// Also approves.
    void resume();
    void stop();
    void set_approve_each(bool wait);

    [[nodiscard]] State state() const { return state_; }
    [[nodiscard]] bool busy() const { return state_ != State::idle; }
    /// Of this run, or the last.
    [[nodiscard]] std::size_t steps() const { return steps_; }
    [[nodiscard]] const trajectory::Usage& usage() const { return usage_; }
    [[nodiscard]] const std::string& driver() const { return driver_; }
    [[nodiscard]] const std::filesystem::path& session() const { return session_; }
    /// -1 while none runs.
    [[nodiscard]] pid_t worker_process() const;
    /// A worker that does not stop within this is ended.
    static constexpr int kPatienceMs = 4000;

Q_SIGNALS:
    void state_changed();
    /// A step is in the session's file.
    void step_written(qlonglong id);
    /// `fraction` negative: unknown.
    void progressed(const QString& what, double fraction);
    /// What is being written, at most twenty times a second. An empty one: nothing is.
    void drafted(const kw::review::AgentDraft& draft);
    /// It is idle again. `error` is what broke the run off; else `why` says why it ended.
    void ended(const QString& why, const std::optional<kw::Error>& error);

private:
    struct Run; ///< what both threads see

    void set_state(State state);
    void finish(const QString& why, const std::optional<Error>& error);
    void show_draft();
    static void work(const std::shared_ptr<Run>& run, Start start, const std::stop_token& stop);

    State state_ = State::idle;
    std::shared_ptr<Run> run_;
    std::jthread thread_;
    QTimer draft_timer_;
    std::size_t steps_ = 0;
    trajectory::Usage usage_;
    std::string driver_;
    std::filesystem::path session_;
};

} // namespace kw::desktop
