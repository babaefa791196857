#pragma once

#include "engine/timeline/store.h"

#include <set>
#include <string>
#include <vector>

/// Where lanes are, from top to bottom, before scrolling. Heights in pixels.
namespace kw::profiler_views {

inline constexpr int kGroupHeight = 24;
inline constexpr int kRowHeight = 18;
inline constexpr int kLanePadding = 4; ///< above and below the rows
inline constexpr int kCounterHeight = 48;

struct Band {
    enum class Kind { group, lane, counter } kind;
    std::uint32_t index; ///< into the store's groups, lanes or counters
    int top;
    int height;
    [[nodiscard]] int bottom() const { return top + height; }
};

class LaneLayout {
public:
    void build(const timeline::Store& store, const std::set<std::string>& collapsed_groups);

    [[nodiscard]] const std::vector<Band>& bands() const { return bands_; }
    [[nodiscard]] int height() const { return bands_.empty() ? 0 : bands_.back().bottom(); }
    /// Null between and beyond them.
    [[nodiscard]] const Band* band_at(int y) const;
    /// Bands that have a part in [top, bottom).
    [[nodiscard]] std::pair<std::size_t, std::size_t> bands_in(int top, int bottom) const;
    /// Null when it is in a collapsed group.
    [[nodiscard]] const Band* band_of_lane(std::uint32_t lane) const;

private:
    std::vector<Band> bands_;
};

/// Top of a row of a lane's band, and the row at a height; may be outside the lane's rows.
[[nodiscard]] inline int row_top(const Band& lane, std::uint32_t row) {
    return lane.top + kLanePadding + static_cast<int>(row) * kRowHeight;
}
[[nodiscard]] inline int row_at(const Band& lane, int y) {
    const int within = y - lane.top - kLanePadding;
    return within < 0 ? -1 : within / kRowHeight;
}

} // namespace kw::profiler_views
