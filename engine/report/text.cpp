#include "engine/report/text.h"

#include "engine/base/descriptor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace kw::report {
namespace {

/// Three significant digits without an exponent.
std::string three_digits(double value) {
    if (value == 0) return "0";
    const double size = std::abs(value);
    // Rounding first: 999.7 has four digits before the point, not three.
    const int digits = static_cast<int>(std::floor(std::log10(size * (1 + 1e-12)))) + 1;
    const double unit = std::pow(10.0, digits - 3);
    const double rounded = std::round(size / unit) * unit;
    const int rounded_digits = rounded >= std::pow(10.0, digits) ? digits + 1 : digits;
    return fmt::format("{:.{}f}", value < 0 ? -rounded : rounded, std::max(0, 3 - rounded_digits));
}

} // namespace

Style Style::for_descriptor(int fd) {
    const char* no_color = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    const bool refused = (no_color && *no_color) || !terminal || std::string_view{terminal} == "dumb";
    return {!refused && ::isatty(fd) == 1};
}

std::string Style::paint(Color color_of, std::string_view text) const {
    if (!color || color_of == Color::plain || text.empty()) return std::string{text};
    // ECMA-48 SGR parameters, in the order of Color.
    static constexpr std::array<std::string_view, 7> kCodes{"0", "2", "1", "31", "32", "33", "36"};
    return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<std::size_t>(color_of)], text);
}

void say(std::string_view text) { static_cast<void>(write_all(STDERR_FILENO, text)); }

std::string number(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
    const double size = std::abs(value);
    if (size != 0 && (size < 1e-3 || size >= 1e6)) return fmt::format("{:.2e}", value);
    return three_digits(value);
}

std::string duration(double microseconds) {
    if (!std::isfinite(microseconds)) return "–";
    const double size = std::abs(microseconds);
    if (size >= 999.5e3) return three_digits(microseconds / 1e6) + " s";
    if (size >= 999.5) return three_digits(microseconds / 1e3) + " ms";
    return three_digits(microseconds) + " µs";
}

std::string bytes(std::uint64_t value) {
    if (value < 1024) return fmt::format("{} B", value);
    static constexpr std::array<std::string_view, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double scaled = static_cast<double>(value) / 1024;
    std::size_t unit = 0;
    while (scaled >= 1023.5 && unit + 1 < kUnits.size()) {
        scaled /= 1024;
        ++unit;
    }
    return fmt::format("{} {}", number(scaled), kUnits[unit]);
}

std::string count(std::uint64_t value) {
    const auto digits = std::to_string(value);
    if (digits.size() <= 4) return digits;
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) text += ' ';
        text += digits[i];
    }
    return text;
}

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b') {
            while (i < text.size() && text[i] != 'm') ++i;
        } else if ((static_cast<unsigned char>(text[i]) & 0xC0u) != 0x80u) {
            ++width;
        }
    }
    return width;
}

std::string printable(std::string_view text) {
    std::string result{text};
    for (char& c : result) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte < 0x20 && c != '\t' && c != '\n') || byte == 0x7f) c = '?';
    }
    return result;
}

std::string Table::render(std::string_view indent) const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
    }
    std::string text;
    for (const auto& row : rows_) {
        std::string line{indent};
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - display_width(row[i]), ' ');
            const bool to_right = std::ranges::find(right_, i) != right_.end();
            line += to_right ? padding + row[i] : row[i] + padding;
            if (i + 1 < row.size()) line += "  ";
        }
        while (!line.empty() && line.back() == ' ') line.pop_back();
        text += line + '\n';
    }
    return text;
}

} // namespace kw::report
