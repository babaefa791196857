#include "profiler_views/timeline/time_text.h"

#include "widgets/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kw::profiler_views {
namespace {

struct Unit {
    double ns;
    int digits; ///< that a ns takes in this unit
    QString name;
};

const std::array<Unit, 4>& units() {
    static const std::array<Unit, 4> all{Unit{1e9, 9, QStringLiteral("s")}, Unit{1e6, 6, QStringLiteral("ms")},
                                         Unit{1e3, 3, QStringLiteral("µs")}, Unit{1, 0, QStringLiteral("ns")}};
    return all;
}

const Unit& unit_for(double ns) {
    for (const Unit& unit : units())
        if (std::abs(ns) >= unit.ns) return unit;
    return units().back();
}

} // namespace

QString duration_text(std::int64_t ns) {
    if (std::abs(static_cast<double>(ns)) < 1000) return QString::number(ns) % QStringLiteral(" ns");
    return widgets::format_time_us(static_cast<double>(ns) / 1e3);
}

QString exact_text(std::int64_t ns) {
    const Unit& unit = unit_for(static_cast<double>(ns));
    const auto per_unit = static_cast<std::int64_t>(unit.ns);
    QString text = QString::number(ns / per_unit);
    if (ns < 0 && ns / per_unit == 0) text.prepend(QLatin1Char('-'));
    if (unit.digits > 0) {
        const QString fraction = QString::number(std::abs(ns % per_unit)).rightJustified(unit.digits, QLatin1Char('0'));
        text += QLatin1Char('.');
        for (int i = 0; i < unit.digits; i += 3) {
            if (i > 0) text += QChar(0x202f); // narrow space that does not break
            text += fraction.mid(i, 3);
        }
    }
    return text % QLatin1Char(' ') % unit.name;
}

double tick_step(double ns_per_pixel, double least_pixels) {
    const double least = std::max(ns_per_pixel * least_pixels, 1.0);
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least * (1 - 1e-9)) return factor * power;
    return 10 * power;
}

std::vector<Tick> ticks(double start, double ns_per_pixel, double width, double least_pixels) {
    std::vector<Tick> result;
    if (!(width > 0) || !(ns_per_pixel > 0)) return result;
    const double step = tick_step(ns_per_pixel, least_pixels);
    const double end = start + width * ns_per_pixel;
    const Unit& unit = unit_for(std::max(std::abs(start), std::abs(end)));
    const int digits = std::max(0, static_cast<int>(std::ceil(std::log10(unit.ns / step) - 1e-9)));
    for (double i = std::ceil(start / step); i * step <= end; ++i) {
        const double time = i * step;
        result.push_back({time, time == 0
                                    ? QStringLiteral("0")
                                    : QString::number(time / unit.ns, 'f', digits) % QLatin1Char(' ') % unit.name});
        if (i + 1 == i) break; // beyond what doubles can tell apart
    }
    return result;
}

} // namespace kw::profiler_views
