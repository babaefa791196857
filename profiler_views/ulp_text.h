#pragma once

#include <QCoreApplication>
#include <QString>

#include <cstdint>

namespace kw::profiler_views {

/// Beyond this a distance in ULP says no more than that the values stand on either side of zero, or one of them near
/// it: between 1e-20 and -1e-20 there are more than 10⁸ numbers, and none that matters.
inline constexpr std::uint64_t kMostUlp = 1'000'000;

inline QString ulp_text(std::uint64_t ulp) {
    const auto translated = [](const char* text) { return QCoreApplication::translate("kw::profiler_views", text); };
    return ulp > kMostUlp ? translated(QT_TRANSLATE_NOOP("kw::profiler_views", "ULP say nothing near zero"))
                          : translated(QT_TRANSLATE_NOOP("kw::profiler_views", "%1 ULP")).arg(ulp);
}

} // namespace kw::profiler_views
