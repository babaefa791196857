#include "profiler_views/timeline/timeline_view.h"

#include "profiler_views/timeline/canvas.h"
#include "profiler_views/timeline/details_model.h"
#include "profiler_views/timeline/overview.h"
#include "profiler_views/timeline/statistics_model.h"
#include "profiler_views/timeline/table_copy.h"
#include "profiler_views/timeline/time_text.h"
#include "profiler_views/timeline/trace_jobs.h"
#include "widgets/empty_state.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QSaveFile>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QSvgGenerator>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>
#include <tuple>

namespace kw::profiler_views {
namespace {

using timeline::EventId;
using timeline::kNoEvent;

QToolButton* tool(const QString& text, const QString& tip) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

QLabel* section(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("kind", QStringLiteral("section"));
    label->setContentsMargins(12, 6, 12, 6);
    label->setTextFormat(Qt::PlainText);
    return label;
}

QString text_of(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

/// Without regard to case. Plain ASCII, which is what is typed, is compared byte by byte: there may be millions of
/// names.
std::function<bool(std::string_view)> substring_matcher(const QString& text) {
    const auto is_ascii = [](QChar c) { return c.unicode() < 0x80; };
    if (!std::ranges::all_of(text, is_ascii))
        return [text](std::string_view name) { return text_of(name).contains(text, Qt::CaseInsensitive); };
    return [wanted = text.toLower().toStdString()](std::string_view name) {
        const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; };
        return !std::ranges::search(name, wanted, same).empty();
    };
}

QTableView* table(QAbstractItemModel* model, const QString& name) {
    auto* view = new QTableView;
    view->setModel(model);
    view->setAccessibleName(name);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setFrameShape(QFrame::NoFrame);
    view->setTabKeyNavigation(false);
    view->verticalHeader()->hide();
    view->verticalHeader()->setDefaultSectionSize(22);
    view->verticalHeader()->setMinimumSectionSize(22);
    view->horizontalHeader()->setHighlightSections(false);
    view->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    view->horizontalHeader()->setMinimumSectionSize(56);
    return view;
}

} // namespace

TimelineView::TimelineView(QWidget* parent)
    : QWidget(parent),
      loader_(new TraceLoader(this)),
      statistics_job_(new StatisticsJob(this)),
      details_model_(new DetailsModel(this)),
      statistics_model_(new StatisticsModel(this)),
      canvas_(new TimelineCanvas),
      overview_(new TimelineOverview),
      pages_(new QStackedWidget),
      empty_(nothing_yet()) {
    setObjectName(QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    build_bar();
    build_panels();
    connect(loader_, &TraceLoader::progressed, this,
            [this](double fraction) { progress_->setValue(static_cast<int>(fraction * 1000)); });
    connect(loader_, &TraceLoader::loaded, this,
            [this](const std::shared_ptr<const timeline::Store>& store, const std::vector<std::uint8_t>& colors) {
                progress_row_->hide();
                set_store(store, colors, false);
                const bool nothing = store->size() == 0 && store->counters().empty();
                if (nothing)
                    show_problem(
                        tr("The trace has no events"),
                        tr("It could be read, and there is nothing in it that could be shown on a time line."));
                Q_EMIT opened(true, nothing ? tr("The trace is open, but has no events") : QString());
            });
    connect(loader_, &TraceLoader::failed, this, [this](const Error& error) {
        progress_row_->hide();
        const QString why = QString::fromStdString(error.message);
        show_problem(tr("The trace cannot be opened"), why);
        Q_EMIT opened(false, why);
    });
    connect(cancel_, &QPushButton::clicked, this, [this] {
        loader_->cancel();
        progress_row_->hide();
        Q_EMIT opened(false, tr("Opening was stopped"));
    });
    connect(canvas_, &TimelineCanvas::view_changed, this, [this] {
        overview_->set_shown(canvas_->scene().view, scene_parts(canvas_->width(), canvas_->height()).label_width);
    });
    connect(overview_, &TimelineOverview::moved, canvas_, &TimelineCanvas::set_view);
    connect(canvas_, &TimelineCanvas::selected_changed, this, &TimelineView::show_selected);
    live_delay_.setSingleShot(true);
    connect(&live_delay_, &QTimer::timeout, this, &TimelineView::show_live);
    constexpr int kSettleMs = 80;
    statistics_delay_.setSingleShot(true);
    statistics_delay_.setInterval(kSettleMs);
    connect(&statistics_delay_, &QTimer::timeout, this, &TimelineView::start_statistics);
    connect(canvas_, &TimelineCanvas::selection_changed, &statistics_delay_, qOverload<>(&QTimer::start));
    connect(canvas_, &TimelineCanvas::search_requested, this, [this] {
        search_->setFocus(Qt::ShortcutFocusReason);
        search_->selectAll();
    });
    connect(canvas_, &TimelineCanvas::step_requested, this, &TimelineView::step);
    connect(canvas_, &TimelineCanvas::clear_requested, search_, &QLineEdit::clear);
    connect(statistics_job_, &StatisticsJob::finished, this,
            [this](const std::shared_ptr<const timeline::Store>& store, const timeline::Statistics& statistics) {
                statistics_model_->set(store, statistics);
                show_statistics(statistics);
            });
    clear();
}

TimelineView::~TimelineView() {
    loader_->cancel();
    statistics_job_->cancel();
}

void TimelineView::build_bar() {
    search_ = new QLineEdit;
    search_->setPlaceholderText(tr("Find events by name  ( / )"));
    search_->setAccessibleName(tr("Find events by name"));
    search_->setClearButtonEnabled(true);
    search_->setMinimumWidth(140);
    search_->setMaximumWidth(320);
    pattern_ = tool(QStringLiteral(".*"), tr("Regular expression"));
    pattern_->setCheckable(true);
    previous_ = tool(QStringLiteral("‹"), tr("Previous match (Shift+N)"));
    next_ = tool(QStringLiteral("›"), tr("Next match (N)"));
    count_ = new QLabel;
    count_->setProperty("tone", QStringLiteral("quiet"));
    count_->setAccessibleName(tr("Matches"));
    fit_ = tool(tr("Fit"), tr("Show all, or what is selected (F)"));
    export_ = tool(tr("Export…"), tr("Write a picture of what is shown, PNG or SVG"));
    connect(search_, &QLineEdit::textChanged, this, &TimelineView::apply_search);
    connect(search_, &QLineEdit::returnPressed, this, [this] {
        step(true);
        canvas_->setFocus();
    });
    connect(pattern_, &QToolButton::toggled, this, &TimelineView::apply_search);
    connect(previous_, &QToolButton::clicked, this, [this] { step(false); });
    connect(next_, &QToolButton::clicked, this, [this] { step(true); });
    connect(fit_, &QToolButton::clicked, canvas_, &TimelineCanvas::fit);
    connect(export_, &QToolButton::clicked, this, &TimelineView::ask_export);
    auto* leave = new QShortcut(QKeySequence(Qt::Key_Escape), search_);
    leave->setContext(Qt::WidgetShortcut);
    connect(leave, &QShortcut::activated, this, [this] {
        search_->clear();
        canvas_->setFocus();
    });

    progress_ = new QProgressBar;
    progress_->setTextVisible(false);
    progress_->setRange(0, 1000);
    progress_->setAccessibleName(tr("Opening the trace"));
    cancel_ = new QPushButton(tr("Cancel"));
    progress_row_ = new QWidget;
    auto* progress_layout = new QHBoxLayout(progress_row_);
    progress_layout->setContentsMargins(12, 4, 12, 4);
    progress_layout->addWidget(new QLabel(tr("Opening…")));
    progress_layout->addWidget(progress_, 1);
    progress_layout->addWidget(cancel_);
    progress_row_->hide();
    warning_ = new QLabel;
    warning_->setProperty("tone", QStringLiteral("warn"));
    warning_->setTextFormat(Qt::PlainText);
    warning_->setContentsMargins(12, 4, 12, 4);
    warning_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    warning_->hide();
}

void TimelineView::build_panels() {
    auto* bar = new QWidget;
    bar->setObjectName(QStringLiteral("paneHeader"));
    bar->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(4);
    for (QWidget* widget :
         {static_cast<QWidget*>(search_), static_cast<QWidget*>(pattern_), static_cast<QWidget*>(previous_),
          static_cast<QWidget*>(next_), static_cast<QWidget*>(count_)})
        row->addWidget(widget);
    row->setStretchFactor(search_, 1);
    row->addStretch(1);
    row->addWidget(fit_);
    row->addWidget(export_);

    details_ = table(details_model_, tr("Details of the selected event"));
    details_->horizontalHeader()->setStretchLastSection(true);
    details_->setColumnWidth(0, 160);
    statistics_ = table(statistics_model_, tr("Statistics by name"));
    statistics_->setSortingEnabled(true);
    statistics_->sortByColumn(StatisticsModel::kTotal, Qt::DescendingOrder);
    statistics_->horizontalHeader()->setSectionResizeMode(StatisticsModel::kName, QHeaderView::Stretch);
    for (int column = StatisticsModel::kCount; column < StatisticsModel::kColumns; ++column)
        statistics_->setColumnWidth(column, 88);
    add_copy(details_, [this] { return details_model_->tsv(); });
    add_copy(statistics_, [this] {
        std::vector<int> rows;
        for (const auto& index : statistics_->selectionModel()->selectedRows()) rows.push_back(index.row());
        return statistics_model_->tsv(rows);
    });
    connect(statistics_, &QTableView::activated, this, [this](const QModelIndex& index) {
        canvas_->select(index.data(StatisticsModel::kEventRole).toUInt(), true);
    });
    const auto panel = [](QLabel* title, QWidget* content) {
        auto* widget = new QWidget;
        auto* layout = new QVBoxLayout(widget);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(0);
        layout->addWidget(title);
        layout->addWidget(content, 1);
        return widget;
    };
    details_title_ = section(tr("Details"));
    statistics_title_ = section(tr("Statistics"));
    auto* below = new QSplitter(Qt::Horizontal);
    below->setHandleWidth(1);
    below->setChildrenCollapsible(false);
    below->addWidget(panel(statistics_title_, statistics_));
    below->addWidget(panel(details_title_, details_));
    below->setStretchFactor(0, 3);
    below->setStretchFactor(1, 2);
    splitter_ = new QSplitter(Qt::Vertical);
    splitter_->setHandleWidth(1);
    splitter_->addWidget(canvas_);
    splitter_->addWidget(below);
    splitter_->setCollapsible(0, false);
    splitter_->setStretchFactor(0, 1);
    splitter_->setSizes({500, 190});

    content_ = new QWidget;
    auto* column = new QVBoxLayout(content_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar);
    column->addWidget(warning_);
    column->addWidget(overview_);
    column->addWidget(splitter_, 1);
    pages_->addWidget(empty_);
    pages_->addWidget(content_);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(progress_row_);
    all->addWidget(pages_, 1);
}

void TimelineView::open(const std::filesystem::path& path) {
    progress_->setValue(0);
    progress_row_->show();
    loader_->open(path);
}

void TimelineView::show(std::shared_ptr<const timeline::Store> store) {
    loader_->cancel();
    progress_row_->hide();
    auto colors = store ? name_colors_of(*store) : std::vector<std::uint8_t>{};
    set_store(std::move(store), std::move(colors), false);
}

void TimelineView::show_report(const profile::Report& report, const std::vector<timeline::Stage>& stages) {
    live_delay_.stop();
    show(timeline::store_of(report, stages));
    using timeline::Ns;
    Ns begin = std::numeric_limits<Ns>::max(), end = 0;
    for (const auto& counter : store_->counters())
        for (const auto& series : counter.series)
            if (!series.times.empty()) {
                begin = std::min(begin, series.times.front());
                end = std::max(end, series.end);
            }
    if (begin >= end) return;
    // Samples go on for a while after the work that they are about.
    Ns first = end, last = begin;
    for (std::uint32_t lane = 0; lane < store_->lanes().size(); ++lane) {
        if (store_->groups()[store_->lanes()[lane].group].counters.empty()) continue;
        for (const EventId event : timeline::events_in(*store_, lane, begin, end)) {
            first = std::min(first, store_->start(event));
            last = std::max(last, store_->end(event));
        }
    }
    if (first >= last) std::tie(first, last) = std::pair{begin, end};
    constexpr double kRoom = 0.5; // of what is shown, to either side
    const double room = static_cast<double>(last - first) * kRoom;
    canvas_->fit_to(static_cast<double>(first) - room, static_cast<double>(last) + room);
}

void TimelineView::start_live() {
    clear();
    live_ = {};
    live_cost_ms_ = 0;
    since_live_.start();
}

void TimelineView::append(const profile::LiveUpdate& update) {
    live_.append(update);
    if (live_delay_.isActive()) return;
    // A fifth of the time at most is spent on showing, so that there is always time for the pointer and the keys.
    constexpr qint64 kCheapMs = 4, kShare = 4;
    const qint64 wait = live_cost_ms_ * kShare - since_live_.elapsed();
    if (live_cost_ms_ <= kCheapMs || wait <= 0) return show_live();
    live_delay_.start(static_cast<int>(wait));
}

void TimelineView::show_live() {
    QElapsedTimer cost;
    cost.start();
    auto store = live_.snapshot();
    auto colors = name_colors_of(*store);
    set_store(std::move(store), std::move(colors), true);
    live_cost_ms_ = cost.elapsed();
    since_live_.start();
}

void TimelineView::clear() {
    live_delay_.stop();
    show_empty(nothing_yet());
    show({});
}

void TimelineView::show_problem(const QString& title, const QString& why) {
    show_empty(new widgets::EmptyState(title, why));
    set_store({}, {}, false);
}

void TimelineView::show_empty(widgets::EmptyState* page) {
    pages_->removeWidget(empty_);
    delete std::exchange(empty_, page);
    pages_->insertWidget(0, empty_);
}

widgets::EmptyState* TimelineView::nothing_yet() {
    return new widgets::EmptyState(tr("No timeline yet"), tr("Profile a kernel, or drop a trace here: Chrome or Kineto "
                                                             "JSON (also .gz), or an Nsight Systems SQLite export."));
}

void TimelineView::set_store(std::shared_ptr<const timeline::Store> store, std::vector<std::uint8_t> colors,
                             bool keep_place) {
    store_ = std::move(store);
    const EventId selected_before = canvas_->scene().selected;
    canvas_->set_store(store_, std::move(colors), keep_place);
    overview_->set_store(store_);
    overview_->set_shown(canvas_->scene().view, scene_parts(canvas_->width(), canvas_->height()).label_width);
    pages_->setCurrentWidget(store_ && !store_->empty() ? content_ : static_cast<QWidget*>(empty_));
    const auto warnings = store_ ? store_->warnings() : std::span<const std::string>{};
    QStringList lines;
    for (const auto& warning : warnings) lines << QString::fromStdString(warning);
    constexpr qsizetype kShown = 2;
    const qsizetype more = lines.size() - kShown;
    warning_->setToolTip(lines.join(QLatin1Char('\n')));
    warning_->setText(lines.mid(0, kShown).join(QLatin1Char('\n'))
                      % (more > 0 ? tr("\n… and %1 more").arg(more) : QString()));
    warning_->setVisible(!lines.isEmpty());
    apply_search();
    if (!keep_place || selected_before == kNoEvent) show_selected(canvas_->scene().selected);
    statistics_delay_.start();
}

void TimelineView::search(const QString& text, bool pattern) {
    pattern_->setChecked(pattern);
    search_->setText(text);
}

void TimelineView::apply_search() {
    const QString text = search_->text();
    if (!store_ || text.isEmpty()) {
        canvas_->set_matches({});
        return show_count();
    }
    if (pattern_->isChecked()) {
        const QRegularExpression expression(text, QRegularExpression::CaseInsensitiveOption);
        if (!expression.isValid()) {
            canvas_->set_matches({});
            count_->setText(tr("not a regular expression: %1").arg(expression.errorString()));
            return;
        }
        canvas_->set_matches(timeline::NameSet(
            store_->names(), [&](std::string_view n) { return expression.match(text_of(n)).hasMatch(); }));
    } else {
        canvas_->set_matches(timeline::NameSet(store_->names(), substring_matcher(text)));
    }
    show_count();
}

void TimelineView::show_count() {
    const auto& matches = canvas_->scene().matches;
    previous_->setEnabled(matches && !matches->empty());
    next_->setEnabled(matches && !matches->empty());
    if (!matches || !store_) return count_->clear();
    const EventId at = canvas_->scene().selected;
    const auto count = timeline::count_matches(*store_, *matches, at);
    if (count.total == 0)
        count_->setText(tr("no match"));
    else if (at != kNoEvent && matches->contains(store_->name_id(at)))
        count_->setText(tr("%1 of %2").arg(count.before + 1).arg(count.total));
    else
        count_->setText(count.total == 1 ? tr("1 match") : tr("%1 matches").arg(count.total));
}

void TimelineView::step(bool forward) {
    const auto& matches = canvas_->scene().matches;
    if (!matches || !store_) return;
    const EventId at = canvas_->scene().selected;
    EventId found =
        forward ? timeline::next_match(*store_, *matches, at) : timeline::previous_match(*store_, *matches, at);
    // Past the last one comes the first.
    if (found == kNoEvent && at != kNoEvent)
        found = forward ? timeline::next_match(*store_, *matches, kNoEvent)
                        : timeline::previous_match(*store_, *matches, kNoEvent);
    if (found != kNoEvent) canvas_->select(found, true);
}

void TimelineView::show_selected(EventId event) {
    details_model_->set(store_.get(), event);
    details_title_->setText(event == kNoEvent ? tr("Details: select an event") : tr("Details"));
    show_count();
}

void TimelineView::show_statistics(const timeline::Statistics& statistics) {
    const timeline::Ns length = statistics.end - statistics.begin;
    const QString of = canvas_->scene().selection ? tr("Selection of %1").arg(duration_text(length))
                                                  : tr("All of %1").arg(duration_text(length));
    if (statistics.count == 0) return statistics_title_->setText(tr("%1: no events").arg(of));
    const auto busiest = std::ranges::max_element(statistics.lanes, {}, &timeline::LaneStatistics::busy);
    const double share =
        100.0 * static_cast<double>(busiest->busy) / static_cast<double>(std::max<timeline::Ns>(1, length));
    statistics_title_->setText(tr("%1: %2 events; busiest: %3, %4 %")
                                   .arg(of, QString::number(statistics.count),
                                        QString::fromStdString(store_ && busiest->lane < store_->lanes().size()
                                                                   ? store_->lanes()[busiest->lane].label
                                                                   : std::string()),
                                        QString::number(share, 'f', 1)));
}

void TimelineView::start_statistics() {
    if (!store_ || store_->empty()) {
        statistics_job_->cancel();
        statistics_model_->clear();
        return;
    }
    if (const auto& selection = canvas_->scene().selection) {
        statistics_job_->start(store_, selection->lanes, selection->begin, selection->end);
        return;
    }
    std::vector<std::uint32_t> lanes(store_->lanes().size());
    for (std::uint32_t i = 0; i < lanes.size(); ++i) lanes[i] = i;
    statistics_job_->start(store_, std::move(lanes), 0, store_->end() + 1);
}

void TimelineView::ask_export() {
    const QString file = QFileDialog::getSaveFileName(this, tr("Export the timeline"), QStringLiteral("timeline.svg"),
                                                      tr("Pictures (*.svg *.png)"));
    if (file.isEmpty()) return;
    if (const auto done = export_picture(file.toStdString()); !done) {
        warning_->setText(QString::fromStdString(done.error().message));
        warning_->show();
    }
}

Result<void> TimelineView::export_picture(const std::filesystem::path& path) {
    const QString file = QString::fromStdString(path.string());
    const auto refused = [&](const char* why) {
        return fail(Stage::environment, ErrorCode::invalid_input, "cannot write " + path.string() + ": " + why);
    };
    if (path.extension() == ".svg") {
        QSaveFile out(file);
        if (!out.open(QIODevice::WriteOnly)) return refused(qPrintable(out.errorString()));
        QSvgGenerator svg;
        svg.setOutputDevice(&out);
        svg.setSize(canvas_->size());
        svg.setViewBox(QRect(QPoint(), canvas_->size()));
        svg.setTitle(tr("Timeline"));
        {
            QPainter painter(&svg);
            canvas_->draw(painter, true);
        }
        if (!out.commit()) return refused(qPrintable(out.errorString()));
        return {};
    }
    if (path.extension() != ".png") return refused("pictures are .png or .svg");
    QImage image(canvas_->size() * canvas_->devicePixelRatioF(), QImage::Format_RGB32);
    image.setDevicePixelRatio(canvas_->devicePixelRatioF());
    {
        QPainter painter(&image);
        canvas_->draw(painter, false);
    }
    if (!image.save(file)) return refused("the file cannot be written");
    return {};
}

} // namespace kw::profiler_views
