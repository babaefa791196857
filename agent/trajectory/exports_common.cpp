#include "agent/trajectory/exports_common.h"

#include "engine/base/file.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace kw::trajectory {

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string timestamp(std::int64_t unix_ms) {
    constexpr std::int64_t kLast = 253'402'300'799'999; // 9999-12-31T23:59:59.999Z
    unix_ms = std::clamp<std::int64_t>(unix_ms, 0, kLast);
    const std::time_t seconds = static_cast<std::time_t>(unix_ms / 1000);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), unix_ms % 1000);
}

std::string html_text(std::string_view text) {
    constexpr const char* kReplacement = "\xEF\xBF\xBD";
    std::string result;
    result.reserve(text.size() + text.size() / 16);
    const auto put = [&result](std::string_view valid) {
        for (const char c : valid) {
            switch (c) {
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            case '"': result += "&quot;"; break;
            case '\'': result += "&#39;"; break;
            case '\n':
            case '\t': result += c; break;
            case '\r': break;
            default: static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? result += kReplacement : result += c;
            }
        }
    };
    for (;;) {
        const auto bad = first_invalid_utf8(text);
        put(text.substr(0, bad));
        if (bad == std::string_view::npos) return result;
        result += kReplacement;
        text.remove_prefix(bad + 1);
    }
}

} // namespace kw::trajectory
