#pragma once

#include "agent/trajectory/session_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What several exports need.
namespace kw::trajectory {

/// On one line; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string dump(const Json& json);

/// RFC 3339, in UTC; what no year of four digits holds is taken for the nearest that does.
[[nodiscard]] std::string timestamp(std::int64_t unix_ms);

/// As text of HTML and values of its attributes: bytes that are not UTF-8 and control characters become U+FFFD.
[[nodiscard]] std::string html_text(std::string_view text);

template<class T> [[nodiscard]] Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

/// Calls `each` with every step of the session, loaded one at a time.
template<class Function> [[nodiscard]] Result<void> for_each_step(const SessionFile& session, Function&& each) {
    const auto steps = session.steps();
    if (!steps) return std::unexpected(steps.error());
    for (const auto& summary : *steps) {
        const auto step = session.step(summary.id);
        if (!step) return std::unexpected(step.error());
        if (auto done = each(*step); !done) return done;
    }
    return {};
}

} // namespace kw::trajectory
