#include "app/desktop/agent_session.h"

#include "agent/launch/reply_so_far.h"

#include <QMetaObject>
#include <QThreadPool>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

namespace kw::desktop {
namespace {

constexpr int kDraftMs = 50;

QString from(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

} // namespace

/// The session's object is only reached through post(), whose calls Qt drops when the object goes.
struct AgentSession::Run {
    explicit Run(AgentSession* session) : owner(session) {}

    AgentSession* owner; ///< waits for the thread before it goes
    std::shared_ptr<rpc::WorkerClient> worker;
    agent::Control control;
    std::atomic<bool> approve_each = false;

    std::mutex mutex;
    agent::ReplySoFar reply;
    std::string activity;
    bool changed = false; ///< since it was last shown

    std::mutex end_mutex;
    std::condition_variable end_told;
    bool over = false;

    void post(std::function<void(AgentSession&)> action) {
        QMetaObject::invokeMethod(
            owner, [session = owner, action = std::move(action)] { action(*session); }, Qt::QueuedConnection);
    }
};

AgentSession::AgentSession(QObject* parent) : QObject(parent) {
    draft_timer_.setInterval(kDraftMs);
    connect(&draft_timer_, &QTimer::timeout, this, &AgentSession::show_draft);
}

AgentSession::~AgentSession() {
    if (!run_) return;
    thread_.request_stop();
    run_->control.resume();
    {
        std::unique_lock lock{run_->end_mutex};
        run_->end_told.wait_for(lock, std::chrono::milliseconds{kPatienceMs}, [this] { return run_->over; });
        if (!run_->over && run_->worker) run_->worker->shutdown();
    }
    thread_.join();
}

pid_t AgentSession::worker_process() const { return run_ && run_->worker ? run_->worker->pid() : -1; }

void AgentSession::start(Start start) {
    if (busy()) return;
    if (thread_.joinable()) thread_.join();
    steps_ = 0;
    usage_ = {};
    driver_ = start.options.driver == "llm" ? "llm:" + start.options.model.name : start.options.driver;
    session_ = start.session;
    run_ = std::make_shared<Run>(this);
    run_->approve_each = start.approve_each;
    if (const auto& name = start.options.model.server.key_env; !name.empty()) start.worker.withheld.push_back(name);
    run_->worker = std::make_shared<rpc::WorkerClient>(start.worker);
    start.options.progress = [run = run_.get()](std::string_view what, double fraction) {
        run->post([text = from(what), fraction](AgentSession& self) { Q_EMIT self.progressed(text, fraction); });
    };
    start.options.on_activity = [run = run_.get()](std::string_view what) {
        const std::lock_guard lock{run->mutex};
        run->activity = what;
        // A new reply begins; what tools do is after one.
        if (what == "the model writes") run->reply.clear();
        run->changed = true;
    };
    start.options.on_delta = [run = run_.get()](const llm::Delta& delta) {
        const std::lock_guard lock{run->mutex};
        run->reply.add(delta);
        run->changed = true;
    };
    set_state(State::running);
    draft_timer_.start();
    thread_ = std::jthread{[run = run_, start = std::move(start)](const std::stop_token& stop) mutable {
        work(run, std::move(start), stop);
        const std::lock_guard lock{run->end_mutex};
        run->over = true;
        run->end_told.notify_all();
    }};
}

void AgentSession::work(const std::shared_ptr<Run>& run, Start start, const std::stop_token& stop) {
    const auto end = [&run](const QString& why, std::optional<Error> error) {
        run->post([why, error = std::move(error)](AgentSession& self) { self.finish(why, error); });
    };
    try {
        auto session = trajectory::SessionFile::open(start.session, trajectory::SessionFile::Access::write);
        if (!session) return end({}, session.error());
        auto launch = agent::Launch::prepare(std::move(start.options), *run->worker, stop);
        if (!launch) return end({}, launch.error());
        const auto on_step = [&run](const trajectory::Step& step) {
            {
                const std::lock_guard lock{run->mutex};
                run->reply.clear();
                run->changed = true;
            }
            const bool wait = run->approve_each;
            if (wait) run->control.pause();
            run->post([id = step.summary.id, usage = step.summary.usage, wait](AgentSession& self) {
                ++self.steps_;
                self.usage_ += usage;
                if (wait && self.state_ != State::stopping) self.set_state(State::awaiting);
                Q_EMIT self.step_written(id);
            });
        };
        const auto result = launch->run(*session, run->control, on_step, stop);
        run->worker->shutdown();
        if (result)
            end(from(launch->ending()), std::nullopt);
        else
            end({}, result.error());
    } catch (const std::exception& error) {
        end({}, Error{Stage::environment, ErrorCode::internal, std::string("the agent broke off: ") + error.what()});
    }
}

void AgentSession::pause() {
    if (state_ != State::running) return;
    run_->control.pause();
    set_state(State::pausing);
}

void AgentSession::resume() {
    if (state_ != State::pausing && state_ != State::paused && state_ != State::awaiting) return;
    set_state(State::running);
    run_->control.resume();
}

void AgentSession::stop() {
    if (!busy() || state_ == State::stopping) return;
    set_state(State::stopping);
    thread_.request_stop();
    run_->control.resume();
    QTimer::singleShot(kPatienceMs, this, [this, run = run_] {
        if (run_ != run || state_ != State::stopping) return;
        // Ending a worker takes a moment itself.
        QThreadPool::globalInstance()->start([worker = run->worker] { worker->shutdown(); });
    });
}

void AgentSession::set_approve_each(bool wait) {
    if (run_) run_->approve_each = wait;
}

void AgentSession::set_state(State state) {
    if (std::exchange(state_, state) != state) Q_EMIT state_changed();
}

void AgentSession::show_draft() {
    if (state_ == State::pausing && run_->control.waiting()) set_state(State::paused);
    review::AgentDraft draft;
    {
        const std::lock_guard lock{run_->mutex};
        if (!std::exchange(run_->changed, false)) return;
        draft = {from(run_->activity), from(run_->reply.reasoning()), from(run_->reply.text()),
                 from(run_->reply.source())};
    }
    Q_EMIT drafted(draft);
}

void AgentSession::finish(const QString& why, const std::optional<Error>& error) {
    draft_timer_.stop();
    Q_EMIT drafted({});
    set_state(State::idle);
    Q_EMIT ended(why, error);
}

} // namespace kw::desktop
