#pragma once

#include <QString>

/// How numbers are written everywhere: a unit always, three significant digits.
namespace kw::widgets {

/// 0.00412 → "0.00412 µs", 41.23 → "41.2 µs", 1234 → "1.23 ms", 2.5e6 → "2.50 s". Input in µs.
[[nodiscard]] QString format_time_us(double microseconds);

/// "2.61×"
[[nodiscard]] QString format_ratio(double ratio);

/// Three significant digits, no exponent between 10⁻³ and 10⁶.
[[nodiscard]] QString format_number(double value);

} // namespace kw::widgets
