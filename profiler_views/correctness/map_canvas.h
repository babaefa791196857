#pragma once

#include "engine/verify/error_map.h"
#include "engine/verify/output_source.h"
#include "profiler_views/correctness/cell_tiles.h"
#include "profiler_views/correctness/map_transform.h"

#include <QWidget>

#include <cstdint>
#include <memory>
#include <optional>

class QPainter;

namespace kw::profiler_views {

/// The heat map of one output: the wheel zooms at the pointer, dragging pans, a double click shows everything, a click
/// selects an element. Keys: arrows move the selection (with Ctrl, the view), + − zoom, F or 0 fits, N and Shift+N go
/// to the next and previous element that fails. Paints what is here and asks for the rest; never waits.
class MapCanvas : public QWidget {
    Q_OBJECT
public:
    explicit MapCanvas(QWidget* parent = nullptr);

    void show_outputs(std::shared_ptr<verify::OutputSource> source, std::size_t tensor, verify::TensorOutput about);
    /// The tiles that an evaluation has kept; nothing finer is known.
    void show_recorded(const verify::ErrorMap& map);
    void clear();

    /// See CellTiles.
    void set_tolerance(const task::Tolerance& tolerance, bool exact);
    void fit();
    /// Brings an element into sight, as close as it gets if `close`, and selects it.
    void go_to_element(std::uint64_t index, bool close);
    [[nodiscard]] std::optional<std::uint64_t> selected() const { return selected_; }
    [[nodiscard]] const MapTransform& transform() const { return transform_; }
    /// Everything in sight is drawn as it should be.
    [[nodiscard]] bool complete() const;
    /// Values in sight, tab-separated, a row of the map a line; empty while they are not shown.
    [[nodiscard]] QString values_as_tsv() const;
    /// What is under a pixel, in words.
    [[nodiscard]] QString text_at(QPointF pixel) const;

    [[nodiscard]] QSize sizeHint() const override { return {560, 320}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {160, 120}; }

Q_SIGNALS:
    void element_selected(quint64 index);
    void next_requested(bool forward);
    void pointed(const QString& text);
    void failed(const kw::Error& error);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    // map_canvas.cpp
    void view_changed();
    void request();
    void request_values();
    void apply_theme();
    [[nodiscard]] std::vector<TileKey> tiles_in_sight() const;
    [[nodiscard]] TileKey whole() const;
    [[nodiscard]] std::optional<std::uint64_t> element_at(QPointF pixel) const;
    /// Offset of an element in values_, if it is among them.
    [[nodiscard]] std::optional<std::size_t> value_at(std::uint64_t row, std::uint64_t column) const;
    void select(std::uint64_t index);

    // map_painting.cpp
    void paint_tiles(QPainter& painter);
    void paint_recorded(QPainter& painter);
    void paint_values(QPainter& painter);
    void paint_selection(QPainter& painter);
    void paint_minimap(QPainter& painter);
    [[nodiscard]] QRectF minimap() const;

    CellTiles tiles_;
    std::shared_ptr<verify::OutputSource> source_;
    std::size_t tensor_ = 0;
    verify::TensorOutput about_;
    std::optional<verify::ErrorMap> recorded_;
    QImage recorded_picture_;
    std::shared_ptr<const ErrorColors> colors_;
    MapTransform transform_;
    std::optional<std::uint64_t> selected_;
    std::optional<verify::Values> values_;
    std::optional<verify::Region> values_asked_;
    std::uint64_t generation_ = 0; ///< of source and tensor
    widgets::AnswerPoster poster_;

    // map_input.cpp
    void move_selection(std::int64_t rows, std::int64_t columns);
    void follow_minimap(QPointF pixel);
    enum class Drag { none, pressed, panning, minimap };
    Drag drag_ = Drag::none;
    QPointF pressed_at_, dragged_to_;
};

} // namespace kw::profiler_views
