#include "app/desktop/worker_session.h"

#include <QMetaObject>

#include <exception>
#include <mutex>
#include <utility>

namespace kw::desktop {
namespace {

Error malformed(const std::exception& error) {
    return {.stage = Stage::rpc,
            .code = ErrorCode::internal,
            .message = std::string("the worker sent something unexpected: ") + error.what()};
}

} // namespace

/// Callbacks run on the client's threads and may outlive the session; this is what they hold on to.
class WorkerSession::Poster {
public:
    explicit Poster(WorkerSession* session) : session_(session) {}

    void post(std::function<void(WorkerSession&)> action) {
        const std::lock_guard lock(mutex_);
        if (!session_) return;
        // Queued calls are dropped by Qt when the object dies before they are delivered.
        QMetaObject::invokeMethod(
            session_, [session = session_, action = std::move(action)] { action(*session); }, Qt::QueuedConnection);
    }

    void detach() {
        const std::lock_guard lock(mutex_);
        session_ = nullptr;
    }

private:
    std::mutex mutex_;
    WorkerSession* session_;
};

WorkerSession::WorkerSession(rpc::WorkerCommand command, QObject* parent)
    : QObject(parent),
      poster_(std::make_shared<Poster>(this)),
      client_(std::make_unique<rpc::WorkerClient>(std::move(command))) {}

WorkerSession::~WorkerSession() {
    poster_->detach();
    client_.reset();
}

void WorkerSession::list_devices() {
    client_->call_async("devices", Json::object(), [poster = poster_](Result<Json> answer) {
        poster->post([answer = std::move(answer)](WorkerSession& self) {
            if (!answer) {
                Q_EMIT self.devices_failed(answer.error());
                return;
            }
            try {
                std::vector<device::Info> devices;
                for (const auto& item : answer->at("devices")) devices.push_back(device::info_from_json(item));
                Q_EMIT self.devices_listed(devices);
            } catch (const std::exception& error) {
                Q_EMIT self.devices_failed(malformed(error));
            }
        });
    });
}

void WorkerSession::check(const rpc::CompileQuery& query) {
    check_ticket_.cancel();
    const auto generation = ++check_generation_;
    check_ticket_ = client_->compile_async(query, [poster = poster_, generation](Result<Json> answer) {
        poster->post([answer = std::move(answer), generation](WorkerSession& self) {
            if (generation != self.check_generation_) return;
            if (!answer) {
                if (answer.error().code != ErrorCode::cancelled) Q_EMIT self.check_failed(answer.error());
                return;
            }
            try {
                std::vector<compile::Diagnostic> diagnostics;
                for (const auto& item : answer->at("diagnostics"))
                    diagnostics.push_back(compile::diagnostic_from_json(item));
                Q_EMIT self.checked(diagnostics);
            } catch (const std::exception& error) {
                Q_EMIT self.check_failed(malformed(error));
            }
        });
    });
}

void WorkerSession::evaluate(const task::Files& files, const pipeline::Options& options) {
    evaluation_ticket_.cancel();
    const auto generation = ++evaluation_generation_;
    const auto done = [poster = poster_, generation](Result<pipeline::Evaluation> answer) {
        poster->post([answer = std::move(answer), generation](WorkerSession& self) {
            if (generation != self.evaluation_generation_) return;
            if (answer)
                Q_EMIT self.evaluated(*answer);
            else
                Q_EMIT self.failed(answer.error());
        });
    };
    const auto progress = [poster = poster_, generation](std::string_view what, double fraction) {
        poster->post([text = QString::fromUtf8(what.data(), static_cast<qsizetype>(what.size())), fraction,
                      generation](WorkerSession& self) {
            if (generation == self.evaluation_generation_) Q_EMIT self.progressed(text, fraction);
        });
    };
    evaluation_ticket_ = client_->evaluate_async(files, options, done, progress);
}

void WorkerSession::cancel_evaluation() { evaluation_ticket_.cancel(); }

void WorkerSession::abandon_evaluation() {
    ++evaluation_generation_;
    evaluation_ticket_.cancel();
}

} // namespace kw::desktop
