#pragma once

#include "profiler_views/timeline/scene.h"
#include "profiler_views/timeline/scene_painter.h"

#include <QWidget>

#include <functional>
#include <memory>
#include <set>
#include <string>

class QScrollBar;

namespace kw::profiler_views {

/// The lanes, their labels and the ruler. The wheel zooms at the pointer, Shift with it pans and Ctrl scrolls up and
/// down; dragging pans, Shift-dragging selects, a double click fits. All of it by keys too: W and S or + and −, A and D
/// or the arrows, Home and End, F to fit, Enter to select, comma and full stop for the neighbours in the lane, [ and ]
/// along the arrows, Space to fold a group, Esc to clear.
class TimelineCanvas : public QWidget {
    Q_OBJECT
public:
    explicit TimelineCanvas(QWidget* parent = nullptr);

    /// Shows all of a store. `keep_place`: it is the one shown, gone on; the view stays where it is, and follows the
    /// end only when it was there.
    void set_store(std::shared_ptr<const timeline::Store> store, std::vector<std::uint8_t> name_colors,
                   bool keep_place);
    [[nodiscard]] const Scene& scene() const { return scene_; }

    void set_view(const Viewport& view);
    /// All, or the selected event when there is one and it does not fill the view yet.
    void fit();
    void fit_to(double begin, double end);
    void set_matches(std::optional<timeline::NameSet> matches);
    /// Selects, unfolds its group and brings the event into view; kNoEvent clears.
    void select(timeline::EventId event, bool bring_into_view);
    void set_selection(std::optional<TimeSelection> selection);
    void set_collapsed(std::uint32_t group, bool collapsed);
    [[nodiscard]] bool at_end() const;
    /// Draws the picture that is shown onto anything.
    void draw(QPainter& painter, bool as_vectors);

Q_SIGNALS:
    void view_changed();
    void selected_changed(timeline::EventId event);
    void selection_changed();
    void search_requested();
    void step_requested(bool forward);
    void clear_requested();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    struct Hit {
        const Band* band = nullptr;
        timeline::EventId event = timeline::kNoEvent;
        double time = 0;
    };
    [[nodiscard]] Hit hit(QPointF position) const;
    [[nodiscard]] QString tip(const Hit& hit) const;
    [[nodiscard]] SceneParts parts() const;
    void relayout();
    void place_scroll_bar();
    void scroll_to(int top);
    void update_selection_from_drag(QPointF to);
    void zoom_at_center(double factor);
    void step_in_lane(int direction);
    void step_along_flow(bool forward);
    void select_near_center();
    void announce();

    Scene scene_;
    std::unique_ptr<ScenePainter> painter_;
    std::set<std::string> collapsed_;
    QScrollBar* scroll_bar_;
    enum class Drag { none, undecided, pan, select } drag_ = Drag::none;
    QPointF press_;
    Viewport view_at_press_;
    int scroll_at_press_ = 0;
};

/// The colours of a store's names; takes a moment for millions of names.
[[nodiscard]] std::vector<std::uint8_t> name_colors_of(const timeline::Store& store);

} // namespace kw::profiler_views
