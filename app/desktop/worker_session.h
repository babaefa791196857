#pragma once

#include "engine/pipeline/evaluate.h"
#include "engine/pipeline/evaluation.h"
#include "engine/rpc/worker_client.h"
#include "engine/task/task.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace kw::desktop {

/// The window's connection to a worker. Everything is asynchronous: calls return at once, answers arrive as signals in
/// this object's thread. A worker that dies is started again by the next call.
class WorkerSession : public QObject {
    Q_OBJECT
public:
    explicit WorkerSession(rpc::WorkerClient& client, QObject* parent = nullptr);
    ~WorkerSession() override;

    void list_devices();
    /// Diagnostics for `main`; a newer call supersedes an older one, whose answer is dropped.
    void check(const task::Files& files, const std::string& main, const pipeline::Options& options);
    /// One evaluation at a time.
    void evaluate(const task::Files& files, const pipeline::Options& options);
    void cancel_evaluation();

Q_SIGNALS:
    void devices_listed(const std::vector<kw::device::Info>& devices);
    void checked(const std::vector<kw::compile::Diagnostic>& diagnostics);
    void progressed(const QString& what, double fraction);
    void evaluated(const kw::pipeline::Evaluation& evaluation);
    void failed(const kw::Error& error);

private:
    struct Shared;
    std::shared_ptr<Shared> shared_; ///< outlives this object in callbacks that are under way
    rpc::WorkerClient& client_;
    quint64 check_generation_ = 0;
};

} // namespace kw::desktop
