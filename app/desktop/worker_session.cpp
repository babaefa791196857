#include "app/desktop/worker_session.h"

#include <QMetaObject>
#include <QThreadPool>
#include <QTimer>

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
      client_(std::make_shared<rpc::WorkerClient>(command)),
      command_(std::move(command)) {}

WorkerSession::~WorkerSession() {
    poster_->detach();
    client_.reset();
}

void WorkerSession::connect_to(rpc::WorkerCommand command) {
    Q_EMIT about_to_leave();
    for (auto* kind : {&listing_devices_, &checking_, &compiling_, &disassembling_, &evaluating_, &looking_}) {
        kind->ticket.cancel();
        ++kind->generation;
    }
    looking_under_way_ = false;
    // A worker takes a moment to end, far away a long one; nobody waits for it here.
    QThreadPool::globalInstance()->start([old = std::move(client_)] { old->shutdown(); });
    evaluating_now_ = 0;
    command_ = std::move(command);
    client_ = std::make_shared<rpc::WorkerClient>(command_);
}

std::function<void(Result<Json>)> WorkerSession::when_latest(Latest WorkerSession::* kind, Answer then) {
    (this->*kind).ticket.cancel();
    const auto generation = ++(this->*kind).generation;
    return [poster = poster_, kind, generation, then = std::move(then)](Result<Json> answer) {
        poster->post([answer = std::move(answer), kind, generation, then](WorkerSession& self) {
            if (generation == (self.*kind).generation) then(self, answer);
        });
    };
}

void WorkerSession::list_devices() {
    listing_devices_.ticket = client_->call_async(
        "devices", Json::object(),
        when_latest(&WorkerSession::listing_devices_, [](WorkerSession& self, const Result<Json>& answer) {
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
        }));
}

void WorkerSession::check(const rpc::CompileQuery& query) {
    checking_.ticket = client_->compile_async(
        query, when_latest(&WorkerSession::checking_, [](WorkerSession& self, const Result<Json>& answer) {
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
        }));
}

void WorkerSession::compile(const rpc::CompileQuery& query) {
    compiling_.ticket = client_->compile_async(
        query, when_latest(&WorkerSession::compiling_, [](WorkerSession& self, const Result<Json>& answer) {
            if (!answer) {
                Q_EMIT self.compile_failed(answer.error());
                return;
            }
            try {
                pipeline::CompileReport report{.ok = answer->at("ok").get<bool>(),
                                               .milliseconds = answer->at("ms").get<double>(),
                                               .diagnostics = {},
                                               .kernels = {}};
                for (const auto& item : answer->at("diagnostics"))
                    report.diagnostics.push_back(compile::diagnostic_from_json(item));
                for (const auto& item : answer->at("kernels"))
                    report.kernels.push_back(compile::kernel_from_json(item));
                Q_EMIT self.compiled(report);
            } catch (const std::exception& error) {
                Q_EMIT self.compile_failed(malformed(error));
            }
        }));
}

void WorkerSession::disassemble(const rpc::DisassembleQuery& query) {
    disassembling_.ticket = client_->disassemble_async(
        query, when_latest(&WorkerSession::disassembling_, [](WorkerSession& self, const Result<Json>& answer) {
            if (answer)
                Q_EMIT self.disassembled(*answer);
            else if (answer.error().code != ErrorCode::cancelled)
                Q_EMIT self.disassembly_failed(answer.error());
        }));
}

void WorkerSession::evaluate(const task::Files& files, const pipeline::Options& options) {
    give_up_outputs();
    evaluating_.ticket.cancel();
    const auto generation = ++evaluating_.generation;
    evaluating_now_ = generation;
    const auto done = [poster = poster_, generation](Result<pipeline::Evaluation> answer) {
        poster->post([answer = std::move(answer), generation](WorkerSession& self) {
            if (generation != self.evaluating_.generation) return;
            self.evaluating_now_ = 0;
            if (answer)
                Q_EMIT self.evaluated(*answer);
            else
                Q_EMIT self.failed(answer.error());
        });
    };
    const auto progress = [poster = poster_, generation](std::string_view what, double fraction) {
        poster->post([text = QString::fromUtf8(what.data(), static_cast<qsizetype>(what.size())), fraction,
                      generation](WorkerSession& self) {
            if (generation == self.evaluating_.generation) Q_EMIT self.progressed(text, fraction);
        });
    };
    const auto live = [poster = poster_, generation](const profile::LiveUpdate& update) {
        poster->post([update, generation](WorkerSession& self) {
            if (generation == self.evaluating_.generation) Q_EMIT self.live(update);
        });
    };
    evaluating_.ticket = client_->evaluate_async(files, options, done, progress, live);
}

void WorkerSession::outputs(const task::Files& files, const pipeline::Options& options,
                            const pipeline::OutputsQuery& query) {
    abandon_outputs();
    const auto generation = looking_.generation;
    const auto done = [poster = poster_, generation](Result<rpc::OutputsRun> answer) {
        poster->post([answer = std::move(answer), generation](WorkerSession& self) {
            if (generation != self.looking_.generation) return;
            self.looking_under_way_ = false;
            if (answer) {
                self.looked_at_ = answer->source;
                Q_EMIT self.outputs_ready(*answer);
            } else {
                Q_EMIT self.outputs_failed(answer.error());
            }
        });
    };
    const auto progress = [poster = poster_, generation](std::string_view what, double) {
        poster->post([text = QString::fromUtf8(what.data(), static_cast<qsizetype>(what.size())),
                      generation](WorkerSession& self) {
            if (generation == self.looking_.generation) Q_EMIT self.outputs_progressed(text);
        });
    };
    looking_under_way_ = true;
    looking_.ticket = rpc::outputs_async(client_, files, options, query, done, progress);
}

void WorkerSession::abandon_outputs() {
    ++looking_.generation;
    looking_.ticket.cancel();
    looking_under_way_ = false;
    if (const auto source = looked_at_.lock()) source->cancel_writers();
}

void WorkerSession::give_up_outputs() {
    const bool told = looking_under_way_;
    abandon_outputs();
    if (told)
        Q_EMIT outputs_failed({.stage = Stage::rpc,
                               .code = ErrorCode::cancelled,
                               .message = "the check was not run again: a run came first, or all was stopped"});
}

void WorkerSession::cancel_evaluation() {
    give_up_outputs();
    evaluating_.ticket.cancel();
    if (evaluating_now_ == 0) return;
    QTimer::singleShot(kPatienceMs, this, [this, generation = evaluating_now_] {
        if (generation == evaluating_now_) connect_to(command_);
    });
}

void WorkerSession::abandon_evaluation() {
    give_up_outputs();
    ++evaluating_.generation;
    evaluating_.ticket.cancel();
}

} // namespace kw::desktop
