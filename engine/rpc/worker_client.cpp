#include "engine/rpc/worker_client.h"

#include "engine/base/file.h"
#include "engine/base/json_error.h"
#include "engine/rpc/wire.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

namespace kw::rpc {
namespace {

constexpr std::chrono::milliseconds kShutdownPatience{300};
/// A program of this machine, which may be a busy one.
constexpr std::chrono::seconds kProgramTime{20};
/// A login over a slow line, a worker on a slow disk.
constexpr std::chrono::minutes kLoginTime{2};
/// A batch system starts a job when it has room.
constexpr std::chrono::hours kQueueTime{1};

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const auto end = text.find(' ');
        if (end != 0) words.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return words;
}

void append(std::vector<std::string>& to, std::vector<std::string> more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::unexpected<Error> bad_specification(std::string_view text) {
    return fail(
        Stage::usage, ErrorCode::invalid_input,
        fmt::format("'{}' names no worker; use local, ssh:HOST, srun, srun:ARGUMENTS or command:PROGRAM", text));
}

/// For compiling: of arrays, which can be large, the names alone.
Json sources_to_json(const task::Files& files) {
    task::Files sources;
    for (const auto& [name, content] : files) sources.emplace(name, name.ends_with(".npy") ? std::string{} : content);
    return files_to_json(sources);
}

Json to_json(const CompileQuery& query) {
    return Json{{"files", sources_to_json(query.files)},
                {"main", query.main},
                {"configuration", pipeline::sizes_to_json(query.configuration)},
                {"device", query.device},
                {"syntax_only", query.syntax_only},
                {"ptx", query.ptx}};
}

Json to_json(const DisassembleQuery& query) {
    return Json{{"files", sources_to_json(query.files)},
                {"main", query.main},
                {"configuration", pipeline::sizes_to_json(query.configuration)},
                {"device", query.device},
                {"kernel", query.kernel},
                {"sass", query.sass}};
}

Json evaluate_params(const task::Files& files, const pipeline::Options& options) {
    return Json{{"files", files_to_json(files)}, {"options", pipeline::to_json(options)}};
}

Result<pipeline::Evaluation> as_evaluation(Result<Json> json) {
    if (!json) return std::unexpected(std::move(json.error()));
    return pipeline::evaluation_from_json(*json);
}

Json initialize_params() { return Json{{"protocol", kProtocolVersion}}; }

} // namespace

std::vector<std::string> key_variables() {
    static constexpr std::string_view kEndings[] = {"_API_KEY",    "_TOKEN",      "_SECRET",
                                                    "_SECRET_KEY", "_ACCESS_KEY", "_PASSWORD"};
    std::vector<std::string> names;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text{*entry};
        const auto name = text.substr(0, text.find('='));
        if (std::ranges::any_of(kEndings, [name](auto ending) { return name.ends_with(ending); }))
            names.emplace_back(name);
    }
    return names;
}

Result<WorkerCommand> local_worker(std::vector<std::string> options) {
    auto path = executable_folder() / "kw-worker";
    std::error_code error;
    if (!std::filesystem::exists(path, error)) path = find_program("kw-worker");
    if (path.empty())
        return fail(
            Stage::environment, ErrorCode::not_found,
            fmt::format("there is no kw-worker in '{}' or in PATH; build or install it", executable_folder().string()));
    WorkerCommand command{{path.string()}, "the worker"};
    command.start_time = kProgramTime;
    append(command.arguments, std::move(options));
    command.arguments.emplace_back("serve");
    return command;
}

Result<WorkerCommand> worker_command(std::string_view specification, std::vector<std::string> options) {
    if (specification.empty() || specification == "local") return local_worker(std::move(options));
    WorkerCommand command;
    command.remote = true;
    command.start_time = kLoginTime;
    if (specification.starts_with("ssh:")) {
        const std::string host{specification.substr(4)};
        // A leading dash would be an option of ssh, which can run programs.
        if (host.empty() || host.front() == '-' || host.contains(' ')) return bad_specification(specification);
        // Nothing can answer a password prompt here, so none is allowed to wait for one.
        command.arguments = {"ssh", "-T", "-o", "BatchMode=yes", "--", host, "kw-worker"};
        // ssh joins the words with spaces and has a shell there take them apart again.
        for (auto& option : options) option = shell_word(option);
        command.name = "the worker on " + host;
    } else if (specification == "srun" || specification.starts_with("srun:")) {
        command.arguments = {"srun", "--quiet", "--ntasks=1"};
        append(command.arguments, split(specification.substr(std::min<std::size_t>(specification.size(), 5))));
        command.arguments.emplace_back("kw-worker");
        command.name = "the worker under srun";
        command.start_time = kQueueTime;
    } else if (specification.starts_with("command:")) {
        command.arguments = split(specification.substr(8));
        if (command.arguments.empty()) return bad_specification(specification);
        command.name = fmt::format("the worker '{}'", command.arguments.front());
        command.start_time = kProgramTime;
        return command;
    } else {
        return bad_specification(specification);
    }
    append(command.arguments, std::move(options));
    command.arguments.emplace_back("serve");
    return command;
}

WorkerClient::~WorkerClient() {
    if (!Client::on_reading_thread()) return;
    // A callback was the last to share this object, and its thread cannot wait for its own end.
    std::thread{[last = std::move(client_), retired = std::move(retired_)] {}}.detach();
}

Result<std::shared_ptr<Client>> WorkerClient::client() {
    // They end after the lock: their threads may be in callbacks that call here.
    std::vector<std::shared_ptr<Client>> gone;
    const std::scoped_lock lock{mutex_};
    if (client_ && client_->alive()) return client_;
    SpawnOptions options{.arguments = command_.arguments};
    for (const auto& name : key_variables()) options.environment.emplace_back(name, std::nullopt);
    for (const auto& name : command_.withheld) options.environment.emplace_back(name, std::nullopt);
    // A remote shell passes SIGTERM on to the job it holds; SIGKILL would leave that to find out by itself.
    if (command_.remote) options.death_signal = SIGTERM;
    auto started = Client::start(options, command_.name);
    if (!started) return std::unexpected(std::move(started.error()));
    if (client_) retired_.push_back(std::move(client_));
    if (!Client::on_reading_thread()) gone.swap(retired_);
    client_ = std::move(*started);
    // Not waited for: a worker that does not understand this version answers every later request with the reason.
    const auto handshake = client_->call_async("initialize", initialize_params(), [](const Result<Json>&) {});
    client_->must_answer(
        handshake, command_.start_time,
        fmt::format("{} did not answer within {:g} s; check that '{}' starts kw-worker there, without asking anything",
                    command_.name, std::chrono::duration<double>(command_.start_time).count(),
                    fmt::join(command_.arguments, " ")));
    return client_;
}

Result<void> WorkerClient::start() {
    const auto started = client();
    if (!started) return std::unexpected(started.error());
    return {};
}

Result<Json> WorkerClient::call(std::string_view method, Json params, std::stop_token stop, const Progress& progress,
                                const profile::Live& live) {
    const auto worker = client();
    if (!worker) return std::unexpected(worker.error());
    return (*worker)->call(method, std::move(params), std::move(stop), progress, {}, nullptr, live);
}

Result<Capabilities> WorkerClient::capabilities(std::stop_token stop) {
    const auto json = call("initialize", initialize_params(), std::move(stop));
    if (!json) return std::unexpected(json.error());
    try {
        return Capabilities{json->at("protocol").get<int>(), json->at("version").get<std::string>(),
                            json->at("methods").get<std::vector<std::string>>()};
    } catch (const Json::exception& error) {
        return fail(
            Stage::rpc, ErrorCode::unsupported,
            fmt::format("{} answered the handshake with something else: {}", command_.name, what_is_wrong(error)));
    }
}

Result<Json> WorkerClient::compile(const CompileQuery& query, std::stop_token stop) {
    return call("compile", to_json(query), std::move(stop));
}

Result<Json> WorkerClient::evaluate_json(const task::Files& files, const pipeline::Options& options,
                                         std::stop_token stop, const Progress& progress, const profile::Live& live) {
    return call("evaluate", evaluate_params(files, options), std::move(stop), progress, live);
}

Result<pipeline::Evaluation> WorkerClient::evaluate(const task::Files& files, const pipeline::Options& options,
                                                    std::stop_token stop, const Progress& progress,
                                                    const profile::Live& live) {
    return as_evaluation(evaluate_json(files, options, std::move(stop), progress, live));
}

Result<Json> WorkerClient::devices(std::stop_token stop) { return call("devices", Json::object(), std::move(stop)); }

Result<Json> WorkerClient::describe_torch(const std::string& file, const std::string& source, std::stop_token stop) {
    return call("torch/describe", Json{{"file", file}, {"source", source}}, std::move(stop));
}

Result<Json> WorkerClient::doctor(std::stop_token stop) { return call("doctor", Json::object(), std::move(stop)); }

Result<Json> WorkerClient::disassemble(const DisassembleQuery& query, std::stop_token stop) {
    return call("disassemble", to_json(query), std::move(stop));
}

void WorkerClient::Ticket::cancel() const {
    if (const auto client = client_.lock()) client->cancel(id_);
}

WorkerClient::Ticket WorkerClient::call_async(std::string_view method, Json params,
                                              std::function<void(Result<Json>)> done, Progress progress,
                                              profile::Live live) {
    Ticket ticket;
    const auto worker = client();
    if (!worker) {
        done(std::unexpected(worker.error()));
        return ticket;
    }
    ticket.client_ = *worker;
    ticket.id_ =
        (*worker)->call_async(method, std::move(params), std::move(done), std::move(progress), std::move(live));
    return ticket;
}

WorkerClient::Ticket WorkerClient::compile_async(const CompileQuery& query, std::function<void(Result<Json>)> done) {
    return call_async("compile", to_json(query), std::move(done));
}

WorkerClient::Ticket WorkerClient::evaluate_async(const task::Files& files, const pipeline::Options& options,
                                                  std::function<void(Result<pipeline::Evaluation>)> done,
                                                  Progress progress, profile::Live live) {
    return call_async(
        "evaluate", evaluate_params(files, options),
        [done = std::move(done)](Result<Json> json) { done(as_evaluation(std::move(json))); }, std::move(progress),
        std::move(live));
}

WorkerClient::Ticket WorkerClient::disassemble_async(const DisassembleQuery& query,
                                                     std::function<void(Result<Json>)> done) {
    return call_async("disassemble", to_json(query), std::move(done));
}

bool WorkerClient::alive() const {
    const std::scoped_lock lock{mutex_};
    return client_ && client_->alive();
}

pid_t WorkerClient::pid() const {
    const std::scoped_lock lock{mutex_};
    return client_ ? client_->pid() : -1;
}

void WorkerClient::shutdown() {
    std::shared_ptr<Client> worker;
    {
        const std::scoped_lock lock{mutex_};
        worker = std::move(client_);
    }
    if (!worker) return;
    worker->call_async("shutdown", Json::object(), [](const Result<Json>&) {});
    worker->close(kShutdownPatience);
}

} // namespace kw::rpc
