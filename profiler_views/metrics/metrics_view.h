#pragma once

#include "engine/profile/report.h"
#include "profiler_views/metrics/metric_tables.h"

#include <QString>
#include <QWidget>

#include <map>
#include <memory>
#include <optional>
#include <string>

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QSplitter;
class QStackedWidget;
class QToolButton;
class QVBoxLayout;

namespace kw::widgets {
class EmptyState;
}

namespace kw::profiler_views {

class CellTable;
class MetricPanel;
class SectionFlow;

/// What a profile says about each launch: what limits it, its metrics by section, and those of its source lines.
class MetricsView : public QWidget {
    Q_OBJECT
public:
    explicit MetricsView(QWidget* parent = nullptr);

    /// `before`, where given, is compared with; `before_name` says what it is ("step 3").
    void show(const profile::Report& report, const std::optional<profile::Report>& before = {},
              const QString& before_name = {});
    using QWidget::show;
    void clear();
    /// Text of source files by name, so that the table of lines can show them.
    void set_sources(std::map<std::string, std::string> sources);
    void show_launch(int index);

    enum class Page { summary, metrics, lines };
    void show_page(Page page);

Q_SIGNALS:
    void go_to_requested(const QString& file, int line, int column);
    void launch_changed(int index);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Section {
        QWidget* widget;
        QLabel* title;
        CellTable* table;
        QLabel* note;
    };

    void build_bar();
    void build_pages();
    Section add_section(const QString& name);
    void refresh();
    void show_section(Section& section, CellTableData content, const QString& missing);
    void show_findings();
    void show_problems();
    void select(const QString& id);
    [[nodiscard]] LaunchPair pair() const;
    [[nodiscard]] QString missing_reason(profile::Rung rung) const;

    std::optional<profile::Report> report_;
    std::optional<profile::Report> before_;
    QString before_name_;
    std::map<std::string, std::string> sources_;
    int launch_ = 0;
    QString selected_;
    bool selecting_ = false;

    QWidget* bar_;
    QComboBox* launches_;
    QToolButton* page_buttons_[3];
    QLineEdit* filter_;
    QToolButton* copy_;
    QLabel* compared_;
    QLabel* badge_;
    QLabel* profiler_;
    QStackedWidget* pages_; ///< empty, or the rest
    widgets::EmptyState* empty_;
    QStackedWidget* stack_; ///< of enum Page
    SectionFlow* flow_;
    QWidget* findings_;
    QGridLayout* findings_grid_;
    QLabel* problems_;
    Section speed_, memory_, stalls_, launch_section_, occupancy_, scheduler_, instructions_;
    CellTable* all_;
    CellTable* lines_;
    QStackedWidget* lines_stack_;
    QLabel* lines_missing_;
    MetricPanel* panel_;
    QSplitter* splitter_;
};

} // namespace kw::profiler_views
