#include "profiler_views/metrics/metrics_view.h"

#include "engine/profile/findings.h"
#include "profiler_views/metrics/cell_table.h"
#include "profiler_views/metrics/metric_panel.h"
#include "profiler_views/metrics/metric_text.h"
#include "profiler_views/metrics/section_flow.h"
#include "widgets/clear_layout.h"
#include "widgets/empty_state.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace kw::profiler_views {
namespace {

constexpr int kColumnWidth = 520;        ///< the table of memory fits
constexpr int kLeastWidthForPanel = 900; ///< below it the panel stands under the tables

QLabel* paragraph() {
    auto* label = new QLabel;
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QString kind_text(profile::Finding::Kind kind) {
    switch (kind) {
    case profile::Finding::Kind::bound: return MetricsView::tr("Bound");
    case profile::Finding::Kind::waiting: return MetricsView::tr("Latency");
    case profile::Finding::Kind::stall: return MetricsView::tr("Stalls");
    case profile::Finding::Kind::occupancy: return MetricsView::tr("Occupancy");
    case profile::Finding::Kind::grid: return MetricsView::tr("Grid");
    case profile::Finding::Kind::memory: return MetricsView::tr("Memory");
    case profile::Finding::Kind::divergence: return MetricsView::tr("Divergence");
    }
    return {};
}

QLabel* heading(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("kind", QStringLiteral("section"));
    return label;
}

} // namespace

MetricsView::MetricsView(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    build_bar();
    build_pages();
    clear();
}

void MetricsView::build_bar() {
    bar_ = new QWidget;
    bar_->setObjectName(QStringLiteral("paneHeader"));
    bar_->setAttribute(Qt::WA_StyledBackground);
    launches_ = new QComboBox;
    launches_->setAccessibleName(tr("Launch"));
    launches_->setToolTip(tr("The launch whose metrics are shown"));
    launches_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(launches_, &QComboBox::activated, this, &MetricsView::show_launch);
    auto* group = new QButtonGroup(this);
    const std::pair<QString, QString> names[] = {{tr("Summary"), tr("What limits the launch, section by section")},
                                                 {tr("All metrics"), tr("Every metric with where it comes from")},
                                                 {tr("Lines"), tr("Metrics of source lines")}};
    for (int i = 0; i < 3; ++i) {
        auto* button = new QToolButton;
        button->setText(names[i].first);
        button->setToolTip(names[i].second);
        button->setAccessibleName(names[i].first);
        button->setCheckable(true);
        button->setFocusPolicy(Qt::TabFocus);
        group->addButton(button, i);
        page_buttons_[i] = button;
    }
    connect(group, &QButtonGroup::idClicked, this, [this](int id) { show_page(static_cast<Page>(id)); });
    filter_ = new QLineEdit;
    filter_->setPlaceholderText(tr("Filter"));
    filter_->setAccessibleName(tr("Filter metrics"));
    filter_->setClearButtonEnabled(true);
    filter_->setMaximumWidth(220);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        all_->set_filter(text);
        lines_->set_filter(text);
    });
    copy_ = new QToolButton;
    copy_->setText(tr("Copy"));
    copy_->setToolTip(tr("Copy the table, to paste it into a spreadsheet"));
    copy_->setAccessibleName(tr("Copy the table"));
    copy_->setFocusPolicy(Qt::TabFocus);
    connect(copy_, &QToolButton::clicked, this,
            [this] { (stack_->currentIndex() == static_cast<int>(Page::lines) ? lines_ : all_)->copy(); });
    compared_ = new QLabel;
    compared_->setProperty("tone", QStringLiteral("quiet"));
    badge_ = new QLabel;
    badge_->setProperty("kind", QStringLiteral("badge"));
    profiler_ = new QLabel;
    profiler_->setProperty("tone", QStringLiteral("quiet"));
    profiler_->setMinimumWidth(1);
    compared_->setMinimumWidth(1);
    auto* row = new QHBoxLayout(bar_);
    row->setContentsMargins(8, 4, 12, 4);
    row->setSpacing(4);
    row->addWidget(launches_);
    row->addSpacing(8);
    for (auto* button : page_buttons_) row->addWidget(button);
    row->addSpacing(8);
    row->addWidget(filter_, 1);
    row->addWidget(copy_);
    row->addStretch(1);
    row->addWidget(compared_);
    row->addSpacing(8);
    row->addWidget(profiler_);
    row->addSpacing(4);
    row->addWidget(badge_);
}

MetricsView::Section MetricsView::add_section(const QString& name) {
    Section section{.widget = new QWidget, .title = nullptr, .table = new CellTable(name, {}), .note = paragraph()};
    section.table->set_whole(true);
    section.table->set_sortable(false);
    section.table->setSelectionMode(QAbstractItemView::SingleSelection);
    section.note->setProperty("tone", QStringLiteral("quiet"));
    section.note->setContentsMargins(8, 0, 8, 0);
    auto* layout = new QVBoxLayout(section.widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(section.table);
    layout->addWidget(section.note);
    connect(section.table, &CellTable::current_id_changed, this, &MetricsView::select);
    flow_->add(section.widget);
    return section;
}

void MetricsView::build_pages() {
    flow_ = new SectionFlow(kColumnWidth);
    auto* limits = new QWidget;
    auto* limits_layout = new QVBoxLayout(limits);
    limits_layout->setContentsMargins(8, 0, 8, 0);
    limits_layout->setSpacing(6);
    limits_layout->addWidget(heading(tr("What limits this launch")));
    findings_ = new QWidget;
    findings_grid_ = new QGridLayout(findings_);
    findings_grid_->setContentsMargins(0, 0, 0, 0);
    findings_grid_->setHorizontalSpacing(8);
    findings_grid_->setVerticalSpacing(4);
    findings_grid_->setColumnStretch(1, 1);
    findings_->setAccessibleName(tr("What limits this launch"));
    problems_ = paragraph();
    problems_->setProperty("tone", QStringLiteral("quiet"));
    problems_->setAccessibleName(tr("What could not be profiled"));
    limits_layout->addWidget(findings_);
    limits_layout->addWidget(problems_);
    flow_->add(limits, true);
    speed_ = add_section(tr("Speed of light"));
    memory_ = add_section(tr("Memory"));
    stalls_ = add_section(tr("Stalls"));
    launch_section_ = add_section(tr("Launch"));
    occupancy_ = add_section(tr("Occupancy"));
    scheduler_ = add_section(tr("Scheduler"));
    instructions_ = add_section(tr("Instructions"));

    auto* scroll = new QScrollArea;
    scroll->setAccessibleName(tr("Metrics by section"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    flow_->setObjectName(QStringLiteral("panel"));
    flow_->setAttribute(Qt::WA_StyledBackground);
    scroll->setWidget(flow_);

    all_ = new CellTable(tr("All metrics"), QStringLiteral("metrics"));
    connect(all_, &CellTable::current_id_changed, this, &MetricsView::select);
    lines_ = new CellTable(tr("Metrics of source lines"), QStringLiteral("lines"));
    connect(lines_, &CellTable::row_activated, this, [this](const QString&, const QString& file, int line) {
        if (line > 0) Q_EMIT go_to_requested(file, line, 1);
    });
    lines_missing_ = paragraph();
    lines_missing_->setProperty("tone", QStringLiteral("quiet"));
    lines_missing_->setAlignment(Qt::AlignCenter);
    lines_missing_->setContentsMargins(32, 32, 32, 32);
    lines_stack_ = new QStackedWidget;
    lines_stack_->addWidget(lines_);
    lines_stack_->addWidget(lines_missing_);
    stack_ = new QStackedWidget;
    for (QWidget* page :
         {static_cast<QWidget*>(scroll), static_cast<QWidget*>(all_), static_cast<QWidget*>(lines_stack_)})
        stack_->addWidget(page);

    panel_ = new MetricPanel;
    panel_->setMinimumWidth(180);
    splitter_ = new QSplitter(Qt::Horizontal);
    splitter_->setHandleWidth(1);
    splitter_->addWidget(stack_);
    splitter_->addWidget(panel_);
    splitter_->setStretchFactor(0, 1);
    splitter_->setCollapsible(0, false);
    splitter_->setSizes({1000, 240});

    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar_);
    column->addWidget(splitter_, 1);
    empty_ = new widgets::EmptyState(tr("No profile yet"), tr("Profile the kernel to see what limits it: how near each "
                                                              "unit is to its peak, what warps wait for, and which "
                                                              "lines take the time."));
    pages_ = new QStackedWidget;
    pages_->addWidget(empty_);
    pages_->addWidget(content);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(pages_);
    show_page(Page::summary);
}

void MetricsView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const auto orientation = width() < kLeastWidthForPanel ? Qt::Vertical : Qt::Horizontal;
    // Where there is no room for it, the badge alone says what kind of numbers these are.
    profiler_->setVisible(width() >= kLeastWidthForPanel);
    if (splitter_->orientation() == orientation) return;
    splitter_->setOrientation(orientation);
    splitter_->setSizes({1000, orientation == Qt::Vertical ? 180 : 240});
}

void MetricsView::clear() {
    report_.reset();
    before_.reset();
    pages_->setCurrentIndex(0);
}

void MetricsView::set_sources(std::map<std::string, std::string> sources) {
    sources_ = std::move(sources);
    if (report_) refresh();
}

void MetricsView::show(const profile::Report& report, const std::optional<profile::Report>& before,
                       const QString& before_name) {
    // The launch that was looked at stays, where there is one of its name.
    const QString kernel = launches_->currentText();
    report_ = report;
    before_ = before;
    before_name_ = before_name;
    launches_->clear();
    for (std::size_t i = 0; i < report.launches.size(); ++i)
        launches_->addItem(report.launches.size() > 1
                               ? QStringLiteral("%1  %2").arg(i + 1).arg(text_of(report.launches[i].kernel))
                               : text_of(report.launches[i].kernel));
    launch_ = std::max(0, launches_->findText(kernel));
    launches_->setCurrentIndex(report.launches.empty() ? -1 : launch_);
    launches_->setEnabled(report.launches.size() > 1);
    pages_->setCurrentIndex(1);
    refresh();
}

void MetricsView::show_launch(int index) {
    if (!report_ || index < 0 || static_cast<std::size_t>(index) >= report_->launches.size()) return;
    launch_ = index;
    launches_->setCurrentIndex(index);
    refresh();
    Q_EMIT launch_changed(index);
}

void MetricsView::show_page(Page page) {
    stack_->setCurrentIndex(static_cast<int>(page));
    page_buttons_[static_cast<int>(page)]->setChecked(true);
    filter_->setVisible(page != Page::summary);
    copy_->setVisible(page != Page::summary);
    panel_->setVisible(page != Page::lines);
}

LaunchPair MetricsView::pair() const {
    if (!report_ || report_->launches.empty()) return {.report = report_ ? &*report_ : nullptr};
    const auto index = static_cast<std::size_t>(launch_);
    return {.report = &*report_,
            .launch = &report_->launches[index],
            .before = before_ ? counterpart(*report_, index, *before_) : nullptr};
}

QString MetricsView::missing_reason(profile::Rung rung) const {
    const auto* state = rung_of(*report_, rung);
    if (!state) return tr("This profile does not have it.");
    const QString problem = rung_problem(*state);
    if (!problem.isEmpty()) return problem;
    return report_->estimated ? tr("The simulator does not model it; profile on a GPU to see it.")
                              : tr("The set of metrics that was asked for leaves it out; profile with the set “full”.");
}

void MetricsView::show_section(Section& section, CellTableData content, const QString& missing) {
    const bool has = !content.rows.empty();
    section.table->set(std::move(content.columns), std::move(content.rows));
    section.table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    // The column with the bars, or the first, takes what room there is.
    const int bars = &section == &memory_ ? 0 : 1;
    if (section.table->cells().columnCount() > bars)
        section.table->horizontalHeader()->setSectionResizeMode(bars, QHeaderView::Stretch);
    section.note->setText(has ? QString() : missing);
    section.note->setVisible(!has && !missing.isEmpty());
    section.widget->setVisible(has || !missing.isEmpty());
}

void MetricsView::show_findings() {
    widgets::clear_layout(*findings_grid_);
    auto found = profile::findings(*report_, static_cast<std::size_t>(launch_));
    if (found.empty())
        found.push_back({profile::Finding::Kind::bound, tr("The metrics at hand do not say.").toStdString(), {}});
    int row = 0;
    for (const auto& finding : found) {
        auto* kind = new QLabel(kind_text(finding.kind));
        kind->setProperty("tone", finding.kind == profile::Finding::Kind::bound ? QStringLiteral("info")
                                                                                : QStringLiteral("warn"));
        auto* text = paragraph();
        text->setText(text_of(finding.text).replace(QStringLiteral(" %"), QStringLiteral("\u00a0%")));
        findings_grid_->addWidget(kind, row, 0, Qt::AlignTop);
        findings_grid_->addWidget(text, row, 1);
        ++row;
    }
    // Before anyone selects a metric, the one that says most is explained.
    if (selected_.isEmpty() && !found.front().metrics.empty()) selected_ = text_of(found.front().metrics.front());
}

void MetricsView::show_problems() {
    QStringList lines;
    if (report_->fault)
        lines << tr("The kernel faulted while it was profiled: %1").arg(text_of(report_->fault->message));
    for (const auto& state : report_->rungs)
        if (const QString problem = rung_problem(state); !problem.isEmpty()) lines << problem;
    if (report_->sampled) lines << tr("The simulator executed some of the blocks and scaled what it counted.");
    problems_->setText(lines.join(QLatin1Char('\n')));
    problems_->setVisible(!lines.isEmpty());
}

void MetricsView::refresh() {
    const LaunchPair now = pair();
    badge_->setText(report_->estimated ? tr("estimated") : tr("measured"));
    badge_->setToolTip(report_->estimated ? tr("By the simulator's model of the GPU, not by a GPU")
                                          : tr("By the hardware counters of the GPU"));
    profiler_->setText(QStringLiteral("%1 · %2").arg(text_of(report_->device.name), text_of(report_->profiler)));
    compared_->setVisible(before_.has_value());
    if (before_)
        compared_->setText(now.before ? tr("compared with %1").arg(before_name_.isEmpty() ? tr("before") : before_name_)
                                      : tr("no such launch before"));
    show_findings();
    show_problems();
    if (!now.launch) {
        for (Section* section :
             {&speed_, &memory_, &stalls_, &launch_section_, &occupancy_, &scheduler_, &instructions_})
            section->widget->hide();
        all_->set({}, {});
        lines_stack_->setCurrentIndex(1);
        lines_missing_->setText(tr("The profile has no launch."));
        panel_->show_metric({}, {});
        flow_->arrange();
        return;
    }
    const QString counters = missing_reason(profile::Rung::counters);
    show_section(speed_, speed_of_light(now), tr("Speed of light: %1").arg(counters));
    show_section(memory_, memory_table(now), tr("Memory: %1").arg(counters));
    show_section(stalls_, stall_table(now), tr("Stalls: %1").arg(counters));
    if (const auto sentences = stall_sentences(now, 3); !sentences.isEmpty()) {
        stalls_.note->setText(sentences.join(QLatin1Char('\n')));
        stalls_.note->show();
    }
    show_section(launch_section_, launch_table(now), {});
    show_section(occupancy_, group_table(now, "launch"), {});
    show_section(scheduler_, group_table(now, "scheduler"), {});
    show_section(instructions_, group_table(now, "instructions"), {});
    auto metrics = all_metrics(now);
    all_->set(std::move(metrics.columns), std::move(metrics.rows));
    auto lines = line_table(now, sources_);
    const bool has_lines = !lines.rows.empty();
    if (has_lines) lines_->set(std::move(lines.columns), std::move(lines.rows));
    lines_stack_->setCurrentIndex(has_lines ? 0 : 1);
    lines_missing_->setText(
        tr("Nothing is known per source line. %1")
            .arg(missing_reason(report_->estimated ? profile::Rung::counters : profile::Rung::pc_sampling)));
    panel_->show_metric(selected_, now);
    flow_->arrange();
}

void MetricsView::select(const QString& id) {
    if (selecting_ || id.isEmpty() || !report_) return;
    selecting_ = true;
    selected_ = id;
    panel_->show_metric(id, pair());
    // One metric is selected, wherever it is shown.
    for (Section* section : {&speed_, &memory_, &stalls_, &occupancy_, &scheduler_, &instructions_})
        if (section->table->current_id() != id) section->table->clearSelection();
    if (all_->current_id() != id) all_->select_id(id);
    selecting_ = false;
}

} // namespace kw::profiler_views
