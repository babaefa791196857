#pragma once

#include "engine/verify/output_map.h"

#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

/// From elements of a map to pixels and back. Free of widgets, so that it can be tested alone.
namespace kw::profiler_views {

/// What of a map is in sight. Columns and rows have scales of their own: a map of a million rows and two columns fills
/// the view as well as a square one.
struct MapTransform {
    double columns = 0, rows = 0;    ///< of the map
    double width = 0, height = 0;    ///< of the view, in pixels
    double column = 0, row = 0;      ///< at the view's left and top edge
    double scale_x = 1, scale_y = 1; ///< pixels of an element

    static constexpr double kWidest = 112, kTallest = 40; ///< an element from as close as it gets: two numbers fit

    [[nodiscard]] double fit_x() const { return columns > 0 ? std::min(std::max(width, 1.0) / columns, kWidest) : 1; }
    [[nodiscard]] double fit_y() const { return rows > 0 ? std::min(std::max(height, 1.0) / rows, kTallest) : 1; }

    void fit() {
        scale_x = fit_x();
        scale_y = fit_y();
        clamp();
    }
    [[nodiscard]] bool fits_whole() const { return scale_x <= fit_x() && scale_y <= fit_y(); }

    /// Keeps the element under `pixel` where it is.
    void zoom(double factor, QPointF pixel) {
        const auto kept = element_at(pixel);
        scale_x = std::clamp(scale_x * factor, fit_x(), kWidest);
        scale_y = std::clamp(scale_y * factor, fit_y(), kTallest);
        column = kept.x() - pixel.x() / scale_x;
        row = kept.y() - pixel.y() / scale_y;
        clamp();
    }
    void pan(QPointF pixels) {
        column -= pixels.x() / scale_x;
        row -= pixels.y() / scale_y;
        clamp();
    }
    /// As close as it gets, with an element in the middle.
    void show_element(double at_row, double at_column) {
        scale_x = kWidest;
        scale_y = kTallest;
        center(at_row, at_column);
    }
    void center(double at_row, double at_column) {
        column = at_column + 0.5 - width / scale_x / 2;
        row = at_row + 0.5 - height / scale_y / 2;
        clamp();
    }
    void resize(QSizeF size) {
        const bool whole = fits_whole();
        width = size.width();
        height = size.height();
        scale_x = std::clamp(scale_x, fit_x(), kWidest);
        scale_y = std::clamp(scale_y, fit_y(), kTallest);
        if (whole) fit();
        clamp();
    }
    /// What is smaller than the view lies at its left and top.
    void clamp() {
        column = std::clamp(column, 0.0, std::max(0.0, columns - width / scale_x));
        row = std::clamp(row, 0.0, std::max(0.0, rows - height / scale_y));
    }

    [[nodiscard]] QPointF element_at(QPointF pixel) const {
        return {column + pixel.x() / scale_x, row + pixel.y() / scale_y};
    }
    [[nodiscard]] QPointF pixel_at(double at_row, double at_column) const {
        return {(at_column - column) * scale_x, (at_row - row) * scale_y};
    }
    [[nodiscard]] QRectF pixels_of(const verify::Region& region) const {
        return {pixel_at(static_cast<double>(region.row), static_cast<double>(region.column)),
                pixel_at(static_cast<double>(region.row_end), static_cast<double>(region.column_end))};
    }
    /// Elements in sight, partly seen ones included.
    [[nodiscard]] verify::Region visible() const {
        const auto end = [](double from, double pixels, double scale, double most) {
            return static_cast<std::uint64_t>(std::min(std::ceil(from + pixels / scale), most));
        };
        return {static_cast<std::uint64_t>(row), end(row, height, scale_y, rows), static_cast<std::uint64_t>(column),
                end(column, width, scale_x, columns)};
    }

    /// Elements of a cell along one direction: the smallest power of two whose cells are at least two pixels.
    [[nodiscard]] static std::uint64_t step_for(double scale) {
        constexpr double kFewestPixels = 2;
        const double elements = kFewestPixels / scale;
        return elements <= 1 ? 1 : std::bit_ceil(static_cast<std::uint64_t>(std::ceil(elements)));
    }
    [[nodiscard]] bool shows_numbers() const { return scale_x >= 72 && scale_y >= 30; }
};

} // namespace kw::profiler_views
