#include "profiler_views/timeline/scene_painter.h"

#include "engine/base/parallel.h"
#include "profiler_views/timeline/time_text.h"
#include "widgets/numbers.h"

#include <QFontMetrics>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kw::profiler_views {
namespace {

using timeline::EventId;
using timeline::kNoEvent;

constexpr int kSliceHeight = kRowHeight - 2;
constexpr double kLeastLabelWidth = 24;
constexpr double kTickDistance = 110;

QFont label_font() {
    QFont font = widgets::Theme::instance().interface_font();
    font.setPixelSize(11);
    return font;
}

} // namespace

/// Where slices go: pixels of an image, or a painter that records shapes.
struct ScenePainter::Target {
    QPainter& painter;
    uchar* bits = nullptr; ///< null: shapes
    qsizetype stride = 0;
    int width = 0; ///< device pixels
    int height = 0;
    double ratio = 1; ///< device pixels per pixel
    double tracks_width = 0;
    double tracks_height = 0;
};

ScenePainter::ScenePainter() : tokens_(widgets::Theme::instance().tokens()), colors_(tokens_), labels_(label_font()) {
    for (std::size_t c = 0; c < SliceColors::kCount; ++c)
        for (int s = 0; s <= kShades; ++s) {
            // The thinnest event stays visible.
            const double share = 0.35 + 0.65 * s / kShades;
            const QColor fill = colors_.fill(static_cast<std::uint8_t>(c));
            shades_[c][static_cast<std::size_t>(s)] = mixed(tokens_.surface1, fill, share).rgb();
            dimmed_[c][static_cast<std::size_t>(s)] = mixed(tokens_.surface1, fill, share * 0.22).rgb();
        }
}

QRgb ScenePainter::color_of(const Scene& scene, const timeline::RowItem& item) const {
    const std::uint32_t name = item.name;
    const bool left_out = scene.matches && !scene.matches->contains(name);
    const int shade = item.count == 1 && item.end - item.begin >= 1
                          ? kShades
                          : static_cast<int>(std::lround(item.coverage * kShades));
    return (left_out ? dimmed_ : shades_)[scene.name_colors[name]][static_cast<std::size_t>(shade)];
}

void ScenePainter::paint(QPainter& painter, const Scene& scene, const SceneParts& parts, bool as_vectors) {
    if (!scene.store) return painter.fillRect(QRect(0, 0, parts.width, parts.height), tokens_.surface1);
    const int width = parts.tracks_width(), height = parts.tracks_height();
    const QPoint origin(parts.label_width, SceneParts::kRulerHeight);
    const auto tracks = [&](Target& target) {
        paint_background(target.painter, scene, parts);
        target.painter.setFont(labels_.font());
        paint_rows(target, scene);
        const auto [first, last] = scene.layout.bands_in(scene.scroll, scene.scroll + height);
        for (std::size_t i = first; i < last; ++i)
            if (scene.layout.bands()[i].kind == Band::Kind::counter)
                paint_counter(target, scene, scene.layout.bands()[i]);
        paint_marks(target.painter, scene, parts);
    };
    if (as_vectors) {
        painter.save();
        painter.setClipRect(QRect(origin, QSize(width, height)));
        painter.translate(origin);
        Target target{.painter = painter,
                      .tracks_width = static_cast<double>(width),
                      .tracks_height = static_cast<double>(height)};
        tracks(target);
        painter.restore();
    } else {
        const double ratio = painter.device()->devicePixelRatioF();
        const QSize pixels(static_cast<int>(std::ceil(width * ratio)), static_cast<int>(std::ceil(height * ratio)));
        if (image_.size() != pixels) image_ = QImage(pixels, QImage::Format_RGB32);
        image_.setDevicePixelRatio(ratio);
        uchar* bits = image_.bits();
        QPainter on_image(&image_);
        Target target{.painter = on_image,
                      .bits = bits,
                      .stride = image_.bytesPerLine(),
                      .width = pixels.width(),
                      .height = pixels.height(),
                      .ratio = ratio,
                      .tracks_width = static_cast<double>(width),
                      .tracks_height = static_cast<double>(height)};
        tracks(target);
        on_image.end();
        painter.drawImage(origin, image_);
    }
    paint_headings(painter, scene, parts);
    paint_ruler(painter, scene, parts);
}

void ScenePainter::paint_background(QPainter& painter, const Scene& scene, const SceneParts& parts) {
    const int width = parts.tracks_width(), height = parts.tracks_height();
    painter.fillRect(QRect(0, 0, width, height), tokens_.surface1);
    const QColor grid = mixed(tokens_.surface1, tokens_.line, 0.6);
    for (const Tick& tick : ticks(scene.view.start, scene.view.ns_per_pixel, width, kTickDistance))
        painter.fillRect(QRectF(std::floor(x_of(scene.view, tick.time)), 0, 1, height), grid);
    const auto [first, last] = scene.layout.bands_in(scene.scroll, scene.scroll + height);
    for (std::size_t i = first; i < last; ++i) {
        const Band& band = scene.layout.bands()[i];
        const QRect rect(0, band.top - scene.scroll, width, band.height);
        if (band.kind == Band::Kind::group)
            painter.fillRect(rect, tokens_.surface2);
        else
            painter.fillRect(QRect(0, rect.bottom(), width, 1), tokens_.line);
    }
}

/// Rows do not touch each other, so threads share them; names are drawn by one.
void ScenePainter::paint_rows(Target& target, const Scene& scene) {
    visible_ = 0;
    const auto [first, last] =
        scene.layout.bands_in(scene.scroll, scene.scroll + static_cast<int>(target.tracks_height));
    for (std::size_t i = first; i < last; ++i) {
        const Band& band = scene.layout.bands()[i];
        if (band.kind != Band::Kind::lane) continue;
        const auto& lane = scene.store->lanes()[band.index];
        for (std::uint32_t r = 0; r < lane.rows.size(); ++r) {
            const double top = row_top(band, r) - scene.scroll;
            if (top + kSliceHeight <= 0 || top >= target.tracks_height) continue;
            if (visible_ == rows_.size()) rows_.emplace_back();
            rows_[visible_].row = &lane.rows[r];
            rows_[visible_].top = top;
            ++visible_;
        }
    }
    // Items are found per device pixel, so that a dense display shows as much as it can.
    const Viewport view{scene.view.start, scene.view.ns_per_pixel / target.ratio, target.tracks_width * target.ratio};
    constexpr std::uint64_t kRowsAtATime = 4;
    parallel_for(visible_, kRowsAtATime, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) {
            rows_[i].items.clear();
            timeline::row_items(*scene.store, *rows_[i].row, view, rows_[i].items);
            if (target.bits) paint_items(target, scene, rows_[i]);
        }
    });
    for (std::size_t i = 0; i < visible_; ++i) {
        if (!target.bits) paint_items(target, scene, rows_[i]);
        paint_names(target, scene, rows_[i]);
    }
}

void ScenePainter::paint_items(const Target& target, const Scene& scene, const VisibleRow& row) const {
    if (row.items.empty()) return;
    const double top = row.top;
    if (!target.bits) {
        for (const auto& item : row.items) {
            const double begin = item.begin, end = std::max(item.end, item.begin + 1);
            target.painter.fillRect(QRectF(begin, top, end - begin > 3 ? end - begin - 1 : end - begin, kSliceHeight),
                                    QColor(color_of(scene, item)));
        }
        return;
    }
    const int first_line = std::max(0, static_cast<int>(std::lround(top * target.ratio)));
    const int last_line = std::min(target.height, static_cast<int>(std::lround((top + kSliceHeight) * target.ratio)));
    if (first_line >= last_line) return;
    auto* line = reinterpret_cast<QRgb*>(target.bits + first_line * target.stride);
    int least = target.width, most = 0;
    for (const auto& item : row.items) {
        const int begin = std::clamp(static_cast<int>(std::floor(item.begin)), 0, target.width);
        int end = std::clamp(static_cast<int>(std::floor(item.end)), 0, target.width);
        if (end - begin > 3 * target.ratio) --end; // a gap to the next one
        end = std::min(target.width, std::max(end, begin + 1));
        if (item.end < 0 || begin >= end) continue;
        std::fill(line + begin, line + end, color_of(scene, item));
        least = std::min(least, begin);
        most = std::max(most, end);
    }
    if (least >= most) return;
    const auto bytes = static_cast<std::size_t>(most - least) * sizeof(QRgb);
    for (int y = first_line + 1; y < last_line; ++y)
        std::memcpy(reinterpret_cast<QRgb*>(target.bits + y * target.stride) + least, line + least, bytes);
}

void ScenePainter::paint_names(Target& target, const Scene& scene, const VisibleRow& row) {
    const double text_top = row.top + (kSliceHeight - labels_.height()) / 2;
    for (const auto& item : row.items) {
        const double begin = std::max(0.0, item.begin / target.ratio);
        const double end = std::min(target.tracks_width, item.end / target.ratio);
        if (end - begin < kLeastLabelWidth) continue;
        const std::uint32_t name = item.name;
        const auto* text = labels_.elided(name, scene.store->names()[name], end - begin - 9);
        if (!text) continue;
        const bool left_out = scene.matches && !scene.matches->contains(name);
        target.painter.setPen(left_out ? tokens_.text3 : colors_.text(scene.name_colors[name]));
        target.painter.drawStaticText(QPointF(begin + 4, text_top), *text);
    }
}

void ScenePainter::paint_counter(Target& target, const Scene& scene, const Band& band) {
    const auto& counter = scene.store->counters()[band.index];
    const double top = band.top - scene.scroll + 4, height = band.height - 9;
    double least = 0, most = 0;
    for (const auto& series : counter.series) {
        least = std::min(least, series.least);
        most = std::max(most, series.most);
    }
    if (most == least) most = least + 1;
    const double bottom = top + height;
    const auto y_of = [&](double value) { return bottom - (value - least) / (most - least) * height; };
    const bool several = counter.series.size() > 1;
    for (std::size_t s = 0; s < counter.series.size(); ++s) {
        samples_.clear();
        timeline::series_items(
            counter.series[s],
            {scene.view.start, scene.view.ns_per_pixel / target.ratio, target.tracks_width * target.ratio}, samples_);
        const QColor color = colors_.fill(static_cast<std::uint8_t>(s % SliceColors::kCount));
        QColor area = color;
        area.setAlphaF(several ? 0.25f : 0.45f);
        for (const auto& item : samples_) {
            const double begin = item.begin / target.ratio;
            const double width = std::max(item.end - item.begin, 1.0f) / target.ratio;
            const double high = y_of(item.most), zero = y_of(std::clamp(0.0, least, most));
            target.painter.fillRect(QRectF(begin, std::min(high, zero), width, std::abs(zero - high)), area);
            // The line shows how far the value went within the pixel.
            const double low = y_of(item.least);
            target.painter.fillRect(QRectF(begin, high, width, std::max(1.0, low - high)), color);
        }
    }
}

std::optional<QRectF> rect_of(const Scene& scene, EventId event) {
    const auto& store = *scene.store;
    const Band* band = scene.layout.band_of_lane(store.lane_of(event));
    if (!band) return {};
    const double begin =
        std::clamp(x_of(scene.view, static_cast<double>(store.start(event))), -8.0, scene.view.width + 8);
    const double end = std::clamp(x_of(scene.view, static_cast<double>(store.end(event))), -8.0, scene.view.width + 8);
    return QRectF(begin, row_top(*band, store.row_of(event)) - scene.scroll, std::max(2.0, end - begin), kSliceHeight);
}

void ScenePainter::paint_marks(QPainter& painter, const Scene& scene, const SceneParts& parts) {
    painter.setRenderHint(QPainter::Antialiasing);
    if (scene.selection) {
        const double begin = x_of(scene.view, static_cast<double>(scene.selection->begin));
        const double end = x_of(scene.view, static_cast<double>(scene.selection->end));
        QColor veil = tokens_.accent;
        veil.setAlphaF(0.16f);
        for (const std::uint32_t lane : scene.selection->lanes)
            if (const Band* band = scene.layout.band_of_lane(lane))
                painter.fillRect(QRectF(begin, band->top - scene.scroll, end - begin, band->height), veil);
        painter.fillRect(QRectF(begin, 0, 1, parts.tracks_height()), tokens_.accent);
        painter.fillRect(QRectF(end, 0, 1, parts.tracks_height()), tokens_.accent);
    }
    const auto outline = [&](EventId event, const QColor& color, double thickness) {
        const auto rect = rect_of(scene, event);
        if (!rect) return;
        painter.setPen(QPen(color, thickness));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect->adjusted(-0.5, -0.5, 0.5, 0.5));
    };
    if (scene.hovered != kNoEvent && scene.hovered != scene.selected) outline(scene.hovered, tokens_.text2, 1);
    if (scene.selected == kNoEvent) return;
    constexpr std::size_t kMostArrows = 64; // more say nothing
    const auto from = scene.store->flows_from(scene.selected);
    for (std::size_t i = 0; i < std::min(kMostArrows, from.size()); ++i) paint_flow(painter, scene, from[i]);
    const auto to = scene.store->flows_to(scene.selected);
    for (std::size_t i = 0; i < std::min(kMostArrows, to.size()); ++i) paint_flow(painter, scene, to[i]);
    outline(scene.selected, tokens_.text1, 2);
}

void ScenePainter::paint_flow(QPainter& painter, const Scene& scene, const timeline::Flow& flow) {
    const auto from = rect_of(scene, flow.from), to = rect_of(scene, flow.to);
    if (!from || !to) return;
    const QPointF begin(from->right(), from->center().y()), end(to->left(), to->center().y());
    const double bend = std::clamp(std::abs(end.x() - begin.x()) / 2, 16.0, 160.0);
    QPainterPath path(begin);
    path.cubicTo(begin + QPointF(bend, 0), end - QPointF(bend, 0), end);
    // On a rim of the surface's colour, so that it stands out from slices of any colour.
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(tokens_.surface1, 4));
    painter.drawPath(path);
    painter.setPen(QPen(tokens_.accent, 1.6));
    painter.drawPath(path);
    painter.setPen(Qt::NoPen);
    painter.setBrush(tokens_.accent);
    painter.drawPolygon(QPolygonF{end, end + QPointF(-7, -4), end + QPointF(-7, 4)});
}

void ScenePainter::paint_headings(QPainter& painter, const Scene& scene, const SceneParts& parts) {
    painter.save();
    const QRect area(0, SceneParts::kRulerHeight, parts.label_width, parts.tracks_height());
    painter.setClipRect(area);
    painter.fillRect(area, tokens_.surface1);
    QFont plain = widgets::Theme::instance().interface_font();
    plain.setPixelSize(12);
    QFont strong = plain;
    strong.setWeight(QFont::DemiBold);
    const auto [first, last] = scene.layout.bands_in(scene.scroll, scene.scroll + area.height());
    for (std::size_t i = first; i < last; ++i) {
        const Band& band = scene.layout.bands()[i];
        const QRect rect(0, area.top() + band.top - scene.scroll, area.width(), band.height);
        const auto write = [&](const QFont& font, const QColor& color, const std::string& text, QRect where,
                               Qt::Alignment align) {
            painter.setFont(font);
            painter.setPen(color);
            painter.drawText(
                where, static_cast<int>(align | Qt::TextSingleLine),
                QFontMetrics(font).elidedText(QString::fromStdString(text), Qt::ElideMiddle, where.width()));
        };
        switch (band.kind) {
        case Band::Kind::group: {
            painter.fillRect(rect, tokens_.surface2);
            const bool open =
                i + 1 < scene.layout.bands().size() && scene.layout.bands()[i + 1].kind != Band::Kind::group;
            const QPointF at(14, rect.center().y() + 0.5);
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(QPen(tokens_.text2, 1.5));
            painter.drawPolyline(open ? QPolygonF{at + QPointF(-4, -2), at + QPointF(0, 2), at + QPointF(4, -2)}
                                      : QPolygonF{at + QPointF(-2, -4), at + QPointF(2, 0), at + QPointF(-2, 4)});
            write(strong, tokens_.text1, scene.store->groups()[band.index].label, rect.adjusted(26, 0, -8, 0),
                  Qt::AlignVCenter);
            break;
        }
        case Band::Kind::lane: {
            // A tall lane's label stays in sight while any of it is.
            const int top =
                std::clamp(area.top(), rect.top(), std::max(rect.top(), rect.bottom() - kRowHeight - kLanePadding));
            write(plain, tokens_.text2, scene.store->lanes()[band.index].label,
                  QRect(26, top + kLanePadding - 1, area.width() - 34, kRowHeight), Qt::AlignVCenter);
            painter.fillRect(QRect(0, rect.bottom(), rect.width(), 1), tokens_.line);
            break;
        }
        case Band::Kind::counter: {
            const auto& counter = scene.store->counters()[band.index];
            write(plain, tokens_.text2, counter.label, rect.adjusted(26, 3, -8, -rect.height() / 2), Qt::AlignVCenter);
            double least = counter.series.front().least, most = counter.series.front().most;
            for (const auto& series : counter.series) {
                least = std::min(least, series.least);
                most = std::max(most, series.most);
            }
            const QString unit =
                counter.unit.empty() ? QString() : QLatin1Char(' ') % QString::fromStdString(counter.unit);
            const QString range =
                widgets::format_number(least) % QStringLiteral(" – ") % widgets::format_number(most) % unit;
            write(plain, tokens_.text3, range.toStdString(), rect.adjusted(26, rect.height() / 2 - 2, -8, -5),
                  Qt::AlignVCenter);
            painter.fillRect(QRect(0, rect.bottom(), rect.width(), 1), tokens_.line);
            break;
        }
        }
    }
    painter.fillRect(QRect(area.right(), area.top(), 1, area.height()), tokens_.line);
    painter.restore();
}

void ScenePainter::paint_ruler(QPainter& painter, const Scene& scene, const SceneParts& parts) {
    painter.save();
    const QRect area(0, 0, parts.width, SceneParts::kRulerHeight);
    painter.fillRect(area, tokens_.surface1);
    painter.fillRect(QRect(0, area.bottom(), area.width(), 1), tokens_.line);
    painter.setFont(labels_.font());
    const QFontMetricsF metrics(labels_.font());
    painter.setPen(tokens_.text3);
    const double shown = scene.view.ns_per_pixel * scene.view.width;
    painter.drawText(QRect(26, 0, parts.label_width - 34, area.height()), Qt::AlignVCenter | Qt::AlignLeft,
                     duration_text(std::llround(std::min(shown, 9e18))) % QStringLiteral(" shown"));
    painter.setClipRect(QRect(parts.label_width, 0, parts.tracks_width(), area.height()));
    painter.translate(parts.label_width, 0);
    for (const Tick& tick : ticks(scene.view.start, scene.view.ns_per_pixel, parts.tracks_width(), kTickDistance)) {
        const double x = std::floor(x_of(scene.view, tick.time));
        painter.fillRect(QRectF(x, area.bottom() - 6, 1, 6), tokens_.text3);
        painter.setPen(tokens_.text2);
        if (x + 4 + metrics.horizontalAdvance(tick.label) <= parts.tracks_width())
            painter.drawText(QPointF(x + 4, area.bottom() - 8), tick.label);
    }
    if (scene.pointer_time) {
        const double x = x_of(scene.view, *scene.pointer_time);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(tokens_.accent);
        painter.drawPolygon(
            QPolygonF{QPointF(x, area.bottom()), QPointF(x - 4, area.bottom() - 6), QPointF(x + 4, area.bottom() - 6)});
    }
    painter.restore();
}

} // namespace kw::profiler_views
