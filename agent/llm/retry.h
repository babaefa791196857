#pragma once

#include "agent/llm/http.h"

#include <chrono>
#include <ctime>
#include <optional>
#include <string_view>

namespace kw::llm {

/// How often and how long is tried again.
struct RetryPolicy {
    int attempts = 6; ///< the first among them
    std::chrono::milliseconds first_wait = std::chrono::seconds{1};
    std::chrono::milliseconds longest_wait = std::chrono::minutes{1}; ///< a server that asks for more is given up
    std::chrono::milliseconds longest_total = std::chrono::minutes{5};
};

/// Whether a status is worth another try: 408, 409, 429 and from 500 on; the server's x-should-retry decides first.
[[nodiscard]] bool is_transient(const HttpHead& head);

/// Whether an error inside an answer's body says that the server has too much to do.
[[nodiscard]] bool says_overloaded(std::string_view type_or_message);

/// What the server asks for with retry-after-ms or retry-after, in seconds or as a date.
[[nodiscard]] std::optional<std::chrono::milliseconds> asked_wait(const HttpHead& head, std::time_t now);

/// How long to wait before try `attempt` + 1 (counted from 1), `waited` having gone by in waits so far: what was asked
/// for, else exponential with jitter (`random` in [0, 1)). No value: give up.
[[nodiscard]] std::optional<std::chrono::milliseconds> wait_before_retry(const RetryPolicy& policy, int attempt,
                                                                         std::optional<std::chrono::milliseconds> asked,
                                                                         std::chrono::milliseconds waited,
                                                                         double random);

} // namespace kw::llm
