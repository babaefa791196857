#pragma once

#include <QWidget>

namespace kw::profiler_views {

/// What the colours of the map mean.
class ErrorLegend : public QWidget {
    Q_OBJECT
public:
    explicit ErrorLegend(QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override { return {300, 30}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 30}; }

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace kw::profiler_views
