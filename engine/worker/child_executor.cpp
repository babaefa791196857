#include "engine/worker/child_executor.h"

#include "engine/base/json_error.h"
#include "engine/worker/fault_locator.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <utility>

namespace kw::worker {
namespace {

/// Opening a GPU for the first time takes the driver up to some seconds.
constexpr std::chrono::seconds kAnswerTime{60};
/// One that takes longer to come back has a problem that the user should hear of.
constexpr std::chrono::seconds kRecoveryTime{20};
/// Together with what the client of this worker needs, a cancel must be through in 200 ms.
constexpr std::chrono::milliseconds kCancelPatience{80};

Error in_stage(Error error, Stage stage) {
    error.stage = stage;
    return error;
}

} // namespace

Result<std::shared_ptr<rpc::Client>> ChildExecutor::client() {
    std::shared_ptr<rpc::Client> gone; // ends after the lock, as ending waits for callbacks
    const std::scoped_lock lock{mutex_};
    if (client_ && client_->alive()) return client_;
    gone = std::move(client_);
    auto started = rpc::Client::start({.arguments = command_}, "the process that runs kernels");
    if (!started) return std::unexpected(std::move(started.error()));
    (*started)->set_cancel_patience(kCancelPatience);
    client_ = std::move(*started);
    return client_;
}

void ChildExecutor::drop(const std::shared_ptr<rpc::Client>& child) {
    child->kill();
    std::shared_ptr<rpc::Client> gone;
    const std::scoped_lock lock{mutex_};
    if (client_ == child) gone = std::move(client_);
    lost_ = std::chrono::steady_clock::now();
}

void ChildExecutor::warm_up() {
    // Whatever is wrong will be wrong again, and said, when it is needed.
    static_cast<void>(client());
}

Result<Json> ChildExecutor::execute(const Json& job, double timeout_s, std::stop_token stop,
                                    const pipeline::Progress& progress) {
    return run(job, timeout_s, std::move(stop), progress, {});
}

Result<Json> ChildExecutor::execute_profile(const Json& job, double timeout_s, std::stop_token stop,
                                            const pipeline::Progress& progress, const profile::Live& live) {
    return run(job, timeout_s, std::move(stop), progress, live);
}

Result<Json> ChildExecutor::run(const Json& job, double timeout_s, std::stop_token stop,
                                const pipeline::Progress& progress, const profile::Live& live) {
    {
        const std::scoped_lock lock{mutex_};
        lost_.reset(); // by an earlier job, and of no interest any more
    }
    const auto child = client();
    if (!child) return std::unexpected(child.error());
    const auto limit = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>{timeout_s});
    bool answered = false;
    auto result = (*child)->call("execute", job, stop, progress, limit, &answered, live);
    if (!answered) {
        // It did not answer a cancel, or in time, or it is gone: nothing of it is of use any more.
        drop(*child);
        auto error = in_stage(std::move(result.error()), Stage::device);
        if (error.code == ErrorCode::timeout)
            error.message = fmt::format("the kernels did not end within {} s and were killed", timeout_s);
        return std::unexpected(std::move(error));
    }
    if (!result || !result->is_object() || !result->contains("device_lost")) return result;
    // Read before drop(), which may end the object.
    const auto words = (*child)->last_words();
    drop(*child);
    if (const auto error = result->find("error"); error != result->end())
        return std::unexpected(rpc::error_from_json(*error));
    add_printed_place(*result, words + '\n' + result->value("output", ""));
    return result;
}

std::optional<pipeline::Recovery> ChildExecutor::recover(const std::string& device, std::stop_token stop) {
    std::optional<std::chrono::steady_clock::time_point> since;
    {
        const std::scoped_lock lock{mutex_};
        since = std::exchange(lost_, std::nullopt);
    }
    if (!since) return std::nullopt;
    const auto opened = ask("open", Json{{"device", device}}, std::move(stop), kRecoveryTime);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - *since;
    return pipeline::Recovery{.milliseconds = took.count(), .problem = opened ? "" : opened.error().message};
}

std::optional<device::Fault> ChildExecutor::locate(const Json& job, device::FaultKind told, std::stop_token stop,
                                                   const pipeline::Progress& progress) {
    return locate_fault(command_, toolkit_, job, told, std::move(stop), progress);
}

Result<Json> ChildExecutor::ask(std::string_view method, const Json& params, std::stop_token stop,
                                std::chrono::milliseconds limit) {
    constexpr int kAttempts = 2;
    for (int attempt = 1;; ++attempt) {
        const auto child = client();
        if (!child) return std::unexpected(child.error());
        bool answered = false;
        auto result = (*child)->call(method, params, stop, {}, limit, &answered);
        if (answered) return result;
        if (attempt == kAttempts || result.error().code != ErrorCode::crashed)
            return std::unexpected(in_stage(std::move(result.error()), Stage::device));
    }
}

Result<device::Info> ChildExecutor::describe(const std::string& device) {
    {
        const std::scoped_lock lock{mutex_};
        if (const auto known = described_.find(device); known != described_.end()) return known->second;
    }
    auto json = ask("describe", Json{{"device", device}}, {}, kAnswerTime);
    if (!json) return std::unexpected(std::move(json.error()));
    try {
        auto info = device::info_from_json(*json);
        const std::scoped_lock lock{mutex_};
        return described_.insert_or_assign(device, std::move(info)).first->second;
    } catch (const std::exception& error) {
        return fail(Stage::device, ErrorCode::internal,
                    fmt::format("the description of device '{}' is malformed: {}", device, what_is_wrong(error)));
    }
}

Result<Json> ChildExecutor::devices(std::stop_token stop) {
    return ask("devices", Json::object(), std::move(stop), kAnswerTime);
}

Result<Json> ChildExecutor::ladder(const std::string& device, std::stop_token stop) {
    return ask("ladder", Json{{"device", device}}, std::move(stop), kAnswerTime);
}

} // namespace kw::worker
