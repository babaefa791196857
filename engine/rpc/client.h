#pragma once

#include "engine/base/process.h"
#include "engine/profile/profiler.h"
#include "engine/rpc/protocol.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kw::rpc {

/// The calling side, over a process started for it. Any thread may use it; nothing here waits for the peer except
/// call(). When the peer ends, every pending call fails with ErrorCode::crashed and a sentence that carries its last
/// words.
class Client {
public:
    using Id = std::int64_t;
    using Done = std::function<void(Result<Json>)>;

    /// `name` is what error sentences call the peer: "the worker", "the worker on host7".
    [[nodiscard]] static Result<std::unique_ptr<Client>> start(const SpawnOptions& options, std::string name,
                                                               const Limits& limits = {});
    /// Pending calls fail with ErrorCode::cancelled; a process is killed.
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// Waits for the answer. `stop` sends a cancel and gives the peer a moment to obey (set_cancel_patience); the error
    /// is then `cancelled` in any case. After `timeout` the error is `timeout` and a cancel is sent. `answered`, if
    /// given, becomes true when the peer itself answered, be it with an error: it was alive and idle then.
    [[nodiscard]] Result<Json> call(std::string_view method, Json params, std::stop_token stop = {},
                                    const Progress& progress = {},
                                    std::optional<std::chrono::milliseconds> timeout = {}, bool* answered = nullptr,
                                    const profile::Live& live = {});

    /// `done` runs exactly once, on the reading thread (on this one when the peer has already ended); `progress` and
    /// `live` on the reading thread. None may call() or destroy this object.
    Id call_async(std::string_view method, Json params, Done done, Progress progress = {}, profile::Live live = {});
    /// A peer that has not answered `id` after `time` is taken for dead: it is killed, and all that is pending fails
    /// with ErrorCode::timeout and `sentence`. One such limit at a time.
    void must_answer(Id id, std::chrono::milliseconds time, std::string sentence);
    /// Asks the peer to stop; `done` still runs, with whatever it answers.
    void cancel(Id id);

    /// This thread is the reading thread of some Client, so it may destroy none: two of them could wait for each other.
    [[nodiscard]] static bool on_reading_thread();

    /// Half a second unless set.
    void set_cancel_patience(std::chrono::milliseconds patience);

    [[nodiscard]] bool alive() const;
    /// What ended the connection; no value while it is alive.
    [[nodiscard]] std::optional<Error> death() const;
    /// The last lines the peer wrote to its standard error.
    [[nodiscard]] std::string last_words() const;
    /// -1 without a process.
    [[nodiscard]] pid_t pid() const;

    /// SIGKILL; pending calls fail. Returns at once.
    void kill();
    /// Closes the peer's input and waits for its end; past the deadline it is killed.
    void close(std::chrono::milliseconds patience);

private:
    struct State;
    explicit Client(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace kw::rpc
