#pragma once

#include "engine/base/descriptor.h"
#include "engine/base/result.h"

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kw {

/// How a process ended.
struct ExitStatus {
    int code = 0;   ///< exit status, when `signal` is 0
    int signal = 0; ///< the signal that ended it, or 0
    [[nodiscard]] bool success() const { return code == 0 && signal == 0; }
    bool operator==(const ExitStatus&) const = default;
};
/// "exit status 3" or "signal 11 (SIGSEGV)".
[[nodiscard]] std::string to_string(const ExitStatus& status);

struct SpawnOptions {
    enum class Stream { pipe, inherit, null };

    std::vector<std::string> arguments; ///< [0] is a path from this process's folder, or a name looked up in PATH
    /// Changes to this process's environment; no value removes the variable.
    std::vector<std::pair<std::string, std::optional<std::string>>> environment{};
    std::filesystem::path folder{}; ///< working directory; empty: this process's
    Stream input = Stream::pipe;
    Stream output = Stream::pipe;
    Stream errors = Stream::pipe;
    int death_signal = SIGKILL; ///< what the child gets when this process dies, however it dies
};

/// A child process in a process group of its own, so that a Ctrl-C at the terminal is this process's to handle. Only
/// descriptors 0 to 2 are passed on. Destroying it kills the group and reaps. One thread at a time, except kill(),
/// which any thread may call.
class Child {
public:
    [[nodiscard]] static Result<Child> spawn(const SpawnOptions& options);
    ~Child();
    Child(Child&& other) noexcept;
    Child& operator=(Child&& other) noexcept;
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    [[nodiscard]] pid_t pid() const { return pid_; }
    Descriptor& input() { return input_; }   ///< writes to its standard input
    Descriptor& output() { return output_; } ///< reads its standard output
    Descriptor& errors() { return errors_; } ///< reads its standard error

    /// Readable when the process has ended: for poll(2).
    [[nodiscard]] int ended_descriptor() const { return pidfd_.get(); }

    /// Signals the whole group; does nothing once the process has been reaped.
    void kill(int signal = SIGKILL);

    /// Waits for the end, kills what is left of the group, and reaps. No value when `timeout` passed first.
    [[nodiscard]] std::optional<ExitStatus> wait(std::optional<std::chrono::milliseconds> timeout = {});

    /// SIGKILL, then wait().
    ExitStatus kill_and_wait();

private:
    Child() = default;

    pid_t pid_ = -1;
    std::mutex reaping_; ///< from here to the change of status_ nobody may signal: the number may be another's
    Descriptor pidfd_;
    Descriptor input_;
    Descriptor output_;
    Descriptor errors_;
    std::optional<ExitStatus> status_;
};

struct RunOptions {
    std::string input{}; ///< given to standard input, which is then closed
    std::vector<std::pair<std::string, std::optional<std::string>>> environment{};
    std::filesystem::path folder{};
    std::chrono::milliseconds timeout = std::chrono::minutes{1};
    std::size_t output_limit = std::size_t{64} << 20; ///< bytes of standard output and of standard error, each
};

struct RunResult {
    ExitStatus status;
    std::string output;
    std::string errors;
};

/// Runs a program to its end. That it failed is a RunResult; errors are: it cannot be started (not_found), the deadline
/// passed (timeout), too much output (unsupported), stopped (cancelled). In each of them the program and its children
/// are gone.
[[nodiscard]] Result<RunResult> run(const std::vector<std::string>& arguments, const RunOptions& options = {},
                                    std::stop_token stop = {});

/// The file that `name` starts: itself when it has a slash, else the first executable of that name in PATH; empty when
/// there is none.
[[nodiscard]] std::filesystem::path find_program(const std::string& name);

/// The text as one word of a POSIX shell: as it is when no character of it means anything there, else in quotes.
[[nodiscard]] std::string shell_word(std::string_view text);

} // namespace kw
