#pragma once

#include "engine/timeline/query.h"
#include "engine/timeline/report_source.h"
#include "profiler_views/timeline/scene.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <filesystem>
#include <memory>
#include <vector>

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace kw::widgets {
class EmptyState;
}

namespace kw::profiler_views {

class DetailsModel;
class StatisticsJob;
class StatisticsModel;
class TimelineCanvas;
class TimelineOverview;
class TraceLoader;

/// What happened when: lanes of events, counters below them, and what is known about those that are selected.
class TimelineView : public QWidget {
    Q_OBJECT
public:
    explicit TimelineView(QWidget* parent = nullptr);
    ~TimelineView() override;

    /// Opens a trace file in the background; what is shown stays until it is there.
    void open(const std::filesystem::path& path);
    void show(std::shared_ptr<const timeline::Store> store);
    using QWidget::show;
    /// A finished profile below the stages of its evaluation (evaluation_stages.h). What was sampled is in sight at
    /// first, else everything.
    void show_report(const profile::Report& report, const std::vector<timeline::Stage>& stages = {});
    /// Starts an empty trace that append() adds to.
    void start_live();
    /// More of the same: the view stays where it is, and follows the end if it was there. Updates that come faster
    /// than they can be shown are shown together.
    void append(const profile::LiveUpdate& update);
    void clear();

    /// Finds events by name, without regard to case; as a regular expression when `pattern` is set.
    void search(const QString& text, bool pattern);
    void step(bool forward);
    /// A picture of what is shown, as PNG or SVG by the file's name. Errors name the file.
    [[nodiscard]] Result<void> export_picture(const std::filesystem::path& path);

    [[nodiscard]] TimelineCanvas& canvas() { return *canvas_; }

Q_SIGNALS:
    /// A file was opened, or could not be: then `problem` says why. One without events says so too.
    void opened(bool ok, const QString& problem);

private:
    void build_bar();
    void build_panels();
    void show_live();
    void set_store(std::shared_ptr<const timeline::Store> store, std::vector<std::uint8_t> colors, bool keep_place);
    void show_empty(widgets::EmptyState* page);
    [[nodiscard]] static widgets::EmptyState* nothing_yet();
    void show_problem(const QString& title, const QString& why);
    void apply_search();
    void show_count();
    void show_selected(timeline::EventId event);
    void start_statistics();
    void show_statistics(const timeline::Statistics& statistics);
    void ask_export();

    std::shared_ptr<const timeline::Store> store_;
    timeline::LiveTrace live_;
    QTimer live_delay_;
    QElapsedTimer since_live_; ///< since live data were shown
    qint64 live_cost_ms_ = 0;  ///< what showing them took
    TraceLoader* loader_;
    StatisticsJob* statistics_job_;
    QTimer statistics_delay_; ///< a selection that is being drawn changes with every move
    DetailsModel* details_model_;
    StatisticsModel* statistics_model_;

    TimelineCanvas* canvas_;
    TimelineOverview* overview_;
    QStackedWidget* pages_;
    QWidget* content_ = nullptr;
    widgets::EmptyState* empty_;
    QLineEdit* search_;
    QToolButton* pattern_;
    QToolButton* previous_;
    QToolButton* next_;
    QLabel* count_;
    QToolButton* fit_;
    QToolButton* export_;
    QWidget* progress_row_;
    QProgressBar* progress_;
    QPushButton* cancel_;
    QLabel* warning_;
    QSplitter* splitter_;
    QTableView* details_;
    QTableView* statistics_;
    QLabel* statistics_title_;
    QLabel* details_title_;
};

} // namespace kw::profiler_views
