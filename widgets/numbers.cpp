#include "widgets/numbers.h"

#include <cmath>

namespace kw::widgets {
namespace {

/// Three significant digits without an exponent.
QString three_digits(double value) {
    if (value == 0) return QStringLiteral("0");
    // Rounding first: 9.996 has as many digits before the point as 10.0.
    const double rounded = QString::number(value, 'e', 2).toDouble();
    const int before = static_cast<int>(std::floor(std::log10(std::abs(rounded)))) + 1;
    return QString::number(rounded, 'f', std::max(0, 3 - before));
}

} // namespace

QString format_time_us(double microseconds) {
    if (!std::isfinite(microseconds)) return QStringLiteral("–");
    const double magnitude = std::abs(microseconds);
    if (magnitude >= 999.5e3) return three_digits(microseconds / 1e6) % QStringLiteral(" s");
    if (magnitude >= 999.5) return three_digits(microseconds / 1e3) % QStringLiteral(" ms");
    return three_digits(microseconds) % QStringLiteral(" µs");
}

QString format_ratio(double ratio) {
    return std::isfinite(ratio) ? three_digits(ratio) % QStringLiteral("×") : QStringLiteral("–");
}

QString format_number(double value) {
    if (!std::isfinite(value))
        return std::isnan(value) ? QStringLiteral("NaN") : value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
    const double magnitude = std::abs(value);
    if (magnitude != 0 && (magnitude < 1e-3 || magnitude >= 1e6)) return QString::number(value, 'e', 2);
    return three_digits(value);
}

} // namespace kw::widgets
