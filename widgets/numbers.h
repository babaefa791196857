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

/// A value with its unit, three significant digits and an SI prefix where the unit takes one: 2.237e12 B/s → "2.24
/// TB/s", 16260 ns → "16.3 µs", 655400 → "655 k", 46.56 % → "46.6 %".
[[nodiscard]] QString format_quantity(double value, const QString& unit);
/// All digits that are known, for read-outs: "2 237 000 000 000 B/s".
[[nodiscard]] QString format_exact(double value, const QString& unit);
/// A number on an axis: short, with the SI prefix that the unit takes, without the unit: "10 G".
[[nodiscard]] QString format_tick(double value, const QString& unit);

} // namespace kw::widgets
