#pragma once

#include "engine/profile/roofline.h"
#include "widgets/plot_data.h"

#include <QString>
#include <QStringList>

#include <string>
#include <vector>

/// A roofline as plain values, before it is a picture.
namespace kw::profiler_views {

/// A step of a session, or a launch, on the roofline.
struct RooflineStep {
    int id = 0;    ///< told back by step_activated
    QString label; ///< "7", "softmax"
    /// Of its launches, against every memory.
    std::vector<profile::RooflinePoint> points{};
    bool wrong = false;    ///< its results were not right
    bool selected = false; ///< emphasised
};

struct RooflinePicture {
    widgets::PlotData plot;
    /// By series and point of the plot: which step it is, as an index.
    std::vector<std::vector<int>> steps;
    /// The selected step's launches, a sentence each; those of the only step where none is selected.
    QStringList sentences;
};

/// `memory` is the ceiling that intensity is about: "dram", "l2".
[[nodiscard]] RooflinePicture roofline_picture(const std::vector<profile::Ceiling>& ceilings,
                                               const std::vector<RooflineStep>& steps, const std::string& memory);

} // namespace kw::profiler_views
