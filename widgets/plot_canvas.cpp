#include "widgets/plot_canvas.h"

#include "widgets/numbers.h"
#include "widgets/plot_labels.h"

#include <QAccessible>
#include <QLabel>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace kw::widgets {
namespace {

constexpr double kPickPixels = 28;
constexpr double kMarkerSize = 7;
constexpr double kEmphasisSize = 12;

/// Ticks in the program's way of writing numbers.
template<class Base> class Ticker : public Base {
public:
    explicit Ticker(PlotAxis axis) : axis_(std::move(axis)) {}

protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return format_tick(tick, axis_.unit); }
    double getTickStep(const QCPRange& range) override {
        const double step = Base::getTickStep(range);
        return axis_.integers && !axis_.logarithmic ? std::max(1.0, std::round(step)) : step;
    }

private:
    PlotAxis axis_;
};

QSharedPointer<QCPAxisTicker> ticker_of(const PlotAxis& axis) {
    if (axis.logarithmic) {
        auto ticker = QSharedPointer<Ticker<QCPAxisTickerLog>>::create(axis);
        ticker->setSubTickCount(8);
        return ticker;
    }
    return QSharedPointer<Ticker<QCPAxisTicker>>::create(axis);
}

QCPScatterStyle::ScatterShape shape_of(Marker marker) {
    switch (marker) {
    case Marker::none: return QCPScatterStyle::ssNone;
    case Marker::circle: return QCPScatterStyle::ssCircle; // filled, with a rim
    case Marker::square: return QCPScatterStyle::ssSquare;
    case Marker::diamond: return QCPScatterStyle::ssDiamond;
    case Marker::triangle: return QCPScatterStyle::ssTriangle;
    case Marker::star: return QCPScatterStyle::ssStar;
    case Marker::cross: return QCPScatterStyle::ssCross;
    }
    return QCPScatterStyle::ssNone;
}

bool has_place(const PlotAxis& axis, double value) { return std::isfinite(value) && (!axis.logarithmic || value > 0); }

/// Around every value, with room at both ends.
QCPRange range_of(const PlotAxis& axis, std::vector<double> values) {
    if (axis.least) values.push_back(*axis.least);
    if (axis.most) values.push_back(*axis.most);
    std::erase_if(values, [&](double value) { return !has_place(axis, value); });
    if (values.empty()) return axis.logarithmic ? QCPRange(1, 10) : QCPRange(0, 1);
    auto [low, high] = std::ranges::minmax(values);
    if (axis.logarithmic) {
        const double room = std::max(1.25, std::pow(high / low, 0.06));
        return {low / room, high * room};
    }
    if (low == high) {
        const double room = std::max(std::abs(low) * 0.1, 0.5);
        return {low - room, high + room};
    }
    const double room = (high - low) * 0.06;
    // An end that was asked for is an end.
    return {axis.least && low == *axis.least ? low : low - room, axis.most && high == *axis.most ? high : high + room};
}

QFont small_font() {
    QFont font = Theme::instance().interface_font();
    font.setPixelSize(font.pixelSize() * 11 / 13);
    return font;
}

} // namespace

Plot::Canvas::Canvas(Plot& of) : owner(of), plot(new QCustomPlot(&of)), bubble(new QLabel(&of)) {
    plot->setFocusPolicy(Qt::NoFocus);
    plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot->axisRect()->setRangeZoomFactor(0.8);
    plot->setNoAntialiasingOnDrag(false);
    plot->setMouseTracking(true);
    plot->setAutoAddPlottableToLegend(false);
    plot->axisRect()->setupFullAxesBox(false);
    plot->xAxis2->setVisible(false);
    plot->yAxis2->setVisible(false);
    plot->layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmBuffered);
    bubble->setAttribute(Qt::WA_TransparentForMouseEvents);
    bubble->setTextFormat(Qt::PlainText);
    bubble->hide();
    QObject::connect(plot, &QCustomPlot::afterLayout, &of, [this] { place_labels(); });
    QObject::connect(plot, &QCustomPlot::mouseDoubleClick, &of, [this](QMouseEvent*) { owner.fit(); });
    QObject::connect(plot, &QCustomPlot::mouseMove, &of, [this](QMouseEvent* event) { pointer_at(event); });
    QObject::connect(plot, &QCustomPlot::mousePress, &of, [this](QMouseEvent* event) {
        pressed = event->pos();
        owner.setFocus(Qt::MouseFocusReason);
    });
    QObject::connect(plot, &QCustomPlot::mouseRelease, &of, [this](QMouseEvent* event) {
        if (event->button() != Qt::LeftButton || (event->pos() - pressed).manhattanLength() > 4) return;
        if (const auto pick = nearest(event->pos())) {
            point(pick);
            Q_EMIT owner.clicked(*pick);
        }
    });
    const auto ranged = [this] {
        if (setting) return;
        touched = true;
        Q_EMIT owner.view_changed();
    };
    QObject::connect(plot->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), &of, ranged);
    QObject::connect(plot->yAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), &of, ranged);
}

void Plot::Canvas::pointer_at(QMouseEvent* event) {
    if (event->buttons() == Qt::NoButton) point(nearest(event->pos()));
}

bool Plot::Canvas::shown(const PlotPoint& p) const { return has_place(data.x, p.x) && has_place(data.y, p.y); }

void Plot::Canvas::set_ranges(const QCPRange& x, const QCPRange& y) {
    setting = true;
    plot->xAxis->setRange(x);
    plot->yAxis->setRange(y);
    setting = false;
    plot->replot(QCustomPlot::rpQueuedReplot);
    Q_EMIT owner.view_changed();
}

void Plot::Canvas::style() {
    const Tokens& t = Theme::instance().tokens();
    plot->setBackground(QBrush(t.surface1));
    for (QCPAxis* axis : {plot->xAxis, plot->yAxis}) {
        axis->setBasePen(QPen(t.line));
        axis->setTickPen(QPen(t.text3));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(t.text2);
        axis->setLabelColor(t.text2);
        axis->setTickLabelFont(small_font());
        axis->setLabelFont(small_font());
        axis->setLabelPadding(4);
        axis->setTickLabelPadding(4);
        axis->setTickLength(0, 4);
        axis->setSubTickLength(0, 0);
        axis->grid()->setPen(QPen(t.line, 1));
        axis->grid()->setSubGridVisible(false);
        axis->grid()->setZeroLinePen(QPen(t.line, 1));
    }
    // Wide enough for what ticks usually say, so that the plot does not move when they change.
    const int line = QFontMetrics(small_font()).height();
    plot->axisRect()->setMinimumMargins(QMargins(line * 4 + 8, 10, 14, line * 2 + 12));
    bubble->setFont(small_font());
    bubble->setStyleSheet(
        QStringLiteral("QLabel { background: %1; color: %2; border: 1px solid %3; border-radius: 4px; "
                       "padding: 3px 7px; }")
            .arg(t.surface3.name(), t.text1.name(), t.line.name()));
}

QCPItemText* Plot::Canvas::add_text(const QString& text, const QColor& ink, bool bold) {
    auto* item = new QCPItemText(plot);
    QFont font = small_font();
    if (bold) font.setWeight(QFont::DemiBold);
    item->setFont(font);
    item->setText(text);
    item->setColor(ink);
    item->setPadding(QMargins());
    item->setClipToAxisRect(true);
    item->position->setType(QCPItemPosition::ptAbsolute);
    item->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
    item->setSelectable(false);
    return item;
}

void Plot::Canvas::add_series(std::size_t index) {
    const PlotSeries& series = data.series[index];
    const Tokens& t = Theme::instance().tokens();
    const QColor ink = color(series.color);
    const auto graph = [&] {
        auto* made = plot->addGraph();
        made->setSelectable(QCP::stNone);
        made->setLineStyle(QCPGraph::lsNone);
        made->setAntialiased(true);
        return made;
    };
    if (series.line) {
        auto* line = graph();
        line->setLineStyle(series.steps ? QCPGraph::lsStepLeft : QCPGraph::lsLine);
        line->setPen(QPen(ink, 1.6, series.dashed ? Qt::DashLine : Qt::SolidLine));
        if (series.area) {
            QColor fill = ink;
            fill.setAlphaF(0.18f);
            line->setBrush(fill);
        }
        for (const PlotPoint& p : series.points)
            if (shown(p)) line->addData(p.x, p.y);
    }
    // Points of one look are one graph.
    std::map<std::pair<bool, bool>, QCPGraph*> graphs;
    QCPErrorBars* bars = nullptr;
    QCPGraph* bars_of = nullptr;
    for (const PlotPoint& p : series.points) {
        if (!shown(p)) continue;
        if (std::isfinite(p.low) && std::isfinite(p.high)) {
            if (!bars) {
                bars_of = graph();
                bars = new QCPErrorBars(plot->xAxis, plot->yAxis);
                bars->setDataPlottable(bars_of);
                bars->setPen(QPen(ink, 1.2));
                bars->setWhiskerWidth(5);
                bars->setSelectable(QCP::stNone);
            }
            bars_of->addData(p.x, p.y);
            bars->addData(p.y - p.low, p.high - p.y);
        }
        if (series.marker == Marker::none && !p.wrong && !p.emphasis) continue;
        auto& of_kind = graphs[{p.wrong, p.emphasis}];
        if (!of_kind) {
            of_kind = graph();
            const double size = p.emphasis ? kEmphasisSize : kMarkerSize;
            const QColor own = p.wrong ? t.bad : ink;
            const bool open = series.marker == Marker::star || series.marker == Marker::cross || p.wrong;
            of_kind->setScatterStyle(QCPScatterStyle(
                p.wrong ? QCPScatterStyle::ssCross
                        : shape_of(series.marker == Marker::none ? Marker::circle : series.marker),
                open ? QPen(own, 2) : QPen(p.emphasis ? t.text1 : t.surface1, p.emphasis ? 2 : 1), QBrush(own), size));
        }
        of_kind->addData(p.x, p.y);
    }
}

void Plot::Canvas::rebuild() {
    style();
    texts.clear();
    ring = nullptr;
    plot->clearPlottables();
    plot->clearItems();
    const Tokens& t = Theme::instance().tokens();
    for (const auto& [axis, of] : {std::pair{plot->xAxis, &data.x}, std::pair{plot->yAxis, &data.y}}) {
        axis->setScaleType(of->logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
        axis->setTicker(ticker_of(*of));
        axis->setLabel(of->unit.isEmpty() ? of->label : QStringLiteral("%1 (%2)").arg(of->label, of->unit));
    }
    for (std::size_t i = 0; i < data.bands.size(); ++i) {
        const PlotBand& band = data.bands[i];
        auto* rect = new QCPItemRect(plot);
        rect->setLayer(QStringLiteral("grid"));
        rect->setSelectable(false);
        rect->setPen(Qt::NoPen);
        QColor fill = color(band.color);
        fill.setAlphaF(0.12f);
        rect->setBrush(fill);
        for (auto* corner : {rect->topLeft, rect->bottomRight}) {
            // Across the whole of the other axis.
            corner->setTypeX(band.on_x ? QCPItemPosition::ptPlotCoords : QCPItemPosition::ptAxisRectRatio);
            corner->setTypeY(band.on_x ? QCPItemPosition::ptAxisRectRatio : QCPItemPosition::ptPlotCoords);
        }
        rect->topLeft->setCoords(band.on_x ? band.from : 0, band.on_x ? 0 : band.to);
        rect->bottomRight->setCoords(band.on_x ? band.to : 1, band.on_x ? 1 : band.from);
        if (!band.label.isEmpty())
            texts.push_back({.item = add_text(band.label, t.text2, false), .band = static_cast<int>(i)});
    }
    for (std::size_t i = 0; i < data.lines.size(); ++i) {
        const PlotLine& line = data.lines[i];
        auto* item = new QCPItemLine(plot);
        item->setSelectable(false);
        item->start->setCoords(line.x1, line.y1);
        item->end->setCoords(line.x2, line.y2);
        item->setPen(QPen(color_of(line), line.emphasis ? 2 : 1.2, line.dashed ? Qt::DashLine : Qt::SolidLine));
        if (!line.label.isEmpty())
            texts.push_back({.item = add_text(line.label, line.color ? color_of(line) : t.text2, line.emphasis),
                             .line = static_cast<int>(i)});
    }
    for (std::size_t i = 0; i < data.series.size(); ++i) {
        add_series(i);
        const PlotSeries& series = data.series[i];
        for (std::size_t p = 0; p < series.points.size(); ++p)
            if (series.points[p].named && !series.points[p].name.isEmpty())
                texts.push_back({.item = add_text(series.points[p].name, t.text1, series.points[p].emphasis),
                                 .point = {static_cast<int>(i), static_cast<int>(p)}});
        if (!series.label.isEmpty() && !series.points.empty())
            texts.push_back({.item = add_text(series.label, color(series.color), true), .series = static_cast<int>(i)});
    }
    // What is emphasised gets its place first, lines last: they have the most places.
    std::ranges::stable_sort(texts, {}, [&](const Text& text) {
        if (text.point.series >= 0) return point_of(text.point).emphasis ? 0 : 1;
        return text.series >= 0 ? 2 : 3;
    });
    ring = new QCPItemTracer(plot);
    ring->setLayer(QStringLiteral("overlay"));
    ring->setStyle(QCPItemTracer::tsCircle);
    ring->setSize(kEmphasisSize + 3);
    ring->setPen(QPen(t.text1, 1.4));
    ring->setBrush(Qt::NoBrush);
    ring->setSelectable(false);
    ring->setVisible(false);
}

void Plot::Canvas::place_labels() {
    const QRectF area = QRectF(plot->axisRect()->rect()).adjusted(2, 2, -2, -2);
    LabelPlacer placer(area);
    for (const auto& series : data.series)
        if (series.marker != Marker::none)
            for (const PlotPoint& p : series.points)
                if (shown(p)) {
                    const double half = (p.emphasis ? kEmphasisSize : kMarkerSize) / 2;
                    placer.take(QRectF(pixel_of(p.x, p.y) - QPointF(half, half), QSizeF(2 * half, 2 * half)));
                }
    for (const auto& line : data.lines)
        if (const auto part = clipped(area, pixel_of(line.x1, line.y1), pixel_of(line.x2, line.y2)))
            placer.take_line(part->first, part->second);
    for (const Text& text : texts) {
        const QFontMetricsF metrics(text.item->font());
        const QSizeF size(metrics.horizontalAdvance(text.item->text()) + 1, metrics.height());
        std::optional<LabelPlacer::Placed> placed;
        if (text.point.series >= 0) {
            const PlotPoint& p = point_of(text.point);
            if (shown(p)) placed = placer.beside(pixel_of(p.x, p.y), size, (p.emphasis ? kEmphasisSize : kMarkerSize));
        } else if (text.series >= 0) {
            const auto& points = data.series[static_cast<std::size_t>(text.series)].points;
            for (auto p = points.rbegin(); p != points.rend() && !placed; ++p)
                if (shown(*p) && area.contains(pixel_of(p->x, p->y))) {
                    placed = placer.beside(pixel_of(p->x, p->y), size, 8);
                    break;
                }
        } else if (text.line >= 0) {
            const PlotLine& line = data.lines[static_cast<std::size_t>(text.line)];
            placed = placer.along(pixel_of(line.x1, line.y1), pixel_of(line.x2, line.y2), size);
        } else {
            const PlotBand& band = data.bands[static_cast<std::size_t>(text.band)];
            const QPointF from = band.on_x ? QPointF(plot->xAxis->coordToPixel(band.from) + 4, area.top() + 2)
                                           : QPointF(area.left() + 4, plot->yAxis->coordToPixel(band.to) + 2);
            placed = placer.beside(from, size, 0);
        }
        text.item->setVisible(placed.has_value());
        if (!placed) continue;
        text.item->setRotation(placed->angle);
        text.item->position->setCoords(placed->corner);
    }
    if (pointed) point(pointed); // the read-out moves along
}

std::optional<PlotPick> Plot::Canvas::nearest(const QPointF& at) const {
    if (!QRectF(plot->axisRect()->rect()).contains(at)) return {};
    std::optional<PlotPick> best;
    double least = kPickPixels;
    for (std::size_t s = 0; s < data.series.size(); ++s) {
        if (!data.series[s].pickable) continue;
        for (std::size_t p = 0; p < data.series[s].points.size(); ++p) {
            const PlotPoint& point = data.series[s].points[p];
            if (!shown(point)) continue;
            const QPointF d = pixel_of(point.x, point.y) - at;
            const double distance = std::hypot(d.x(), d.y());
            if (distance >= least) continue;
            least = distance;
            best = PlotPick{static_cast<int>(s), static_cast<int>(p)};
        }
    }
    return best;
}

std::optional<PlotPick> Plot::Canvas::next(int direction) const {
    std::vector<PlotPick> all;
    for (std::size_t s = 0; s < data.series.size(); ++s)
        if (data.series[s].pickable)
            for (std::size_t p = 0; p < data.series[s].points.size(); ++p)
                if (shown(data.series[s].points[p])) all.push_back({static_cast<int>(s), static_cast<int>(p)});
    if (all.empty()) return {};
    const auto at = pointed ? std::ranges::find(all, *pointed) : all.end();
    if (at == all.end()) return direction > 0 ? all.front() : all.back();
    const auto size = static_cast<std::ptrdiff_t>(all.size());
    return all[static_cast<std::size_t>(((at - all.begin()) + direction + size) % size)];
}

QString Plot::Canvas::text_of(PlotPick pick) const {
    const PlotSeries& series = data.series[static_cast<std::size_t>(pick.series)];
    const PlotPoint& p = point_of(pick);
    QStringList lines;
    if (const QString name = p.name.isEmpty() ? series.label : p.name; !name.isEmpty()) lines << name;
    lines << QStringLiteral("%1: %2").arg(data.x.label, format_quantity(p.x, data.x.unit));
    QString y = QStringLiteral("%1: %2").arg(data.y.label, format_quantity(p.y, data.y.unit));
    if (std::isfinite(p.low) && std::isfinite(p.high))
        y += Plot::tr(" (%1 to %2)").arg(format_quantity(p.low, data.y.unit), format_quantity(p.high, data.y.unit));
    lines << y;
    return lines.join(QLatin1Char('\n'));
}

void Plot::Canvas::point(std::optional<PlotPick> pick) {
    if (pick && !shown(point_of(*pick))) pick.reset();
    const bool changed = pick != pointed;
    pointed = pick;
    const QPointF at = pick ? pixel_of(point_of(*pick).x, point_of(*pick).y) : QPointF();
    const bool visible = pick && QRectF(plot->axisRect()->rect()).adjusted(-1, -1, 1, 1).contains(at);
    bubble->setVisible(visible);
    if (ring) ring->setVisible(visible);
    if (visible) {
        if (ring) ring->position->setCoords(point_of(*pick).x, point_of(*pick).y);
        bubble->setText(text_of(*pick));
        bubble->adjustSize();
        // Beside the point, on the side where there is room.
        const double gap = 12;
        double x = at.x() + gap, y = at.y() - gap - bubble->height();
        if (x + bubble->width() > owner.width() - 4) x = at.x() - gap - bubble->width();
        if (y < 4) y = at.y() + gap;
        bubble->move(static_cast<int>(std::max(4.0, x)), static_cast<int>(y));
        bubble->raise();
    }
    if (!changed) return;
    plot->layer(QStringLiteral("overlay"))->replot();
    announce();
    Q_EMIT owner.pointed_changed();
}

void Plot::Canvas::announce() {
    QStringList parts;
    if (pointed) parts << text_of(*pointed).replace(QLatin1Char('\n'), QStringLiteral(", "));
    if (!data.summary.isEmpty()) parts << data.summary;
    for (const auto& series : data.series)
        if (!series.label.isEmpty()) parts << Plot::tr("%1: %2 points").arg(series.label).arg(series.points.size());
    owner.setAccessibleDescription(parts.join(QStringLiteral(". ")));
    QAccessibleEvent change(&owner, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&change);
}

void Plot::Canvas::pan(double x, double y) {
    const QCPRange before_x = plot->xAxis->range(), before_y = plot->yAxis->range();
    const auto moved = [](const PlotAxis& axis, const QCPRange& range, double share) {
        if (!axis.logarithmic) return QCPRange(range.lower + share * range.size(), range.upper + share * range.size());
        const double factor = std::pow(range.upper / range.lower, share);
        return QCPRange(range.lower * factor, range.upper * factor);
    };
    touched = true;
    set_ranges(moved(data.x, before_x, x), moved(data.y, before_y, y));
}

void Plot::Canvas::zoom(double factor) {
    const auto scaled = [factor](const PlotAxis& axis, const QCPRange& range) {
        if (!axis.logarithmic) {
            const double half = range.size() / 2 * factor;
            return QCPRange(range.center() - half, range.center() + half);
        }
        const double middle = std::sqrt(range.lower * range.upper);
        const double half = std::pow(range.upper / range.lower, factor / 2);
        return QCPRange(middle / half, middle * half);
    };
    touched = true;
    set_ranges(scaled(data.x, plot->xAxis->range()), scaled(data.y, plot->yAxis->range()));
}

void Plot::Canvas::fit() {
    std::vector<double> x, y;
    for (const auto& series : data.series)
        for (const PlotPoint& p : series.points)
            if (shown(p)) {
                x.push_back(p.x);
                y.insert(y.end(), {p.y, p.low, p.high});
            }
    touched = false;
    set_ranges(range_of(data.x, std::move(x)), range_of(data.y, std::move(y)));
}

} // namespace kw::widgets
