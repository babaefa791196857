#pragma once

#include <QWidget>

#include <vector>

namespace kw::profiler_views {

/// Sections in as many columns as fit, each put where there is most room; their order is kept from top to bottom.
class SectionFlow : public QWidget {
    Q_OBJECT
public:
    explicit SectionFlow(int least_column_width, QWidget* parent = nullptr);
    /// Takes the widget over. `wide`: across all columns, above the others.
    void add(QWidget* section, bool wide = false);
    /// After sections changed their size, or whether they are shown.
    void arrange();

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Section {
        QWidget* widget;
        bool wide;
    };
    std::vector<Section> sections_;
    int least_column_width_;
};

} // namespace kw::profiler_views
