#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Numbers, colour and columns of what the command line prints.
namespace kw::report {

enum class Color { plain, dim, bold, red, green, yellow, cyan };

/// How text may look where it goes.
struct Style {
    bool color = false;
    /// For a descriptor: colour on a terminal, unless NO_COLOR is set or TERM is dumb.
    [[nodiscard]] static Style for_descriptor(int fd);
    [[nodiscard]] std::string paint(Color color, std::string_view text) const;
};

/// Three significant digits: "1.23", "12.3", "123", "0.00123", "1.23e-07".
[[nodiscard]] std::string number(double value);
/// From microseconds, the unit of a kernel's time: "0.850 µs", "12.3 µs", "1.23 ms", "4.56 s". As the windows have it
/// (widgets/numbers.h).
[[nodiscard]] std::string duration(double microseconds);
/// "512 B", "4.00 KiB", "1.50 GiB".
[[nodiscard]] std::string bytes(std::uint64_t value);
/// With thousands apart: "4 194 304".
[[nodiscard]] std::string count(std::uint64_t value);

/// Writes to standard error. Nothing is owed to a reader who is gone, so a failure is ignored.
void say(std::string_view text);

/// Columns a UTF-8 text takes on a terminal, escape sequences left out; every code point is taken as one column wide.
[[nodiscard]] std::size_t display_width(std::string_view text);
/// What of a text from outside may be shown: control characters become '?', so that no source can move the cursor.
[[nodiscard]] std::string printable(std::string_view text);

/// Rows in aligned columns, two spaces apart. Columns named in `right` are right-aligned.
class Table {
public:
    explicit Table(std::vector<std::size_t> right = {}) : right_(std::move(right)) {}
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    [[nodiscard]] std::string render(std::string_view indent = {}) const;
    [[nodiscard]] bool empty() const { return rows_.empty(); }

private:
    std::vector<std::size_t> right_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace kw::report
