#pragma once

#include "widgets/plot_data.h"

#include <QPointF>
#include <QWidget>

#include <memory>
#include <optional>

class QContextMenuEvent;
class QKeyEvent;

namespace kw::widgets {

/// The one plot of the program. The wheel zooms at the pointer, dragging pans, a double click shows everything; keys:
/// + − zoom, arrows pan, F fits, N and Shift+N go from point to point, Enter clicks. The nearest point is read out.
class Plot : public QWidget {
    Q_OBJECT
public:
    explicit Plot(const QString& accessible_name, QWidget* parent = nullptr);
    ~Plot() override;

    /// What was zoomed to stays while the axes stay the same.
    void set_data(PlotData data);
    [[nodiscard]] const PlotData& data() const;

    void fit();
    struct View {
        double x_low = 0, x_high = 0, y_low = 0, y_high = 0;
        bool operator==(const View&) const = default;
    };
    [[nodiscard]] View view() const;
    void set_view(const View& view);

    /// Reads a point out as if the pointer were there; none: nothing.
    void point_at(std::optional<PlotPick> pick);
    [[nodiscard]] std::optional<PlotPick> pointed() const;
    /// What is read out, empty when nothing is.
    [[nodiscard]] QString readout() const;
    /// Where a point is on this widget; nothing when it is out of sight.
    [[nodiscard]] std::optional<QPointF> place_of(PlotPick pick) const;

    /// PNG, SVG or PDF by the file's name. Empty when it was written, else one sentence why not.
    [[nodiscard]] QString export_picture(const QString& path);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void clicked(kw::widgets::PlotPick pick);
    void pointed_changed();
    void view_changed();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void ask_export();

    class Canvas;
    std::unique_ptr<Canvas> canvas_;
};

} // namespace kw::widgets
