#include "engine/rpc/server.h"

#include "engine/base/json_error.h"
#include "engine/rpc/outbox.h"

#include <fmt/format.h>

#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

namespace kw::rpc {
namespace {

struct Job {
    Json id;
    const Server::Method* method = nullptr;
    Json params;
    std::string key;
    std::stop_source stop;
};

struct Lane {
    std::deque<std::shared_ptr<Job>> waiting;
    std::condition_variable_any changed;
    std::jthread thread;
};

Error invalid_request(std::string message) { return {Stage::rpc, ErrorCode::unsupported, std::move(message)}; }

Error cancelled() { return {Stage::rpc, ErrorCode::cancelled, "the request was cancelled"}; }

} // namespace

struct Server::State {
    State(Descriptor in, Descriptor out, const Limits& bounds)
        : input(std::move(in)), output(std::move(out)), limits(bounds) {}

    void send(const std::string& text) {
        const std::scoped_lock lock{write_mutex};
        // A peer that has gone is noticed by the reader; nothing is owed to it.
        if (!write_all(output.get(), text)) broken = true;
    }

    /// A notification has a null id and gets no answer.
    void answer(const Json& id, const Result<Json>& result) {
        if (!id.is_null()) send(response_frame(id, result));
    }

    Result<Json> handle(Job& job) {
        if (job.method->live_handler) {
            Outbox outbox{job.id, [this](const std::string& text) { send(text); }};
            return job.method->live_handler(
                job.params, job.stop.get_token(),
                [&](std::string_view what, double fraction) { outbox.progress(what, fraction); },
                [&](const profile::LiveUpdate& update) { outbox.live(update); });
        }
        const Progress progress = [&](std::string_view what, double fraction) {
            send(progress_frame(job.id, what, fraction));
        };
        return job.method->handler(job.params, job.stop.get_token(), progress);
    }

    void run(Job& job) {
        Result<Json> result = std::unexpected(cancelled());
        try {
            if (!job.stop.stop_requested()) result = handle(job);
        } catch (const std::bad_alloc&) {
            result = fail(Stage::environment, ErrorCode::internal, "there is not enough memory for this request");
        } catch (const std::exception& error) {
            result = fail(Stage::rpc, ErrorCode::internal, fmt::format("the request failed: {}", what_is_wrong(error)));
        }
        // From here on its number may be used again.
        {
            const std::scoped_lock lock{mutex};
            running.erase(job.id.dump());
        }
        answer(job.id, result);
        if (job.method->answered) job.method->answered();
    }

    void work(Lane& lane, const std::stop_token& stop) {
        for (;;) {
            std::shared_ptr<Job> job;
            {
                std::unique_lock lock{mutex};
                if (!lane.changed.wait(lock, stop, [&] { return !lane.waiting.empty(); })) return;
                job = std::move(lane.waiting.front());
                lane.waiting.pop_front();
            }
            run(*job);
        }
    }

    void queue(const std::shared_ptr<Job>& job) {
        std::vector<Json> replaced;
        {
            const std::scoped_lock lock{mutex};
            auto& lane = lanes[job->method->lane];
            if (!lane) {
                lane = std::make_unique<Lane>();
                lane->thread = std::jthread{[this, &here = *lane](const std::stop_token& stop) { work(here, stop); }};
            }
            if (!job->key.empty())
                std::erase_if(lane->waiting, [&](const std::shared_ptr<Job>& older) {
                    if (older->method != job->method || older->key != job->key) return false;
                    running.erase(older->id.dump());
                    replaced.push_back(older->id);
                    return true;
                });
            lane->waiting.push_back(job);
            lane->changed.notify_one();
        }
        for (const auto& id : replaced) answer(id, std::unexpected(cancelled()));
    }

    /// True when a request of that number was there.
    bool cancel(const Json& id) {
        std::shared_ptr<Job> removed;
        {
            const std::scoped_lock lock{mutex};
            const auto found = running.find(id.dump());
            if (found == running.end()) return false;
            const auto job = found->second;
            job->stop.request_stop();
            const auto lane = lanes.find(job->method->lane);
            if (lane != lanes.end() && std::erase(lane->second->waiting, job) > 0) {
                running.erase(found);
                removed = job;
            }
        }
        if (removed) answer(removed->id, std::unexpected(cancelled()));
        return true;
    }

    /// False: shut down.
    bool dispatch(const Json& message) {
        const auto id_member = message.find("id");
        const bool has_id = id_member != message.end();
        const Json id = has_id ? *id_member : Json{};
        const auto method_member = message.find("method");
        if ((has_id && !id.is_string() && !id.is_number_integer()) || method_member == message.end()
            || !method_member->is_string()) {
            send_fault(id.is_string() || id.is_number_integer() ? id : Json{}, Fault::invalid_request,
                       "a request has a method name and, if it wants an answer, an id that is a string or an integer");
            return true;
        }
        const auto name = method_member->get<std::string>();
        const auto params_member = message.find("params");
        Json params = params_member == message.end() ? Json::object() : *params_member;
        if (name == "shutdown") {
            stop_all();
            answer(id, Json{});
            return false;
        }
        if (name == "cancel") {
            const auto target = params.is_object() ? params.find("id") : params.end();
            const bool found = params.is_object() && target != params.end() && cancel(*target);
            answer(id, Json{{"found", found}});
            return true;
        }
        if (!has_id) return true; // work whose outcome nobody would see, and that nobody could cancel
        const auto method = methods.find(name);
        if (method == methods.end()) {
            answer(id,
                   fail(Stage::rpc, ErrorCode::not_found, fmt::format("there is no method '{}'", name.substr(0, 100))));
            return true;
        }
        auto job = std::make_shared<Job>(Job{id, &method->second, std::move(params), {}, {}});
        if (job->method->newest_of) job->key = job->method->newest_of(job->params);
        bool fresh = false;
        {
            const std::scoped_lock lock{mutex};
            fresh = running.emplace(id.dump(), job).second;
        }
        if (!fresh) {
            send_fault(id, Fault::invalid_request, "a request with this id is still running");
            return true;
        }
        if (job->method->lane.empty())
            run(*job);
        else
            queue(job);
        return true;
    }

    void send_fault(const Json& id, Fault fault, std::string message) {
        auto error = to_json(invalid_request(std::move(message)));
        error["code"] = static_cast<int>(fault);
        send(frame(Json{{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}}.dump()));
    }

    void stop_all() {
        const std::scoped_lock lock{mutex};
        for (auto& [id, job] : running) job->stop.request_stop();
        for (auto& [name, lane] : lanes) lane->thread.request_stop();
    }

    Descriptor input;
    Descriptor output;
    Limits limits;
    std::map<std::string, Method, std::less<>> methods;

    std::mutex write_mutex;
    std::atomic<bool> broken = false;
    std::mutex mutex;                                    ///< guards running and what is in the lanes
    std::map<std::string, std::shared_ptr<Job>> running; ///< waiting ones too, by the text of their id
    std::map<std::string, std::unique_ptr<Lane>> lanes;
};

Server::Server(Descriptor input, Descriptor output, const Limits& limits)
    : state_(std::make_unique<State>(std::move(input), std::move(output), limits)) {}

Server::~Server() {
    state_->stop_all();
    state_->lanes.clear();
}

void Server::add(std::string name, Method method) {
    state_->methods.insert_or_assign(std::move(name), std::move(method));
}

Result<void> Server::serve() {
    Decoder decoder{state_->limits};
    std::string buffer(65536, '\0');
    while (!state_->broken) {
        const auto n = read_some(state_->input.get(), buffer.data(), buffer.size());
        if (n <= 0) break;
        decoder.feed(std::string_view{buffer}.substr(0, static_cast<std::size_t>(n)));
        for (;;) {
            auto body = decoder.next();
            if (!body) {
                state_->send_fault({}, Fault::invalid_request, body.error().message);
                state_->stop_all();
                return std::unexpected(std::move(body.error()));
            }
            if (!*body) break;
            auto message = parse_body(**body, state_->limits);
            if (!message) {
                state_->send_fault({}, Fault::parse_error, message.error().message);
                continue;
            }
            if (!message->is_object()) {
                state_->send_fault({}, Fault::invalid_request,
                                   "a message is one JSON object; batches are not supported");
                continue;
            }
            if (!state_->dispatch(*message)) return {};
        }
    }
    state_->stop_all();
    if (!state_->broken && !decoder.at_boundary())
        return fail(Stage::rpc, ErrorCode::invalid_input, "the input ended in the middle of a message");
    return {};
}

} // namespace kw::rpc
