#pragma once

#include "engine/verify/block.h"
#include "widgets/theme.h"

#include <QColor>

#include <array>

namespace kw::profiler_views {

/// Colours of errors by their ratio to the tolerance, on a scale of decades: what passes in cool tones, ever stronger
/// towards 1; what fails in warm ones, whose lightness differs too; what is no number in a colour of its own.
class ErrorColors {
public:
    explicit ErrorColors(const widgets::Tokens& tokens);

    [[nodiscard]] QRgb of(float ratio) const;
    /// Of a cell, its worst element rated under another tolerance; `floating` is false for types that have none.
    [[nodiscard]] QRgb of(const verify::Cell& cell, bool floating, const task::Tolerance& own,
                          const task::Tolerance& now) const;
    [[nodiscard]] QRgb none() const { return none_; }       ///< beyond the map
    [[nodiscard]] QRgb special() const { return special_; } ///< NaN, or infinite where it should not be

    static constexpr int kDecades = 4; ///< to each side of 1

private:
    static constexpr int kPerDecade = 16;
    std::array<QRgb, std::size_t{2} * kDecades * kPerDecade> table_;
    /// The same by a ratio's exponent and upper four bits of mantissa: a picture has a million ratios, and no time for
    /// logarithms. What passes and what fails apart, as 1 lies within a bin.
    std::array<QRgb, 4096> passing_, failing_;
    QRgb exact_, special_, none_;
};

/// A cell's worst ratio under `now`, where it is known under `own`: that of the element that was worst.
[[nodiscard]] float rerated(const verify::Cell& cell, const task::Tolerance& own, const task::Tolerance& now);

} // namespace kw::profiler_views
