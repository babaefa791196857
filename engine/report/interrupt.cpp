#include "engine/report/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>

namespace kw::report {

Interrupt::Interrupt() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    thread_ = std::jthread{[this, signals](const std::stop_token& stop) {
        // Waking now and then to see `stop` is cheaper than a descriptor to wait on beside the signals.
        const timespec slice{0, 20'000'000};
        while (!stop.stop_requested()) {
            if (::sigtimedwait(&signals, nullptr, &slice) < 0) continue;
            if (source_.stop_requested()) ::_exit(kInterruptedStatus);
            source_.request_stop();
        }
    }};
}

Interrupt::~Interrupt() = default;

} // namespace kw::report
