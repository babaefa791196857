#pragma once

#include "profiler_views/timeline/coordinates.h"

#include <QImage>
#include <QWidget>

#include <memory>

namespace kw::profiler_views {

/// All of the trace in one strip: how busy its lanes are, and which part is shown. Dragging moves that part.
class TimelineOverview : public QWidget {
    Q_OBJECT
public:
    explicit TimelineOverview(QWidget* parent = nullptr);
    void set_store(std::shared_ptr<const timeline::Store> store);
    /// What the canvas shows, and how far to the right its tracks begin.
    void set_shown(const Viewport& shown, int left);
    [[nodiscard]] QSize sizeHint() const override { return {400, 32}; }

Q_SIGNALS:
    void moved(const kw::profiler_views::Viewport& shown);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    [[nodiscard]] Viewport whole() const;
    void move_to(double x);
    void draw_density();

    std::shared_ptr<const timeline::Store> store_;
    Viewport shown_;
    int left_ = 0;
    QImage density_;
};

} // namespace kw::profiler_views
