#include "agent/llm/retry.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string>

namespace kw::llm {
namespace {

using std::chrono::milliseconds;

/// A number from 0 to a day of it; none when `text` is something else.
std::optional<double> small_number(const std::string& text, double largest) {
    if (text.empty()) return std::nullopt;
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (*end || !(value >= 0)) return std::nullopt;
    return std::min(value, largest);
}

} // namespace

bool is_transient(const HttpHead& head) {
    const auto told = head.header("x-should-retry");
    if (told == "true" || told == "false") return told == "true";
    return head.status == 408 || head.status == 409 || head.status == 429 || head.status >= 500;
}

bool says_overloaded(std::string_view text) {
    std::string small{text};
    std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const char* word : {"overloaded", "rate_limit", "rate limit", "too many requests", "server_error",
                             "internal_error", "api_error", "timeout_error", "temporarily unavailable"})
        if (small.contains(word)) return true;
    return false;
}

std::optional<milliseconds> asked_wait(const HttpHead& head, std::time_t now) {
    constexpr double kDay = 86400;
    if (const auto value = small_number(head.header("retry-after-ms"), kDay * 1000))
        return milliseconds{std::llround(*value)};
    const auto text = head.header("retry-after");
    if (const auto value = small_number(text, kDay)) return milliseconds{std::llround(*value * 1000)};
    if (text.empty()) return std::nullopt;
    const auto date = curl_getdate(text.c_str(), nullptr);
    if (date < 0) return std::nullopt;
    return milliseconds{std::llround(std::clamp(std::difftime(date, now), 0.0, kDay) * 1000)};
}

std::optional<milliseconds> wait_before_retry(const RetryPolicy& policy, int attempt, std::optional<milliseconds> asked,
                                              milliseconds waited, double random) {
    if (attempt >= policy.attempts) return std::nullopt;
    if (asked && *asked > policy.longest_wait) return std::nullopt;
    const double doubled = static_cast<double>(policy.first_wait.count()) * std::exp2(std::min(attempt - 1, 30));
    const double bounded = std::min(doubled, static_cast<double>(policy.longest_wait.count()));
    // Between half of it and all of it, so that many clients do not come back at the same moment.
    const auto wait = asked ? *asked : milliseconds{std::llround(bounded * (0.5 + random / 2))};
    if (waited + wait > policy.longest_total) return std::nullopt;
    return wait;
}

} // namespace kw::llm
