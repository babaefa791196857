#pragma once

#include "engine/task/task.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QSlider;
class QTimer;

namespace kw::profiler_views {

/// Sliders for the two tolerances, over decades; the leftmost place is 0.
class TolerancePanel : public QWidget {
    Q_OBJECT
public:
    explicit TolerancePanel(QWidget* parent = nullptr);

    /// The task's tolerance, which the sliders go back to. Sliders of integers, which must be equal, are off.
    void set_task_tolerance(const task::Tolerance& tolerance, bool floating);
    [[nodiscard]] task::Tolerance tolerance() const { return tolerance_; }
    void set_result(const QString& text);

Q_SIGNALS:
    /// While it moves, and once more with `rested` when it has not moved for a moment.
    void changed(const kw::task::Tolerance& tolerance, bool rested);

private:
    void moved();
    void show_values();
    static constexpr int kPerDecade = 20, kLowest = -12, kHighest = 2;
    [[nodiscard]] static int place_of(double value);
    [[nodiscard]] static double value_at(int place);

    task::Tolerance task_{}, tolerance_{};
    QSlider* atol_;
    QSlider* rtol_;
    QLabel* atol_text_;
    QLabel* rtol_text_;
    QLabel* result_;
    QPushButton* reset_;
    QTimer* rest_;
    bool setting_ = false;
};

} // namespace kw::profiler_views
