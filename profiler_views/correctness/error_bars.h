#pragma once

#include <QString>
#include <QWidget>

#include <cstdint>
#include <vector>

namespace kw::profiler_views {

/// A histogram whose counts go over decades: the height is logarithmic, so that one element among millions shows. The
/// bar under the pointer is read out; arrows move from bar to bar.
class ErrorBars : public QWidget {
    Q_OBJECT
public:
    struct Bar {
        std::uint64_t count = 0;
        QString range{};   ///< what it holds, in words
        QString tick{};    ///< below it; most have none
        bool warm = false; ///< holds what does not pass
    };
    explicit ErrorBars(const QString& title, QWidget* parent = nullptr);

    void set_bars(std::vector<Bar> bars);
    [[nodiscard]] const std::vector<Bar>& bars() const { return bars_; }
    [[nodiscard]] QString readout() const;

    [[nodiscard]] QSize sizeHint() const override { return {240, 96}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {140, 84}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void point_at(int bar);
    [[nodiscard]] QRectF area() const;

    QString title_;
    std::vector<Bar> bars_;
    int pointed_ = -1;
};

} // namespace kw::profiler_views
