// How the map is drawn.
#include "profiler_views/correctness/map_canvas.h"
#include "widgets/theme.h"

#include <QPaintEvent>
#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace kw::profiler_views {
namespace {

/// Shown by shape, not colour alone, where an element has at least so many pixels.
constexpr double kMarkedFrom = 7;

/// Black or white, whichever reads better.
QColor ink_on(QRgb background) {
    const QColor dark(0x10, 0x12, 0x16), light(0xFF, 0xFF, 0xFF);
    return widgets::contrast(dark, QColor(background)) >= widgets::contrast(light, QColor(background)) ? dark : light;
}

QRgb color_of(float ratio, bool number, const ErrorColors& colors) {
    return number ? colors.of(ratio) : colors.special();
}

void draw_picture(QPainter& painter, const QImage& picture, const QRectF& place, const QRect& view) {
    // Only what is in sight: a far larger target would be scaled for nothing.
    const auto seen = place.intersected(view);
    if (seen.isEmpty()) return;
    const double x = picture.width() / place.width(), y = picture.height() / place.height();
    // Whole source pixels, as the painter takes no parts of them.
    const QRectF wanted((seen.left() - place.left()) * x, (seen.top() - place.top()) * y, seen.width() * x,
                        seen.height() * y);
    const QRect source = wanted.toAlignedRect().intersected(picture.rect());
    painter.drawImage(QRectF(place.left() + source.left() / x, place.top() + source.top() / y, source.width() / x,
                             source.height() / y),
                      picture, source);
}

} // namespace

void MapCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const auto& tokens = widgets::Theme::instance().tokens();
    painter.fillRect(rect(), tokens.surface0);
    if (recorded_)
        paint_recorded(painter);
    else if (source_) {
        paint_tiles(painter);
        paint_values(painter);
        paint_selection(painter);
        paint_minimap(painter);
    }
    if (hasFocus()) {
        painter.setPen(tokens.accent);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void MapCanvas::paint_recorded(QPainter& painter) {
    const auto& map = *recorded_;
    const auto rows = static_cast<int>(map.grid_rows), columns = static_cast<int>(map.grid_columns);
    if (rows == 0 || columns == 0) return;
    if (recorded_picture_.isNull()) {
        recorded_picture_ = QImage(columns, rows, QImage::Format_RGB32);
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column) {
                const float worst =
                    map.worst[static_cast<std::size_t>(row) * map.grid_columns + static_cast<std::size_t>(column)];
                recorded_picture_.setPixel(column, row, color_of(worst, std::isfinite(worst), *colors_));
            }
    }
    // The last tiles hang over the edges.
    const verify::Region tiles{0, map.grid_rows * map.tile_rows, 0, map.grid_columns * map.tile_columns};
    const auto edges = QRectF(transform_.pixel_at(0, 0), transform_.pixel_at(transform_.rows, transform_.columns));
    painter.save();
    painter.setClipRect(edges);
    draw_picture(painter, recorded_picture_, transform_.pixels_of(tiles), rect());
    painter.restore();
}

void MapCanvas::paint_tiles(QPainter& painter) {
    const auto map_edges = QRectF(transform_.pixel_at(0, 0), transform_.pixel_at(transform_.rows, transform_.columns));
    painter.save();
    painter.setClipRect(map_edges.intersected(rect()));
    const auto place_of = [&](const TileKey& key, const QImage& picture) {
        // Cells at the map's edge hang over it.
        auto region = tiles_.region_of(key);
        region.row_end = region.row + static_cast<std::uint64_t>(picture.height()) * key.row_step;
        region.column_end = region.column + static_cast<std::uint64_t>(picture.width()) * key.column_step;
        return transform_.pixels_of(region);
    };
    const auto keys = tiles_in_sight();
    const bool all_here = std::ranges::all_of(keys, [&](const TileKey& key) { return tiles_.cells(key) != nullptr; });
    if (const auto* picture = all_here ? nullptr : tiles_.picture(whole()))
        draw_picture(painter, *picture, place_of(whole(), *picture), rect());
    for (const auto& key : keys)
        if (const auto* picture = tiles_.picture(key)) draw_picture(painter, *picture, place_of(key, *picture), rect());
    painter.restore();
}

void MapCanvas::paint_values(QPainter& painter) {
    const auto& tokens = widgets::Theme::instance().tokens();
    const double size = std::min(transform_.scale_x, transform_.scale_y);
    if (size < kMarkedFrom) return;
    const auto region = transform_.visible();
    const bool numbers = transform_.shows_numbers() && values_;
    auto font = widgets::Theme::instance().code_font();
    font.setPixelSize(11);
    painter.setFont(font);
    // Every digit is as wide as another: no text need be measured.
    const double digit = QFontMetricsF(font).horizontalAdvance(QLatin1Char('0'));
    for (auto row = region.row; row < region.row_end; ++row)
        for (auto column = region.column; column < region.column_end; ++column) {
            const QRectF place(transform_.pixel_at(static_cast<double>(row), static_cast<double>(column)),
                               QSizeF(transform_.scale_x, transform_.scale_y));
            bool fails = false;
            const auto at = numbers ? value_at(row, column) : std::nullopt;
            if (at) {
                const auto error = verify::describe_element(bytes(values_->expected, *at), bytes(values_->actual, *at),
                                                            about_.type, tiles_.tolerance());
                fails = error.ratio > 1;
                const bool number = !std::isnan(error.actual.number) && (std::isfinite(error.actual.number) || !fails);
                const QRgb background = color_of(error.ratio, number, *colors_);
                painter.fillRect(place.adjusted(0, 0, -1, -1), QColor(background));
                const auto text = place.adjusted(4, 2, -6, -2);
                painter.setPen(ink_on(background));
                const auto line = [&](const std::string& value, int align) {
                    auto shown = QString::fromStdString(value);
                    const auto room = static_cast<qsizetype>(text.width() / digit);
                    if (shown.size() > room) shown = shown.left(room - 1) + QChar(0x2026);
                    painter.drawText(text, align | Qt::AlignRight | Qt::TextSingleLine, shown);
                };
                line(error.actual.text, Qt::AlignTop);
                line(error.expected.text, Qt::AlignBottom);
                if (fails)
                    painter.drawLine(QPointF(text.left(), place.center().y()),
                                     QPointF(text.right(), place.center().y()));
            } else {
                fails = tiles_.fails(row, column);
            }
            if (!fails) continue;
            // A corner cut off: seen in any colour.
            const double corner = std::min(8.0, size * 0.5);
            painter.setPen(Qt::NoPen);
            painter.setBrush(tokens.text1);
            painter.drawPolygon(QPolygonF{
                {place.topLeft(), place.topLeft() + QPointF(corner, 0), place.topLeft() + QPointF(0, corner)}});
            painter.setBrush(Qt::NoBrush);
        }
}

void MapCanvas::paint_selection(QPainter& painter) {
    if (!selected_ || about_.map.columns == 0) return;
    const auto row = static_cast<double>(*selected_ / about_.map.columns),
               column = static_cast<double>(*selected_ % about_.map.columns);
    QRectF place(transform_.pixel_at(row, column), QSizeF(transform_.scale_x, transform_.scale_y));
    // Far away an element has no size; the frame around it has.
    const double least = 10;
    if (place.width() < least) place.adjust((place.width() - least) / 2, 0, (least - place.width()) / 2, 0);
    if (place.height() < least) place.adjust(0, (place.height() - least) / 2, 0, (least - place.height()) / 2);
    const auto& tokens = widgets::Theme::instance().tokens();
    painter.setPen(QPen(tokens.surface0, 4));
    painter.drawRect(place);
    painter.setPen(QPen(tokens.accent, 2));
    painter.drawRect(place);
}

QRectF MapCanvas::minimap() const {
    if (!source_ || transform_.fits_whole() || width() < 240 || height() < 160) return {};
    constexpr double kLongest = 112;
    // As a whole map looks when it fits; that need not be its own proportions.
    const double w = transform_.fit_x() * transform_.columns, h = transform_.fit_y() * transform_.rows;
    const double scale = kLongest / std::max(w, h);
    const QSizeF size(std::max(w * scale, 24.0), std::max(h * scale, 24.0));
    return {QPointF(width() - size.width() - 12, height() - size.height() - 12), size};
}

void MapCanvas::paint_minimap(QPainter& painter) {
    const auto frame = minimap();
    const auto* picture = frame.isEmpty() ? nullptr : tiles_.picture(whole());
    if (!picture) return;
    const auto& tokens = widgets::Theme::instance().tokens();
    painter.fillRect(frame.adjusted(-3, -3, 3, 3), tokens.surface2);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    const auto key = whole();
    const double columns = static_cast<double>(about_.map.columns) / static_cast<double>(key.column_step),
                 rows = static_cast<double>(about_.map.rows) / static_cast<double>(key.row_step);
    painter.drawImage(frame, *picture, QRectF(0, 0, columns, rows));
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    const double x = frame.width() / transform_.columns, y = frame.height() / transform_.rows;
    QRectF seen(frame.left() + transform_.column * x, frame.top() + transform_.row * y,
                transform_.width / transform_.scale_x * x, transform_.height / transform_.scale_y * y);
    seen = seen.intersected(frame);
    const double least = 6;
    if (seen.width() < least) seen.setWidth(least);
    if (seen.height() < least) seen.setHeight(least);
    painter.setPen(QPen(tokens.accent, 1.5));
    painter.drawRect(seen);
}

} // namespace kw::profiler_views
