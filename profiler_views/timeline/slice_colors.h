#pragma once

#include "engine/timeline/store.h"
#include "widgets/theme.h"

#include <QColor>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kw::profiler_views {

/// Data colours after Okabe and Ito, which colour-blind eyes can tell apart, toned to a theme's surface. Text on them
/// has a contrast of 4.5 at least.
class SliceColors {
public:
    static constexpr std::size_t kCount = 7;
    explicit SliceColors(const widgets::Tokens& tokens);
    /// One name has one colour in every trace and theme.
    [[nodiscard]] static std::uint8_t index_of(std::string_view name);
    [[nodiscard]] const QColor& fill(std::uint8_t index) const { return fills_[index]; }
    [[nodiscard]] const QColor& text(std::uint8_t index) const { return texts_[index]; }

private:
    std::array<QColor, kCount> fills_;
    std::array<QColor, kCount> texts_;
};

/// `a` where `share` is 0, `b` where it is 1.
[[nodiscard]] QColor mixed(const QColor& a, const QColor& b, double share);

} // namespace kw::profiler_views
