#pragma once

#include <stop_token>
#include <thread>

namespace kw::report {

/// Turns the first Ctrl-C (SIGINT) or SIGTERM into a stop request and the second into the end of the process, status
/// 130. Make it before any other thread: the signals are blocked in this one, and threads started later inherit that.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

private:
    std::stop_source source_;
    std::jthread thread_;
};

/// What a shell reports for a program that SIGINT ended.
inline constexpr int kInterruptedStatus = 130;

} // namespace kw::report
