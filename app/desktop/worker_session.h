#pragma once

#include "engine/pipeline/evaluation.h"
#include "engine/profile/profiler.h"
#include "engine/rpc/outputs_client.h"
#include "engine/rpc/worker_client.h"
#include "engine/task/task.h"
#include "widgets/answer_poster.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <memory>
#include <vector>

namespace kw::desktop {

/// The window's connection to a worker. Everything is asynchronous: calls return at once, answers arrive as signals in
/// this object's thread. A worker that died is started again by the next call.
class WorkerSession : public QObject {
    Q_OBJECT
public:
    explicit WorkerSession(rpc::WorkerCommand command, QObject* parent = nullptr);
    ~WorkerSession() override;

    /// Another worker from now on; what was asked of the last one is given up.
    void connect_to(rpc::WorkerCommand command);
    /// No worker from now on: whatever is asked is answered with `why`.
    void refuse(const Error& why);
    /// How the present worker was started: another one beside it is started in the same way.
    [[nodiscard]] const rpc::WorkerCommand& command() const { return command_; }
    /// -1 while none runs.
    [[nodiscard]] pid_t process() const { return client_ ? client_->pid() : -1; }

    /// Answered within kDeviceTime after what the worker may take to start; waiting() tells of every second until then.
    void list_devices();
    static constexpr int kDeviceTimeMs = 20'000;
    /// Diagnostics for `query.main`. The latest call wins: the answers of earlier ones are dropped.
    void check(const rpc::CompileQuery& query);
    /// A whole compilation: with resources of the kernels, and PTX where it is asked for. The latest call wins.
    void compile(const rpc::CompileQuery& query);
    /// PTX or SASS as text. The latest call wins.
    void disassemble(const rpc::DisassembleQuery& query);
    /// One evaluation at a time; a second one cancels the first. Outputs that are under way would make it wait, so they
    /// are given up, which outputs_failed() tells.
    void evaluate(const task::Files& files, const pipeline::Options& options);
    /// Runs one check again with its values kept. The latest call wins.
    void outputs(const task::Files& files, const pipeline::Options& options, const pipeline::OutputsQuery& query);
    /// Nobody waits for the last outputs() any more: nothing more is heard of it.
    void abandon_outputs();
    /// Also ends what is looked at: outputs_failed() tells.
    /// A worker that does not answer even to this in kPatienceMs is given up, and the next call starts another.
    void cancel_evaluation();
    static constexpr int kPatienceMs = 4000;
    /// As cancel_evaluation(), and nothing more is heard of it.
    void abandon_evaluation();

Q_SIGNALS:
    void devices_listed(const std::vector<kw::device::Info>& devices);
    void devices_failed(const kw::Error& error);
    /// The devices have not been told for that long.
    void waiting(int seconds);
    void checked(const std::vector<kw::compile::Diagnostic>& diagnostics);
    /// The check itself failed: no compiler, no worker. The text is neither right nor wrong.
    void check_failed(const kw::Error& error);
    void compiled(const kw::pipeline::CompileReport& report);
    void compile_failed(const kw::Error& error);
    /// {listing, text, …}: docs at worker::Service::disassemble. Not ok where the source does not compile.
    void disassembled(const kw::Json& answer);
    void disassembly_failed(const kw::Error& error);
    void outputs_progressed(const QString& what);
    void outputs_ready(const kw::rpc::OutputsRun& run);
    void outputs_failed(const kw::Error& error);
    /// What the present worker keeps is not to be had any longer.
    void about_to_leave();
    void progressed(const QString& what, double fraction);
    void live(const kw::profile::LiveUpdate& update);
    void evaluated(const kw::pipeline::Evaluation& evaluation);
    void failed(const kw::Error& error);

private:
    /// The newest of a kind of question. Answers to older ones are dropped.
    struct Latest {
        rpc::WorkerClient::Ticket ticket{};
        quint64 generation = 0;
    };
    using Answer = std::function<void(WorkerSession&, Result<Json>)>;
    [[nodiscard]] std::function<void(Result<Json>)> when_latest(Latest WorkerSession::* kind, Answer then);

    void give_up_outputs();
    void leave();
    void wait_on();
    void stop_waiting() { waiting_.stop(); }

    widgets::AnswerPoster poster_;
    std::shared_ptr<rpc::WorkerClient> client_; ///< none: refused_ says why
    Error refused_;
    rpc::WorkerCommand command_;
    QTimer waiting_;
    QElapsedTimer waiting_since_;
    quint64 evaluating_now_ = 0; ///< generation of the evaluation that is not answered yet
    Latest listing_devices_, checking_, compiling_, disassembling_, evaluating_, looking_;
    bool looking_under_way_ = false;
    std::weak_ptr<verify::OutputSource> looked_at_; ///< may be asked who wrote an element, which takes long
};

} // namespace kw::desktop
