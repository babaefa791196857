#pragma once

#include "engine/base/descriptor.h"
#include "engine/profile/profiler.h"
#include "engine/rpc/protocol.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace kw::rpc {

/// Answers requests from a pair of descriptors. `cancel {id}` and `shutdown` are built in; `progress {id, what,
/// fraction}` and `live {id, update}` are sent as notifications. Requests of one lane run one after another on that
/// lane's thread; lanes run side by side.
class Server {
public:
    using Handler = std::function<Result<Json>(const Json& params, std::stop_token stop, const Progress& progress)>;

    using LiveHandler = std::function<Result<Json>(const Json& params, std::stop_token stop, const Progress& progress,
                                                   const profile::Live& live)>;

    struct Method {
        Handler handler{};
        /// Empty: on the reading thread, which then hears no cancel; only for what answers at once.
        std::string lane{};
        /// Optional. A request cancels those still waiting in its lane that have the same key, so that only the newest
        /// runs.
        std::function<std::string(const Json& params)> newest_of{};
        /// Optional. Runs on the handler's thread once the answer has been written.
        std::function<void()> answered{};
        /// Instead of `handler`, for what reports live. Neither of the two reports waits for the reader then: of the
        /// progress the newest is sent, of what is live as much as profile::LiveBuffer holds, ten to twenty times a
        /// second.
        LiveHandler live_handler{};
    };

    Server(Descriptor input, Descriptor output, const Limits& limits = {});
    /// Asks running handlers to stop and waits for them.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Before serve().
    void add(std::string name, Method method);

    /// Reads until `shutdown` or the end of input, then asks every running handler to stop. A stream that is not the
    /// protocol is an error.
    [[nodiscard]] Result<void> serve();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace kw::rpc
