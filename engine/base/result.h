#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace kw {

/// Where in the pipeline an error arose. Printed in front of the message and sent over RPC by name.
enum class Stage { usage, task, compile, audit, verify, bench, profile, reward, device, rpc, environment };

/// What kind of failure it is; callers branch on this, never on text.
enum class ErrorCode {
    invalid_input, ///< the user's task, source or arguments are wrong
    wrong,         ///< the candidate does not compile, faults or computes wrong results
    not_found,     ///< a file, library or device is missing
    unsupported,   ///< understood, but not available here
    device,        ///< the device or its driver failed
    timeout,       ///< a deadline passed
    cancelled,     ///< stopped on request
    crashed,       ///< a child process ended unexpectedly
    internal,      ///< a fault of this program
};

/// A position in a text file. Lines and columns count from 1; 0 means unknown.
struct Where {
    std::string file;
    int line = 0;
    int column = 0;

    bool operator==(const Where&) const = default;
};

/// An error as a value. `message` is one sentence that says what is wrong and, where there is one, the remedy;
/// `detail` holds longer text (a compiler log, a fault report) that front ends show on demand.
struct Error {
    Stage stage = Stage::usage;
    ErrorCode code = ErrorCode::internal;
    std::string message;
    std::string detail{};
    Where where{};
};

template<class T> using Result = std::expected<T, Error>;

/// Shorthand for returning an error: `return fail(Stage::task, ErrorCode::invalid_input, "…");`
[[nodiscard]] std::unexpected<Error> fail(Stage stage, ErrorCode code, std::string message, Where where = {});

[[nodiscard]] std::string_view to_string(Stage stage);
[[nodiscard]] std::string_view to_string(ErrorCode code);

/// The inverse of to_string; an unknown name gives ErrorCode::internal and Stage::rpc, so that a newer peer stays
/// readable.
[[nodiscard]] Stage stage_from(std::string_view name);
[[nodiscard]] ErrorCode error_code_from(std::string_view name);

/// "file:line:column: stage: message", leaving out what is unknown.
[[nodiscard]] std::string describe(const Error& error);

/// The process exit status of docs/design.md §5: 1 candidate wrong, 2 usage or task error, 3 device or environment
/// error.
[[nodiscard]] int exit_code(const Error& error);

} // namespace kw
