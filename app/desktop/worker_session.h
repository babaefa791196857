#pragma once

#include "engine/pipeline/evaluation.h"
#include "engine/rpc/worker_client.h"
#include "engine/task/task.h"

#include <QObject>
#include <QString>

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

    void list_devices();
    /// Diagnostics for `query.main`. The latest call wins: the answers of earlier ones are dropped.
    void check(const rpc::CompileQuery& query);
    /// One evaluation at a time; a second one cancels the first.
    void evaluate(const task::Files& files, const pipeline::Options& options);
    void cancel_evaluation();
    /// As cancel_evaluation(), and nothing more is heard of it.
    void abandon_evaluation();

Q_SIGNALS:
    void devices_listed(const std::vector<kw::device::Info>& devices);
    void devices_failed(const kw::Error& error);
    void checked(const std::vector<kw::compile::Diagnostic>& diagnostics);
    /// The check itself failed: no compiler, no worker. The text is neither right nor wrong.
    void check_failed(const kw::Error& error);
    void progressed(const QString& what, double fraction);
    void evaluated(const kw::pipeline::Evaluation& evaluation);
    void failed(const kw::Error& error);

private:
    /// Runs `action` in this object's thread, unless this object is gone by then. Callable from any thread.
    class Poster;

    std::shared_ptr<Poster> poster_;
    std::unique_ptr<rpc::WorkerClient> client_;
    rpc::WorkerClient::Ticket check_ticket_, evaluation_ticket_;
    quint64 check_generation_ = 0;
    quint64 evaluation_generation_ = 0;
};

} // namespace kw::desktop
