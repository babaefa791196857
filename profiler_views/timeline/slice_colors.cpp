#include "profiler_views/timeline/slice_colors.h"

namespace kw::profiler_views {
namespace {

// Without the black, which one of the themes would swallow.
constexpr std::array<QRgb, SliceColors::kCount> kOkabeIto{0xff56b4e9, 0xffe69f00, 0xff009e73, 0xffcc79a7,
                                                          0xfff0e442, 0xff0072b2, 0xffd55e00};

} // namespace

QColor mixed(const QColor& a, const QColor& b, double share) {
    const auto channel = [&](float from, float to) { return static_cast<float>(from + (to - from) * share); };
    return QColor::fromRgbF(channel(a.redF(), b.redF()), channel(a.greenF(), b.greenF()),
                            channel(a.blueF(), b.blueF()));
}

SliceColors::SliceColors(const widgets::Tokens& tokens) {
    const bool dark = tokens.scheme == widgets::Scheme::dark;
    const QColor black(0x0b, 0x0e, 0x13), white(0xff, 0xff, 0xff);
    for (std::size_t i = 0; i < kCount; ++i) {
        QColor fill = mixed(QColor(kOkabeIto[i]), tokens.surface1, dark ? 0.18 : 0.30);
        QColor text = widgets::contrast(fill, black) >= widgets::contrast(fill, white) ? black : white;
        const QColor away = text == black ? white : black;
        while (widgets::contrast(fill, text) < 4.5) fill = mixed(fill, away, 0.1);
        fills_[i] = fill;
        texts_[i] = text;
    }
}

std::uint8_t SliceColors::index_of(std::string_view name) {
    std::uint32_t hash = 2166136261u; // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return static_cast<std::uint8_t>((hash ^ (hash >> 15)) % kCount);
}

} // namespace kw::profiler_views
