#include "engine/rpc/outbox.h"

#include <chrono>

namespace kw::rpc {
namespace {

using Clock = std::chrono::steady_clock;

/// Twenty times a second is smooth to look at; more would cost the work that is profiled.
constexpr std::chrono::milliseconds kLiveInterval{50};

} // namespace

std::string progress_frame(const Json& id, std::string_view what, double fraction) {
    return notification_frame("progress", Json{{"id", id}, {"what", what}, {"fraction", fraction}});
}

Outbox::Outbox(Json id, std::function<void(const std::string& frame)> send)
    : id_(std::move(id)), send_(std::move(send)), thread_{[this](const std::stop_token& stop) { run(stop); }} {}

void Outbox::progress(std::string_view what, double fraction) {
    const std::scoped_lock lock{mutex_};
    progress_.emplace(what, fraction);
    changed_.notify_one();
}

void Outbox::live(const profile::LiveUpdate& update) {
    buffer_.add(update);
    const std::scoped_lock lock{mutex_};
    has_live_ = true;
    changed_.notify_one();
}

void Outbox::run(const std::stop_token& stop) {
    Clock::time_point next{};
    for (;;) {
        std::optional<std::pair<std::string, double>> progress;
        bool live_is_due = false;
        {
            std::unique_lock lock{mutex_};
            changed_.wait(lock, stop, [&] { return progress_ || has_live_; });
            if (!progress_ && has_live_) changed_.wait_until(lock, stop, next, [&] { return progress_.has_value(); });
            progress.swap(progress_);
            live_is_due = has_live_ && (stop.stop_requested() || Clock::now() >= next);
            if (live_is_due) has_live_ = false;
            if (stop.stop_requested() && !progress && !live_is_due) return;
        }
        if (progress) send_(progress_frame(id_, progress->first, progress->second));
        if (!live_is_due) continue;
        if (const auto update = buffer_.take())
            send_(notification_frame("live", Json{{"id", id_}, {"update", profile::to_json(*update)}}));
        next = Clock::now() + kLiveInterval;
    }
}

} // namespace kw::rpc
