#pragma once

#include "engine/profile/live.h"
#include "engine/rpc/protocol.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace kw::rpc {

/// A `progress` notification.
[[nodiscard]] std::string progress_frame(const Json& id, std::string_view what, double fraction);

/// Sends what one running request reports from a thread of its own, so that a reader who is slow holds up neither the
/// work nor the memory: of progress the newest is kept, of live updates what a LiveBuffer holds.
class Outbox {
public:
    /// `send` may wait; it is called on the outbox's thread alone.
    Outbox(Json id, std::function<void(const std::string& frame)> send);
    /// Sends what is left.
    ~Outbox() = default;
    Outbox(const Outbox&) = delete;
    Outbox& operator=(const Outbox&) = delete;

    void progress(std::string_view what, double fraction);
    void live(const profile::LiveUpdate& update);

private:
    void run(const std::stop_token& stop);

    Json id_;
    std::function<void(const std::string&)> send_;
    profile::LiveBuffer buffer_;
    std::mutex mutex_; ///< guards the three below
    std::condition_variable_any changed_;
    std::optional<std::pair<std::string, double>> progress_;
    bool has_live_ = false;
    std::jthread thread_; ///< last: joined before the rest goes
};

} // namespace kw::rpc
