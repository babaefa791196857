#include "engine/rpc/client.h"

#include "engine/profile/live.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace kw::rpc {
namespace {

constexpr std::size_t kLastWordsBytes = 4096;
/// A process whose output has ended should end too; its status makes the better sentence.
constexpr std::chrono::milliseconds kEndPatience{300};

void set_nonblocking(const Descriptor& fd) {
    if (fd) ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

std::string last_line(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
    const auto start = text.rfind('\n');
    return std::string{start == std::string_view::npos ? text : text.substr(start + 1)};
}

/// 0 when it has passed, else at least 1; a wait in poll(2).
int milliseconds_until(std::chrono::steady_clock::time_point end) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}

thread_local bool reading = false; ///< this thread is a Client's

Result<Descriptor> make_wake() {
    Descriptor wake{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (wake) return wake;
    return fail(Stage::environment, ErrorCode::internal,
                fmt::format("cannot make an event descriptor: {}", std::strerror(errno)));
}

} // namespace

struct Client::State {
    struct Pending {
        Done done;
        Progress progress;
        profile::Live live;
    };
    /// See must_answer().
    struct Limit {
        Id id = 0;
        std::chrono::steady_clock::time_point end{};
        std::string sentence;
    };

    std::string name;
    Limits limits;
    std::optional<Child> child;
    Descriptor input;
    Descriptor output;
    Descriptor errors;
    Descriptor wake;

    mutable std::mutex mutex; ///< guards everything below
    std::condition_variable ended;
    std::map<Id, Pending> pending;
    std::deque<std::string> outgoing;
    Id next_id = 1;
    std::string words;
    std::optional<Error> death;
    std::optional<Limit> limit; ///< while it counts
    std::chrono::milliseconds cancel_patience{500};
    bool quit = false;        ///< the object is being destroyed
    bool close_input = false; ///< once everything queued has been written
    bool kill_requested = false;

    std::jthread thread; ///< last: joined before the rest goes

    void wake_up() const { ::eventfd_write(wake.get(), 1); }

    void loop() {
        reading = true;
        Decoder decoder{limits};
        std::size_t written = 0; ///< of outgoing.front()
        std::string reason;
        while (reason.empty()) {
            bool wants_write = false;
            int patience = -1;
            {
                const std::scoped_lock lock{mutex};
                if (quit) break;
                if (limit && !pending.contains(limit->id)) limit.reset();
                if (limit) patience = milliseconds_until(limit->end);
                if (patience == 0) break;
                if (kill_requested) child->kill();
                wants_write = !outgoing.empty();
                if (!wants_write && close_input) output.reset();
            }
            std::array<pollfd, 5> waiting{{{input.get(), POLLIN, 0},
                                           {errors.get(), POLLIN, 0},
                                           {wants_write ? output.get() : -1, POLLOUT, 0},
                                           {wake.get(), POLLIN, 0},
                                           {child ? child->ended_descriptor() : -1, POLLIN, 0}}};
            if (::poll(waiting.data(), waiting.size(), patience) < 0) {
                if (errno == EINTR) continue;
                reason = "cannot be waited for";
                break;
            }
            if (waiting[3].revents) {
                eventfd_t value = 0;
                ::eventfd_read(wake.get(), &value);
            }
            if (waiting[1].revents) read_errors();
            if (waiting[0].revents && !read_messages(decoder, reason)) break;
            // A process may end with its answers still in the pipe; they were read above until there were no more.
            if (waiting[4].revents && !waiting[0].revents) break;
            if (waiting[2].revents) write_some_of(written);
        }
        finish(reason);
    }

    void read_errors() {
        std::array<char, 4096> buffer;
        const auto n = read_some(errors.get(), buffer.data(), buffer.size());
        if (n <= 0) {
            if (n == 0 || errno != EAGAIN) errors.reset();
            return;
        }
        const std::scoped_lock lock{mutex};
        words.append(buffer.data(), static_cast<std::size_t>(n));
        if (words.size() > 2 * kLastWordsBytes) words.erase(0, words.size() - kLastWordsBytes);
    }

    /// False when the stream has ended or, with a reason, cannot be followed.
    bool read_messages(Decoder& decoder, std::string& reason) {
        std::array<char, 65536> buffer;
        const auto n = read_some(input.get(), buffer.data(), buffer.size());
        if (n < 0 && errno == EAGAIN) return true;
        if (n <= 0) return false;
        decoder.feed({buffer.data(), static_cast<std::size_t>(n)});
        for (;;) {
            auto body = decoder.next();
            if (!body) {
                reason = body.error().message;
                return false;
            }
            if (!*body) return true;
            auto message = parse_body(**body, limits);
            if (!message) {
                reason = message.error().message;
                return false;
            }
            receive(std::move(*message));
        }
    }

    void receive(Json message) {
        if (!message.is_object()) return;
        if (message.contains("method")) {
            receive_notification(message);
            return;
        }
        const auto id = message.find("id");
        if (id == message.end() || !id->is_number_integer()) return;
        Pending call;
        {
            const std::scoped_lock lock{mutex};
            auto node = pending.extract(id->get<Id>());
            if (node.empty()) return;
            call = std::move(node.mapped());
        }
        if (const auto error = message.find("error"); error != message.end())
            call.done(std::unexpected(error_from_json(*error)));
        else
            call.done(message.contains("result") ? Result<Json>{std::move(message["result"])} : Result<Json>{Json{}});
    }

    void receive_notification(const Json& message) {
        const auto params = message.find("params");
        if (params == message.end() || !params->is_object()) return;
        const auto id = params->find("id");
        if (message["method"] == "live") return receive_live(*params);
        if (message["method"] != "progress") return;
        const auto what = params->find("what");
        const auto fraction = params->find("fraction");
        if (id == params->end() || !id->is_number_integer() || what == params->end() || !what->is_string()) return;
        Progress progress;
        {
            const std::scoped_lock lock{mutex};
            const auto call = pending.find(id->get<Id>());
            if (call != pending.end()) progress = call->second.progress;
        }
        if (progress)
            progress(what->get<std::string>(),
                     fraction != params->end() && fraction->is_number() ? fraction->get<double>() : -1);
    }

    /// An update that cannot be read is left out: it is a view on work whose result comes all the same.
    void receive_live(const Json& params) {
        const auto id = params.find("id");
        const auto update = params.find("update");
        if (id == params.end() || !id->is_number_integer() || update == params.end()) return;
        profile::Live live;
        {
            const std::scoped_lock lock{mutex};
            const auto call = pending.find(id->get<Id>());
            if (call != pending.end()) live = call->second.live;
        }
        if (!live) return;
        if (const auto read = profile::live_update_from_json(*update)) live(*read);
    }

    void write_some_of(std::size_t& written) {
        std::string* front = nullptr;
        {
            const std::scoped_lock lock{mutex};
            if (!outgoing.empty()) front = &outgoing.front(); // a deque keeps its elements in place when it grows
        }
        if (!front) return;
        const auto n = kw::write_some(output.get(), std::string_view{*front}.substr(written));
        if (n < 0 && errno == EAGAIN) return;
        const std::scoped_lock lock{mutex};
        if (n < 0) {
            // The reader will see the end; there may be an answer before it.
            outgoing.clear();
            written = 0;
            output.reset();
            return;
        }
        written += static_cast<std::size_t>(n);
        if (written < outgoing.front().size()) return;
        outgoing.pop_front();
        written = 0;
    }

    void finish(const std::string& reason) {
        std::optional<ExitStatus> status;
        bool wanted = false;
        bool abandoned = false;
        {
            const std::scoped_lock lock{mutex};
            wanted = quit || close_input || kill_requested;
            abandoned = quit;
        }
        if (child) {
            output.reset();
            if (reason.empty() && !abandoned) status = child->wait(kEndPatience);
            if (!status) child->kill_and_wait();
        }
        while (errors) {
            pollfd more{errors.get(), POLLIN, 0};
            if (::poll(&more, 1, 0) <= 0) break;
            read_errors();
        }
        std::map<Id, Pending> orphans;
        Error error;
        {
            const std::scoped_lock lock{mutex};
            error = describe_end(reason, status, wanted);
            death = error;
            orphans.swap(pending);
            outgoing.clear();
        }
        ended.notify_all();
        for (auto& [id, call] : orphans) call.done(std::unexpected(error));
    }

    [[nodiscard]] Error describe_end(const std::string& reason, const std::optional<ExitStatus>& status,
                                     bool wanted) const {
        if (limit && milliseconds_until(limit->end) == 0)
            return {Stage::environment, ErrorCode::timeout, limit->sentence, words};
        if (wanted && !kill_requested) return {Stage::rpc, ErrorCode::cancelled, fmt::format("{} was closed", name)};
        Error error{Stage::environment, ErrorCode::crashed, {}, words};
        if (!reason.empty())
            error.message = fmt::format("{} does not speak the protocol: {}", name, reason);
        else
            error.message = fmt::format("{} ended unexpectedly{}", name, status ? " (" + to_string(*status) + ")" : "");
        if (const auto line = last_line(words); !line.empty()) error.message += ": " + line;
        return error;
    }
};

Client::Client(std::unique_ptr<State> state) : state_(std::move(state)) {
    auto& own = *state_;
    for (const auto* fd : {&own.input, &own.output, &own.errors}) set_nonblocking(*fd);
    own.thread = std::jthread{[&own] { own.loop(); }};
}

Result<std::unique_ptr<Client>> Client::start(const SpawnOptions& options, std::string name, const Limits& limits) {
    auto wake = make_wake();
    if (!wake) return std::unexpected(std::move(wake.error()));
    auto child = Child::spawn(options);
    if (!child) return std::unexpected(std::move(child.error()));
    auto state = std::make_unique<State>();
    state->wake = std::move(*wake);
    state->name = std::move(name);
    state->limits = limits;
    state->input = std::move(child->output());
    state->output = std::move(child->input());
    state->errors = std::move(child->errors());
    state->child.emplace(std::move(*child));
    return std::unique_ptr<Client>{new Client{std::move(state)}};
}

Client::~Client() {
    {
        const std::scoped_lock lock{state_->mutex};
        state_->quit = true;
    }
    state_->wake_up();
}

Client::Id Client::call_async(std::string_view method, Json params, Done done, Progress progress, profile::Live live) {
    Id id = 0;
    std::optional<Error> dead;
    {
        const std::scoped_lock lock{state_->mutex};
        id = state_->next_id++;
        dead = state_->death;
    }
    if (!dead) {
        // Built outside the lock: it may be large.
        auto text = request_frame(id, method, std::move(params));
        const std::scoped_lock lock{state_->mutex};
        dead = state_->death;
        if (!dead) {
            state_->pending.emplace(id, State::Pending{std::move(done), std::move(progress), std::move(live)});
            state_->outgoing.push_back(std::move(text));
        }
    }
    if (dead)
        done(std::unexpected(*dead));
    else
        state_->wake_up();
    return id;
}

void Client::must_answer(Id id, std::chrono::milliseconds time, std::string sentence) {
    {
        const std::scoped_lock lock{state_->mutex};
        state_->limit = State::Limit{id, std::chrono::steady_clock::now() + time, std::move(sentence)};
    }
    state_->wake_up();
}

void Client::cancel(Id id) {
    {
        const std::scoped_lock lock{state_->mutex};
        if (!state_->pending.contains(id)) return;
        state_->outgoing.push_back(notification_frame("cancel", Json{{"id", id}}));
    }
    state_->wake_up();
}

Result<Json> Client::call(std::string_view method, Json params, std::stop_token stop, const Progress& progress,
                          std::optional<std::chrono::milliseconds> timeout, bool* answered, const profile::Live& live) {
    // Shared with the callbacks, which may run after this function has given up.
    struct Answer {
        std::mutex mutex;
        std::condition_variable_any changed;
        std::optional<Result<Json>> result;
        bool abandoned = false;
        bool from_peer = false;
    };
    const auto answer = std::make_shared<Answer>();
    Progress forward;
    if (progress)
        forward = [answer, &progress](std::string_view what, double fraction) {
            const std::scoped_lock lock{answer->mutex};
            if (!answer->abandoned) progress(what, fraction);
        };
    profile::Live forward_live;
    if (live)
        forward_live = [answer, &live](const profile::LiveUpdate& update) {
            const std::scoped_lock lock{answer->mutex};
            if (!answer->abandoned) live(update);
        };
    const auto id = call_async(
        method, std::move(params),
        [answer, this](Result<Json> result) {
            // What a death is told with comes after it; a peer may well end once it has answered.
            const bool from_peer = alive();
            const std::scoped_lock lock{answer->mutex};
            answer->from_peer = from_peer;
            answer->result = std::move(result);
            answer->changed.notify_all();
        },
        std::move(forward), std::move(forward_live));
    std::unique_lock lock{answer->mutex};
    const auto arrived = [&] { return answer->result.has_value(); };
    const bool in_time =
        timeout ? answer->changed.wait_for(lock, stop, *timeout, arrived) : answer->changed.wait(lock, stop, arrived);
    const bool stopped = !in_time && stop.stop_requested();
    if (!in_time) {
        lock.unlock();
        cancel(id);
        std::chrono::milliseconds patience{0};
        {
            const std::scoped_lock own{state_->mutex};
            if (stopped) patience = state_->cancel_patience;
        }
        lock.lock();
        answer->changed.wait_for(lock, patience, arrived);
        answer->abandoned = true;
    }
    if (answered) *answered = arrived() && answer->from_peer;
    if (in_time) return std::move(*answer->result);
    lock.unlock();
    {
        const std::scoped_lock own{state_->mutex};
        state_->pending.erase(id);
    }
    if (stopped) return fail(Stage::rpc, ErrorCode::cancelled, fmt::format("'{}' was cancelled", method));
    return fail(Stage::rpc, ErrorCode::timeout,
                fmt::format("{} did not answer '{}' within {} ms", state_->name, method, timeout->count()));
}

void Client::set_cancel_patience(std::chrono::milliseconds patience) {
    const std::scoped_lock lock{state_->mutex};
    state_->cancel_patience = patience;
}

bool Client::alive() const {
    const std::scoped_lock lock{state_->mutex};
    return !state_->death;
}

std::optional<Error> Client::death() const {
    const std::scoped_lock lock{state_->mutex};
    return state_->death;
}

std::string Client::last_words() const {
    const std::scoped_lock lock{state_->mutex};
    return state_->words;
}

bool Client::on_reading_thread() { return reading; }

pid_t Client::pid() const { return state_->child ? state_->child->pid() : -1; }

void Client::kill() {
    {
        const std::scoped_lock lock{state_->mutex};
        state_->kill_requested = true;
    }
    state_->wake_up();
}

void Client::close(std::chrono::milliseconds patience) {
    std::unique_lock lock{state_->mutex};
    state_->close_input = true;
    state_->wake_up();
    if (state_->ended.wait_for(lock, patience, [&] { return state_->death.has_value(); })) return;
    lock.unlock();
    kill();
    lock.lock();
    state_->ended.wait(lock, [&] { return state_->death.has_value(); });
}

} // namespace kw::rpc
