#include "engine/base/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace kw {
namespace {

/// Longer words are never slips of a known name, and the distance is quadratic in length.
constexpr std::size_t kLongest = 64;

/// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours count one each.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({previous[j] + 1, row[j - 1] + 1, replace});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, previous);
        std::swap(previous, row);
    }
    return previous[b.size()];
}

} // namespace

std::string did_you_mean(std::string_view wrong, std::span<const std::string> known) {
    if (wrong.empty() || wrong.size() > kLongest) return {};
    const std::string* best = nullptr;
    std::size_t least = std::max<std::size_t>(1, wrong.size() / 3) + 1;
    for (const auto& name : known) {
        if (name.size() > kLongest) continue;
        const std::size_t d = distance(wrong, name);
        // A distance as long as the name itself replaces every letter: that is another word.
        if (d < least && d < name.size()) {
            least = d;
            best = &name;
        }
    }
    return best ? fmt::format("; did you mean '{}'?", *best) : std::string{};
}

std::string list_of(std::span<const std::string> names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
        text += names[i];
    }
    return text;
}

} // namespace kw
