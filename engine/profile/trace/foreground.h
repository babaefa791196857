#pragma once

#include "engine/base/process.h"
#include "engine/base/result.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kw::trace {

struct ForegroundOptions {
    std::vector<std::string> arguments;                             ///< [0] as a shell takes it
    std::vector<std::pair<std::string, std::string>> environment{}; ///< added to this process's
    /// Called now and then while the program runs.
    std::chrono::milliseconds tick{250};
    std::function<void()> on_tick{};
    /// Called for each of the signals named below that comes here, whether the terminal or another process sent it.
    std::function<void(int signal)> on_signal{};
};

/// Runs a program as a shell runs its foreground job: same process group, terminal and standard streams, every signal
/// as it was for this process. What the terminal sends (Ctrl-C, Ctrl-\) reaches the program directly and is not for
/// this process; INT, QUIT, TERM, HUP, USR1 and USR2 that another process sends here are passed on. Returns when it
/// has ended. To be called with no other thread running that lets these signals through.
/// Errors: not_found (no such program: a shell's 127), unsupported (it cannot be started: a shell's 126).
[[nodiscard]] Result<ExitStatus> run_in_foreground(const ForegroundOptions& options);

} // namespace kw::trace
