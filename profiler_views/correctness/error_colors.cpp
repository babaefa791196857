#include "profiler_views/correctness/error_colors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace kw::profiler_views {
namespace {

QRgb mixed(const QColor& from, const QColor& to, double share) {
    const auto channel = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return qRgb(channel(from.red(), to.red()), channel(from.green(), to.green()), channel(from.blue(), to.blue()));
}

/// Leaves exponent and four bits of mantissa of a float without sign.
constexpr int kBinShift = 19;

} // namespace

ErrorColors::ErrorColors(const widgets::Tokens& tokens) {
    const bool dark = tokens.scheme == widgets::Scheme::dark;
    // Lightness moves away from the background on both sides, so that order is seen without colour.
    const QColor cool = dark ? QColor(0x3A, 0x7C, 0xB8) : QColor(0x5B, 0x9B, 0xD0);
    const QColor warm_low = dark ? QColor(0xB8, 0x5A, 0x00) : QColor(0xE6, 0x9F, 0x00);
    const QColor warm_high = dark ? QColor(0xFF, 0xE0, 0x70) : QColor(0x8C, 0x1D, 0x04);
    const int half = kDecades * kPerDecade;
    for (int i = 0; i < half; ++i) {
        const double share = static_cast<double>(i) / (half - 1);
        table_[static_cast<std::size_t>(i)] = mixed(tokens.surface1, cool, 0.15 + 0.85 * share);
        table_[static_cast<std::size_t>(half + i)] = mixed(warm_low, warm_high, share);
    }
    for (std::uint32_t bin = 0; bin < passing_.size(); ++bin) {
        const auto ratio = static_cast<double>(std::bit_cast<float>(bin << kBinShift));
        const int step = !(ratio > 0)            ? -half
                         : !std::isfinite(ratio) ? half - 1
                                                 : static_cast<int>(std::floor(std::log10(ratio) * kPerDecade));
        failing_[bin] = table_[static_cast<std::size_t>(std::clamp(half + step, half, 2 * half - 1))];
        passing_[bin] = table_[static_cast<std::size_t>(std::clamp(half + step, 0, half - 1))];
    }
    exact_ = tokens.surface1.rgb();
    none_ = tokens.surface0.rgb();
    special_ = dark ? qRgb(0xE0, 0x5C, 0xC8) : qRgb(0xA0, 0x1A, 0x8C);
}

QRgb ErrorColors::of(float ratio) const {
    if (ratio == 0) return exact_;
    const std::uint32_t bin = std::bit_cast<std::uint32_t>(ratio) >> kBinShift & 0xFFF;
    return ratio > 1 ? failing_[bin] : passing_[bin];
}

float rerated(const verify::Cell& cell, const task::Tolerance& own, const task::Tolerance& now) {
    if (cell.worst == 0 || !std::isfinite(cell.worst) || !std::isfinite(cell.pivot)) return cell.worst;
    const double size = static_cast<double>(cell.pivot);
    const double error = static_cast<double>(cell.worst) * (own.atol + own.rtol * size);
    // Without a tolerance in the first place, the largest error is the one that counts.
    const double known = error > 0 ? error : static_cast<double>(cell.max_abs);
    return static_cast<float>(known / (now.atol + now.rtol * size));
}

QRgb ErrorColors::of(const verify::Cell& cell, bool floating, const task::Tolerance& own,
                     const task::Tolerance& now) const {
    if (cell.nan > 0 || (cell.inf > 0 && !std::isfinite(cell.worst))) return special_;
    if (!floating || (own.atol == now.atol && own.rtol == now.rtol)) return of(cell.worst);
    return of(rerated(cell, own, now));
}

} // namespace kw::profiler_views
