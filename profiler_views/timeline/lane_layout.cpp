#include "profiler_views/timeline/lane_layout.h"

#include <algorithm>

namespace kw::profiler_views {

void LaneLayout::build(const timeline::Store& store, const std::set<std::string>& collapsed_groups) {
    bands_.clear();
    int top = 0;
    const auto add = [&](Band::Kind kind, std::uint32_t index, int height) {
        bands_.push_back({kind, index, top, height});
        top += height;
    };
    for (std::uint32_t g = 0; g < store.groups().size(); ++g) {
        const auto& group = store.groups()[g];
        add(Band::Kind::group, g, kGroupHeight);
        if (collapsed_groups.contains(group.label)) continue;
        for (const std::uint32_t lane : group.lanes)
            add(Band::Kind::lane, lane,
                static_cast<int>(store.lanes()[lane].rows.size()) * kRowHeight + 2 * kLanePadding);
        for (const std::uint32_t counter : group.counters) add(Band::Kind::counter, counter, kCounterHeight);
    }
}

const Band* LaneLayout::band_at(int y) const {
    const auto after = std::ranges::upper_bound(bands_, y, {}, &Band::top);
    if (after == bands_.begin() || std::prev(after)->bottom() <= y) return nullptr;
    return &*std::prev(after);
}

std::pair<std::size_t, std::size_t> LaneLayout::bands_in(int top, int bottom) const {
    const auto first = std::ranges::upper_bound(bands_, top, {}, &Band::bottom);
    const auto last = std::ranges::lower_bound(bands_, bottom, {}, &Band::top);
    const auto index = [&](auto it) { return static_cast<std::size_t>(it - bands_.begin()); };
    return {index(first), std::max(index(first), index(last))};
}

const Band* LaneLayout::band_of_lane(std::uint32_t lane) const {
    const auto found =
        std::ranges::find_if(bands_, [&](const Band& b) { return b.kind == Band::Kind::lane && b.index == lane; });
    return found == bands_.end() ? nullptr : &*found;
}

} // namespace kw::profiler_views
