#include "engine/profile/trace/foreground.h"

#include "engine/base/descriptor.h"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

namespace kw::trace {
namespace {

constexpr int kPassedOn[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& added) {
    std::vector<std::string> result;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text{*entry};
        const auto name = text.substr(0, text.find('='));
        if (std::ranges::none_of(added, [&](const auto& variable) { return variable.first == name; }))
            result.emplace_back(text);
    }
    for (const auto& [name, value] : added) result.push_back(name + "=" + value);
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

/// The signals to pass on are blocked in this thread for as long as the object lives, and read instead.
class Signals {
public:
    Signals() {
        sigset_t passed;
        sigemptyset(&passed);
        for (const int number : kPassedOn) sigaddset(&passed, number);
        ::pthread_sigmask(SIG_BLOCK, &passed, &before_);
        descriptor_.reset(::signalfd(-1, &passed, SFD_CLOEXEC | SFD_NONBLOCK));
    }
    ~Signals() {
        // One that came at the last moment was for the program, which is gone.
        signalfd_siginfo info;
        while (read_some(descriptor_.get(), reinterpret_cast<char*>(&info), sizeof info) > 0) {
        }
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    [[nodiscard]] const sigset_t& before() const { return before_; }
    [[nodiscard]] int descriptor() const { return descriptor_.get(); }

    void pass_on(pid_t to, const std::function<void(int)>& told) const {
        signalfd_siginfo info;
        while (read_some(descriptor_.get(), reinterpret_cast<char*>(&info), sizeof info) > 0) {
            if (told) told(static_cast<int>(info.ssi_signo));
            // The terminal's own go to the whole group, so the program has got it.
            if (info.ssi_code != SI_KERNEL) ::kill(to, static_cast<int>(info.ssi_signo));
        }
    }

private:
    sigset_t before_{};
    Descriptor descriptor_;
};

Result<pid_t> start(const ForegroundOptions& options, const sigset_t& mask) {
    const auto& name = options.arguments.front();
    const auto path = find_program(name);
    if (path.empty())
        return fail(Stage::usage, ErrorCode::not_found,
                    fmt::format("no program '{}' is in PATH; give its whole path", name));
    auto arguments = options.arguments;
    auto environment = environment_with(options.environment);
    const auto argument_pointers = pointers(arguments);
    const auto environment_pointers = pointers(environment);

    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setsigmask(&attributes, &mask);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGXFSZ); // ignored by kw itself, see app/cli/main.cpp
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t pid = -1;
    const int reason =
        ::posix_spawn(&pid, path.c_str(), nullptr, &attributes, argument_pointers.data(), environment_pointers.data());
    ::posix_spawnattr_destroy(&attributes);
    if (reason != 0)
        return fail(Stage::usage, reason == ENOENT ? ErrorCode::not_found : ErrorCode::unsupported,
                    fmt::format("cannot start '{}': {}", path.string(), std::strerror(reason)));
    return pid;
}

} // namespace

Result<ExitStatus> run_in_foreground(const ForegroundOptions& options) {
    if (options.arguments.empty()) return fail(Stage::usage, ErrorCode::invalid_input, "no program was named");
    // Whoever started this may ignore the ends of children, which would take away how the program ended.
    std::signal(SIGCHLD, SIG_DFL);
    const Signals signals;
    const auto pid = start(options, signals.before());
    if (!pid) return std::unexpected(pid.error());
    // By number: glibc 2.36 declares pidfd_open without extern "C".
    const Descriptor ended{static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0))};
    for (;;) {
        pollfd waiting[] = {{ended.get(), POLLIN, 0}, {signals.descriptor(), POLLIN, 0}};
        const bool ticks = static_cast<bool>(options.on_tick);
        // Without a descriptor for its end, it is asked for every 10 ms.
        const int timeout = !ended ? 10 : ticks ? static_cast<int>(options.tick.count()) : -1;
        const int ready = ::poll(waiting, 2, timeout);
        if (waiting[1].revents) signals.pass_on(*pid, options.on_signal);
        if (ticks && ready == 0) options.on_tick();
        int raw = 0;
        const auto waited = ::waitpid(*pid, &raw, WNOHANG);
        if (waited < 0 && errno == ECHILD)
            return fail(Stage::environment, ErrorCode::internal, "the program ended, but how is not to be learnt");
        if (waited != *pid) continue;
        return WIFSIGNALED(raw) ? ExitStatus{0, WTERMSIG(raw)} : ExitStatus{WEXITSTATUS(raw), 0};
    }
}

} // namespace kw::trace
