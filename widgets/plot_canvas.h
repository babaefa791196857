#pragma once

// The header of QCustomPlot uses foreach.
#undef QT_NO_FOREACH

#include "widgets/plot.h"
#include "widgets/theme.h"

#include <QPoint>
#include <qcustomplot.h>

#include <optional>
#include <vector>

class QLabel;
class QMouseEvent;

namespace kw::widgets {

/// What a Plot draws with: the only place beside it that knows QCustomPlot.
class Plot::Canvas {
public:
    explicit Canvas(Plot& of);

    void rebuild();
    void style();
    void add_series(std::size_t index);
    void place_labels();
    void point(std::optional<PlotPick> pick);
    [[nodiscard]] QString text_of(PlotPick pick) const;
    [[nodiscard]] QPointF pixel_of(double x, double y) const {
        return {plot->xAxis->coordToPixel(x), plot->yAxis->coordToPixel(y)};
    }
    [[nodiscard]] const PlotPoint& point_of(PlotPick pick) const {
        return data.series[static_cast<std::size_t>(pick.series)].points[static_cast<std::size_t>(pick.point)];
    }
    [[nodiscard]] bool shown(const PlotPoint& p) const;
    [[nodiscard]] std::optional<PlotPick> nearest(const QPointF& at) const;
    [[nodiscard]] std::optional<PlotPick> next(int direction) const;
    void set_ranges(const QCPRange& x, const QCPRange& y);
    void fit();
    void pan(double x, double y);
    void zoom(double factor);
    [[nodiscard]] QColor color(int index) const {
        const auto& colors = Theme::instance().tokens().data;
        return colors[static_cast<std::size_t>(index) % colors.size()];
    }
    [[nodiscard]] QColor color_of(const PlotLine& line) const {
        return line.color ? color(*line.color) : Theme::instance().tokens().text3;
    }
    QCPItemText* add_text(const QString& text, const QColor& ink, bool bold);
    void announce();

    Plot& owner;
    QCustomPlot* plot;
    QLabel* bubble;
    PlotData data;
    bool touched = false; ///< zoomed or panned by hand
    bool setting = false;
    QPoint pressed;
    std::optional<PlotPick> pointed;
    QCPItemTracer* ring = nullptr;

    struct Text {
        QCPItemText* item;
        int series = -1, line = -1, band = -1;
        PlotPick point{};
    };
    std::vector<Text> texts;

private:
    void pointer_at(QMouseEvent* event);
};

} // namespace kw::widgets
