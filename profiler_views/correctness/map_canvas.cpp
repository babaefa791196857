#include "profiler_views/correctness/map_canvas.h"

#include "widgets/numbers.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QResizeEvent>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kw::profiler_views {
namespace {

QString coordinates_text(std::uint64_t index, const verify::TensorOutput& about) {
    QStringList parts;
    for (const auto at : verify::coordinates_of(index, about.shape)) parts << QString::number(at);
    return QString::fromStdString(about.name) + QLatin1Char('[') + parts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

} // namespace

MapCanvas::MapCanvas(QWidget* parent) : QWidget(parent), poster_(this) {
    setObjectName(QStringLiteral("errorMap"));
    setAccessibleName(tr("Error map"));
    setAccessibleDescription(tr("Arrows move the selected element, plus and minus zoom, F shows everything, N goes to "
                                "the next element that fails"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(&tiles_, &CellTiles::changed, this, qOverload<>(&QWidget::update));
    connect(&tiles_, &CellTiles::failed, this, &MapCanvas::failed);
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, &MapCanvas::apply_theme);
    apply_theme();
}

void MapCanvas::apply_theme() {
    colors_ = std::make_shared<ErrorColors>(widgets::Theme::instance().tokens());
    tiles_.set_colors(colors_);
    recorded_picture_ = {};
    update();
}

void MapCanvas::clear() {
    ++generation_;
    source_.reset();
    tiles_.clear();
    recorded_.reset();
    recorded_picture_ = {};
    selected_.reset();
    values_.reset();
    values_asked_.reset();
    about_ = {};
    transform_.columns = transform_.rows = 0;
    update();
}

void MapCanvas::show_outputs(std::shared_ptr<verify::OutputSource> source, std::size_t tensor,
                             verify::TensorOutput about) {
    // The same map again, after a change of the kernel: what was looked at stays in sight.
    const bool same = about_.map == about.map && about_.name == about.name && transform_.columns > 0;
    const auto selected = same ? selected_ : std::nullopt;
    const auto before = transform_;
    clear();
    source_ = std::move(source);
    tensor_ = tensor;
    about_ = std::move(about);
    tiles_.set_source(source_, tensor_, about_);
    transform_ = before;
    transform_.columns = static_cast<double>(about_.map.columns);
    transform_.rows = static_cast<double>(about_.map.rows);
    if (!same) transform_.fit();
    selected_ = selected;
    view_changed();
}

void MapCanvas::show_recorded(const verify::ErrorMap& map) {
    clear();
    recorded_ = map;
    transform_.columns = static_cast<double>(map.columns);
    transform_.rows = static_cast<double>(map.rows);
    transform_.fit();
    update();
}

void MapCanvas::set_tolerance(const task::Tolerance& tolerance, bool exact) {
    tiles_.set_tolerance(tolerance, exact);
    if (exact) request();
    update();
}

void MapCanvas::fit() {
    transform_.fit();
    view_changed();
}

void MapCanvas::go_to_element(std::uint64_t index, bool close) {
    if (about_.map.elements == 0 || index >= about_.map.elements) return;
    const auto row = static_cast<double>(index / about_.map.columns),
               column = static_cast<double>(index % about_.map.columns);
    if (close)
        transform_.show_element(row, column);
    else if (!QRectF(rect()).contains({transform_.pixel_at(row, column).x(), transform_.pixel_at(row, column).y()}))
        transform_.center(row, column);
    select(index);
    view_changed();
}

void MapCanvas::select(std::uint64_t index) {
    if (selected_ == index) return;
    selected_ = index;
    update();
    Q_EMIT element_selected(index);
}

bool MapCanvas::complete() const {
    if (recorded_) return true;
    if (!source_ || !tiles_.idle()) return false;
    return !transform_.shows_numbers() || (values_ && values_asked_ == values_->region);
}

void MapCanvas::resizeEvent(QResizeEvent* event) {
    transform_.resize(event->size());
    view_changed();
}

bool MapCanvas::event(QEvent* event) {
    // Nothing is asked for while nobody looks.
    if (event->type() == QEvent::Show) request();
    return QWidget::event(event);
}

void MapCanvas::view_changed() {
    request();
    update();
}

TileKey MapCanvas::whole() const {
    const auto step = [](std::uint64_t elements) {
        return std::bit_ceil(std::max<std::uint64_t>((elements + CellTiles::kCells - 1) / CellTiles::kCells, 1));
    };
    return {step(about_.map.rows), step(about_.map.columns), 0, 0};
}

std::vector<TileKey> MapCanvas::tiles_in_sight() const {
    const auto region = transform_.visible();
    std::vector<TileKey> keys;
    if (region.row >= region.row_end || region.column >= region.column_end) return keys;
    const auto row_step = MapTransform::step_for(transform_.scale_y),
               column_step = MapTransform::step_for(transform_.scale_x);
    const auto first = CellTiles::key_at(row_step, column_step, region.row, region.column);
    const auto last = CellTiles::key_at(row_step, column_step, region.row_end - 1, region.column_end - 1);
    for (auto row = first.row; row <= last.row; ++row)
        for (auto column = first.column; column <= last.column; ++column)
            keys.push_back({row_step, column_step, row, column});
    return keys;
}

void MapCanvas::request() {
    if (!source_ || !isVisible() || about_.map.elements == 0) return;
    auto keys = tiles_in_sight();
    // From the middle outwards: where the eye is.
    const auto middle = transform_.element_at(QPointF(width() / 2.0, height() / 2.0));
    std::ranges::sort(keys, {}, [&](const TileKey& key) {
        const auto region = tiles_.region_of(key);
        const double dx = static_cast<double>(region.column + region.column_end) / 2 - middle.x(),
                     dy = static_cast<double>(region.row + region.row_end) / 2 - middle.y();
        return std::hypot(dx * transform_.scale_x, dy * transform_.scale_y);
    });
    // What stands in for all others until they come.
    if (!tiles_.cells(whole())) keys.insert(keys.begin(), whole());
    tiles_.want(std::move(keys));
    request_values();
}

void MapCanvas::request_values() {
    if (!source_ || !transform_.shows_numbers()) return;
    auto region = transform_.visible();
    const auto inside = [](const verify::Region& a, const verify::Region& b) {
        return a.row >= b.row && a.row_end <= b.row_end && a.column >= b.column && a.column_end <= b.column_end;
    };
    if (values_asked_ && inside(region, *values_asked_)) return;
    // Some more, so that panning finds numbers.
    const auto grow = [](std::uint64_t& begin, std::uint64_t& end, std::uint64_t most) {
        const std::uint64_t margin = (end - begin) / 2;
        begin -= std::min(begin, margin);
        end = std::min(end + margin, most);
    };
    grow(region.row, region.row_end, about_.map.rows);
    grow(region.column, region.column_end, about_.map.columns);
    values_asked_ = region;
    source_->values(tensor_, region,
                    poster_.deliver([this, generation = generation_, region](Result<verify::Values> values) {
                        if (generation != generation_ || values_asked_ != region) return;
                        if (!values) {
                            values_asked_.reset();
                            Q_EMIT failed(values.error());
                            return;
                        }
                        values_ = std::move(*values);
                        update();
                    }));
}

std::optional<std::uint64_t> MapCanvas::element_at(QPointF pixel) const {
    const auto at = transform_.element_at(pixel);
    if (at.x() < 0 || at.y() < 0 || at.x() >= transform_.columns || at.y() >= transform_.rows) return std::nullopt;
    const auto index = static_cast<std::uint64_t>(at.y()) * about_.map.columns + static_cast<std::uint64_t>(at.x());
    return index < about_.map.elements ? std::optional{index} : std::nullopt;
}

std::optional<std::size_t> MapCanvas::value_at(std::uint64_t row, std::uint64_t column) const {
    if (!values_) return std::nullopt;
    const auto& region = values_->region;
    if (row < region.row || row >= region.row_end || column < region.column || column >= region.column_end)
        return std::nullopt;
    // Only the last row may be short.
    const std::size_t width = task::size_of(values_->type);
    const std::size_t at = ((row - region.row) * region.columns() + column - region.column) * width;
    return at + width <= values_->actual.size() ? std::optional{at} : std::nullopt;
}

QString MapCanvas::text_at(QPointF pixel) const {
    if (recorded_ && recorded_->grid_columns > 0) {
        const auto at = transform_.element_at(pixel);
        if (at.x() < 0 || at.y() < 0 || at.x() >= transform_.columns || at.y() >= transform_.rows) return {};
        const auto row = static_cast<std::uint64_t>(at.y()) / recorded_->tile_rows,
                   column = static_cast<std::uint64_t>(at.x()) / recorded_->tile_columns;
        const auto tile = row * recorded_->grid_columns + column;
        return tr("rows from %1, columns from %2: %3 wrong, worst %4 × tolerance")
            .arg(row * recorded_->tile_rows)
            .arg(column * recorded_->tile_columns)
            .arg(recorded_->mismatches[tile])
            .arg(widgets::format_number(static_cast<double>(recorded_->worst[tile])));
    }
    const auto index = element_at(pixel);
    if (!index) return {};
    const std::uint64_t row = *index / about_.map.columns, column = *index % about_.map.columns;
    if (const auto at = value_at(row, column)) {
        const auto error = verify::describe_element(bytes(values_->expected, *at), bytes(values_->actual, *at),
                                                    about_.type, tiles_.tolerance());
        return tr("%1: expected %2, got %3")
            .arg(coordinates_text(*index, about_), QString::fromStdString(error.expected.text),
                 QString::fromStdString(error.actual.text));
    }
    const auto row_step = MapTransform::step_for(transform_.scale_y),
               column_step = MapTransform::step_for(transform_.scale_x);
    const auto key = CellTiles::key_at(row_step, column_step, row, column);
    const auto* cells = tiles_.cells(key);
    if (!cells) return coordinates_text(*index, about_);
    const auto& cell = cells->cells[(row - cells->region.row) / row_step * cells->columns
                                    + (column - cells->region.column) / column_step];
    const auto worst =
        std::isfinite(cell.worst) ? widgets::format_number(static_cast<double>(cell.worst)) : QStringLiteral("∞");
    if (row_step == 1 && column_step == 1) return tr("%1: %2 × tolerance").arg(coordinates_text(*index, about_), worst);
    auto text = tr("%1 and %2 × %3 around: %4 wrong, worst %5 × tolerance")
                    .arg(coordinates_text(*index, about_))
                    .arg(row_step)
                    .arg(column_step)
                    .arg(cell.mismatches)
                    .arg(worst);
    if (cell.nan > 0) text += tr(", %1 NaN").arg(cell.nan);
    if (cell.inf > 0) text += tr(", %1 infinite").arg(cell.inf);
    return text;
}

QString MapCanvas::values_as_tsv() const {
    if (!values_ || !transform_.shows_numbers()) return {};
    const auto region = transform_.visible();
    QStringList lines{tr("element\texpected\tactual\tabsolute\trelative\tULP")};
    for (auto row = region.row; row < region.row_end; ++row)
        for (auto column = region.column; column < region.column_end; ++column) {
            const auto at = value_at(row, column);
            if (!at) continue;
            const auto error = verify::describe_element(bytes(values_->expected, *at), bytes(values_->actual, *at),
                                                        about_.type, tiles_.tolerance());
            lines << QStringLiteral("%1\t%2\t%3\t%4\t%5\t%6")
                         .arg(coordinates_text(row * about_.map.columns + column, about_),
                              QString::fromStdString(error.expected.text), QString::fromStdString(error.actual.text))
                         .arg(error.absolute)
                         .arg(error.relative)
                         .arg(error.ulp);
        }
    return lines.join(QLatin1Char('\n'));
}

} // namespace kw::profiler_views
