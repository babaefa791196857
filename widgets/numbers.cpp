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

/// Whether a prefix stands before the unit: k, M, G … of what is counted, bytes, operations and hertz.
bool takes_prefix(const QString& unit) {
    return unit.isEmpty() || unit == QLatin1String("B") || unit == QLatin1String("B/s") || unit == QLatin1String("Hz")
           || unit.contains(QLatin1String("FLOP")) || unit.startsWith(QLatin1String("OP"))
           || unit == QLatin1String("s");
}

struct Scaled {
    double value;
    QString prefix;
};
Scaled scaled(double value) {
    static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    std::size_t i = 0;
    while (std::abs(value) >= 999.5 && i + 1 < std::size(kPrefixes)) {
        value /= 1000;
        ++i;
    }
    return {value, QLatin1String(kPrefixes[i])};
}

QString with_unit(const QString& number, const QString& unit) {
    return unit.isEmpty() ? number : number % QChar(0x00a0) % unit;
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

QString format_quantity(double value, const QString& unit) {
    if (!std::isfinite(value)) return QStringLiteral("–");
    if (unit == QLatin1String("ns")) return format_time_us(value / 1000);
    if (unit == QLatin1String("µs")) return format_time_us(value);
    if (unit == QLatin1String("cycle")) return with_unit(format_quantity(value, QString()), QStringLiteral("cycles"));
    if (!takes_prefix(unit)) return with_unit(format_number(value), unit);
    // What is counted is whole up to a thousand.
    if (unit.isEmpty() && std::abs(value) < 999.5 && value == std::round(value)) return QString::number(value);
    const auto [number, prefix] = scaled(value);
    return with_unit(three_digits(number), prefix % unit);
}

QString format_exact(double value, const QString& unit) {
    if (!std::isfinite(value)) return QStringLiteral("–");
    QString text = QString::number(value, 'f', value == std::round(value) ? 0 : 6);
    if (text.contains(QLatin1Char('.')))
        while (text.endsWith(QLatin1Char('0'))) text.chop(1);
    if (text.endsWith(QLatin1Char('.'))) text.chop(1);
    const qsizetype point = text.indexOf(QLatin1Char('.'));
    const qsizetype first = text.startsWith(QLatin1Char('-')) ? 1 : 0;
    for (qsizetype i = (point < 0 ? text.size() : point) - 3; i > first; i -= 3) text.insert(i, QChar(0x202f));
    return with_unit(text, unit);
}

QString format_tick(double value, const QString& unit) {
    if (!std::isfinite(value)) return {};
    if (!takes_prefix(unit)) return QString::number(value, 'g', 6);
    const auto [number, prefix] = scaled(value);
    return with_unit(QString::number(number, 'g', 4), prefix);
}

} // namespace kw::widgets
