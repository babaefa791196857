#pragma once

#include <QString>

#include <limits>
#include <optional>
#include <vector>

/// What a plot shows, as plain values.
namespace kw::widgets {

enum class Marker { none, circle, square, diamond, triangle, star, cross };

struct PlotAxis {
    QString label;
    QString unit{}; ///< empty: a number
    bool logarithmic = false;
    bool integers = false;
    std::optional<double> least{}; ///< shown at least from here when everything is shown
    std::optional<double> most{};  ///< … and to here
};

struct PlotPoint {
    double x = 0;
    double y = 0;
    double low = std::numeric_limits<double>::quiet_NaN(); ///< end of an error bar; NaN: none
    double high = std::numeric_limits<double>::quiet_NaN();
    QString name{};        ///< what the read-out calls it
    bool named = false;    ///< its name stands beside it
    bool wrong = false;    ///< drawn as a cross in the colour of what is bad
    bool emphasis = false; ///< larger, with a ring
};

/// Points in the order of x where they are joined by a line. Points without a place on a logarithmic axis are not
/// shown.
struct PlotSeries {
    QString label{}; ///< stands beside its last point
    int color = 0;   ///< of the theme's data colours
    bool line = true;
    bool steps = false; ///< a value holds up to the next point
    bool area = false;
    bool dashed = false;
    Marker marker = Marker::circle;
    std::vector<PlotPoint> points{};
    bool pickable = true; ///< read out and clicked
};

/// A straight line on the axes as they are: on logarithmic ones a power law.
struct PlotLine {
    QString label{};
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
    std::optional<int> color{}; ///< of the data colours; none: quiet
    bool dashed = false;
    bool emphasis = false;
};

/// A stretch of an axis.
struct PlotBand {
    QString label{};
    bool on_x = true;
    double from = 0, to = 0;
    int color = 0;
};

struct PlotData {
    PlotAxis x{}, y{};
    std::vector<PlotSeries> series{};
    std::vector<PlotLine> lines{};
    std::vector<PlotBand> bands{};
    QString summary{}; ///< what the picture says, for those who do not see it
};

/// A point by the indices of its series and of itself.
struct PlotPick {
    int series = -1;
    int point = -1;
    bool operator==(const PlotPick&) const = default;
};

} // namespace kw::widgets
