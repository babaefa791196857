#include "app/desktop/worker_session.h"

#include <QThreadPool>

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <utility>

namespace kw::desktop {
namespace {

Error malformed(const std::exception& error) {
    return {.stage = Stage::rpc,
            .code = ErrorCode::internal,
            .message = std::string("the worker sent something unexpected: ") + error.what()};
}

} // namespace

WorkerSession::WorkerSession(rpc::WorkerCommand command, QObject* parent)
    : QObject(parent),
      poster_(this),
      client_(std::make_shared<rpc::WorkerClient>(command)),
      command_(std::move(command)) {
    waiting_.setInterval(std::chrono::seconds{1});
    connect(&waiting_, &QTimer::timeout, this, &WorkerSession::wait_on);
}

WorkerSession::~WorkerSession() = default;

void WorkerSession::leave() {
    Q_EMIT about_to_leave();
    for (auto* kind : {&listing_devices_, &checking_, &compiling_, &disassembling_, &evaluating_, &looking_}) {
        kind->ticket.cancel();
        ++kind->generation;
    }
    looking_under_way_ = false;
    evaluating_now_ = 0;
    stop_waiting();
    // A worker takes a moment to end, far away a long one; nobody waits for it here.
    if (client_) QThreadPool::globalInstance()->start([old = std::move(client_)] { old->shutdown(); });
    client_.reset();
}

void WorkerSession::connect_to(rpc::WorkerCommand command) {
    leave();
    command_ = std::move(command);
    client_ = std::make_shared<rpc::WorkerClient>(command_);
}

void WorkerSession::refuse(const Error& why) {
    leave();
    refused_ = why;
}

void WorkerSession::wait_on() {
    const auto passed = waiting_since_.elapsed();
    if (passed < kDeviceTimeMs + command_.start_time.count()) {
        Q_EMIT waiting(static_cast<int>(passed / 1000));
        return;
    }
    // It has been started, for that has a limit of its own.
    const Error error{.stage = Stage::rpc,
                      .code = ErrorCode::timeout,
                      .message = fmt::format("{} has started, but told of no devices within {} s", command_.name,
                                             kDeviceTimeMs / 1000)};
    connect_to(command_);
    Q_EMIT devices_failed(error);
}

std::function<void(Result<Json>)> WorkerSession::when_latest(Latest WorkerSession::* kind, Answer then) {
    (this->*kind).ticket.cancel();
    const auto generation = ++(this->*kind).generation;
    return poster_.deliver([this, kind, generation, then = std::move(then)](const Result<Json>& answer) {
        if (generation == (this->*kind).generation) then(*this, answer);
    });
}

void WorkerSession::list_devices() {
    waiting_since_.start();
    waiting_.start();
    auto done = when_latest(&WorkerSession::listing_devices_, [](WorkerSession& self, const Result<Json>& answer) {
        self.stop_waiting();
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
    if (!client_) return done(std::unexpected(refused_));
    listing_devices_.ticket = client_->call_async("devices", Json::object(), std::move(done));
}

void WorkerSession::check(const rpc::CompileQuery& query) {
    auto done = when_latest(&WorkerSession::checking_, [](WorkerSession& self, const Result<Json>& answer) {
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
    if (!client_) return done(std::unexpected(refused_));
    checking_.ticket = client_->compile_async(query, std::move(done));
}

void WorkerSession::compile(const rpc::CompileQuery& query) {
    auto done = when_latest(&WorkerSession::compiling_, [](WorkerSession& self, const Result<Json>& answer) {
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
            for (const auto& item : answer->at("kernels")) report.kernels.push_back(compile::kernel_from_json(item));
            Q_EMIT self.compiled(report);
        } catch (const std::exception& error) {
            Q_EMIT self.compile_failed(malformed(error));
        }
    });
    if (!client_) return done(std::unexpected(refused_));
    compiling_.ticket = client_->compile_async(query, std::move(done));
}

void WorkerSession::disassemble(const rpc::DisassembleQuery& query) {
    auto done = when_latest(&WorkerSession::disassembling_, [](WorkerSession& self, const Result<Json>& answer) {
        if (answer)
            Q_EMIT self.disassembled(*answer);
        else if (answer.error().code != ErrorCode::cancelled)
            Q_EMIT self.disassembly_failed(answer.error());
    });
    if (!client_) return done(std::unexpected(refused_));
    disassembling_.ticket = client_->disassemble_async(query, std::move(done));
}

void WorkerSession::evaluate(const task::Files& files, const pipeline::Options& options) {
    give_up_outputs();
    evaluating_.ticket.cancel();
    const auto generation = ++evaluating_.generation;
    evaluating_now_ = generation;
    const auto done = poster_.deliver([this, generation](const Result<pipeline::Evaluation>& answer) {
        if (generation != evaluating_.generation) return;
        evaluating_now_ = 0;
        if (answer)
            Q_EMIT evaluated(*answer);
        else
            Q_EMIT failed(answer.error());
    });
    if (!client_) return done(Result<pipeline::Evaluation>(std::unexpected(refused_)));
    const auto progress = [handle = poster_.handle(), this, generation](std::string_view what, double fraction) {
        handle.post(
            [this, text = QString::fromUtf8(what.data(), static_cast<qsizetype>(what.size())), fraction, generation] {
                if (generation == evaluating_.generation) Q_EMIT progressed(text, fraction);
            });
    };
    const auto live_update = poster_.deliver([this, generation](const profile::LiveUpdate& update) {
        if (generation == evaluating_.generation) Q_EMIT live(update);
    });
    evaluating_.ticket = client_->evaluate_async(files, options, done, progress, live_update);
}

void WorkerSession::outputs(const task::Files& files, const pipeline::Options& options,
                            const pipeline::OutputsQuery& query) {
    abandon_outputs();
    const auto generation = looking_.generation;
    const auto done = poster_.deliver([this, generation](const Result<rpc::OutputsRun>& answer) {
        if (generation != looking_.generation) return;
        looking_under_way_ = false;
        if (answer) {
            looked_at_ = answer->source;
            Q_EMIT outputs_ready(*answer);
        } else {
            Q_EMIT outputs_failed(answer.error());
        }
    });
    if (!client_) return done(Result<rpc::OutputsRun>(std::unexpected(refused_)));
    const auto progress = [handle = poster_.handle(), this, generation](std::string_view what, double) {
        handle.post([this, text = QString::fromUtf8(what.data(), static_cast<qsizetype>(what.size())), generation] {
            if (generation == looking_.generation) Q_EMIT outputs_progressed(text);
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
