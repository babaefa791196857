#pragma once

#include "profiler_views/metrics/metric_tables.h"

#include <QWidget>

class QLabel;
class QLineEdit;

namespace kw::profiler_views {

/// All there is to say about one metric: its value with every digit, what it means, and where it comes from.
class MetricPanel : public QWidget {
    Q_OBJECT
public:
    explicit MetricPanel(QWidget* parent = nullptr);
    /// An unknown id empties the panel.
    void show_metric(const QString& id, const LaunchPair& pair);
    using QWidget::show;

private:
    QLabel* title_;
    QLabel* figure_;
    QLabel* badge_;
    QLabel* exact_;
    QLabel* before_;
    QLabel* about_;
    QLabel* source_;
    QLineEdit* how_; ///< long names without a place to break
};

} // namespace kw::profiler_views
