#pragma once

#include "engine/timeline/query.h"
#include "engine/timeline/store.h"
#include "profiler_views/timeline/coordinates.h"
#include "profiler_views/timeline/lane_layout.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace kw::profiler_views {

/// A stretch of time on some lanes.
struct TimeSelection {
    timeline::Ns begin = 0;
    timeline::Ns end = 0;
    std::vector<std::uint32_t> lanes;
    bool operator==(const TimeSelection&) const = default;
};

/// Everything that a picture of the timeline is made of.
struct Scene {
    std::shared_ptr<const timeline::Store> store;
    std::vector<std::uint8_t> name_colors; ///< per name of the store, see SliceColors
    LaneLayout layout;
    Viewport view;  ///< of the tracks
    int scroll = 0; ///< pixels of the layout above the tracks' top
    timeline::EventId selected = timeline::kNoEvent;
    timeline::EventId hovered = timeline::kNoEvent;
    std::optional<timeline::NameSet> matches; ///< while a search is on: other events step back
    std::optional<TimeSelection> selection;
    std::optional<double> pointer_time; ///< marked on the ruler
};

/// Where the parts of the picture are, for a picture of this size.
struct SceneParts {
    static constexpr int kRulerHeight = 26;
    int label_width = 0;
    int width = 0;
    int height = 0;
    [[nodiscard]] int tracks_width() const { return std::max(1, width - label_width); }
    [[nodiscard]] int tracks_height() const { return std::max(1, height - kRulerHeight); }
};
[[nodiscard]] inline SceneParts scene_parts(int width, int height) {
    constexpr int kLabelWidth = 208;
    return {std::min(kLabelWidth, width / 3), width, height};
}

} // namespace kw::profiler_views
