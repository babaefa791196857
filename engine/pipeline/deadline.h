#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace kw::pipeline {

/// Asks for a stop after some time, or when another one is asked for.
class Deadline {
public:
    Deadline(std::stop_token outer, std::chrono::duration<double> time)
        : thread_([this, outer = std::move(outer), time](const std::stop_token& own) {
              const std::stop_callback forward{outer, [this] { source_.request_stop(); }};
              std::mutex mutex;
              std::unique_lock lock{mutex};
              std::condition_variable_any done;
              if (!done.wait_for(lock, own, time, [] { return false; }) && !own.stop_requested()) {
                  passed_ = true;
                  source_.request_stop();
              }
          }) {}

    [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
    [[nodiscard]] bool passed() const { return passed_; }

private:
    std::stop_source source_;
    std::atomic<bool> passed_ = false;
    std::jthread thread_; ///< last: ended before the rest goes
};

} // namespace kw::pipeline
