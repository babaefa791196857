#pragma once

#include <QFont>
#include <QFontMetricsF>
#include <QHash>
#include <QStaticText>

#include <string_view>
#include <vector>

namespace kw::profiler_views {

/// Names cut to a width, laid out once per name and number of characters kept.
class LabelCache {
public:
    explicit LabelCache(const QFont& font);
    /// Forgets names: another store numbers them differently.
    void clear();
    /// Null when not even one character and the ellipsis fit.
    [[nodiscard]] const QStaticText* elided(std::uint32_t name, std::string_view text, double width);
    [[nodiscard]] const QFont& font() const { return font_; }
    [[nodiscard]] double height() const { return metrics_.height(); }

private:
    struct Name {
        QString text;
        std::vector<float> widths; ///< of the first i + 1 characters
        QHash<int, QStaticText> cut;
    };
    QFont font_;
    QFontMetricsF metrics_;
    double ellipsis_;
    QHash<std::uint32_t, Name> names_;
};

} // namespace kw::profiler_views
