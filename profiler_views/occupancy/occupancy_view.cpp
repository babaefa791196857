#include "profiler_views/occupancy/occupancy_view.h"

#include "engine/profile/roofline.h"
#include "widgets/empty_state.h"
#include "widgets/numbers.h"
#include "widgets/plot.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <QStackedWidget>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace kw::profiler_views {
namespace {

QLabel* label(const char* property, const char* value) {
    auto* made = new QLabel;
    made->setTextFormat(Qt::PlainText);
    if (*property != '\0') made->setProperty(property, QLatin1String(value));
    return made;
}

QString blocks_text(std::uint32_t count) {
    return count == 1 ? OccupancyView::tr("1 block") : OccupancyView::tr("%1 blocks").arg(count);
}

QString percent(double fraction) { return widgets::format_quantity(100 * fraction, QStringLiteral("%")); }

} // namespace

OccupancyView::OccupancyView(QWidget* parent) : QWidget(parent), pages_(new QStackedWidget) {
    setObjectName(QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* content = new QWidget;
    auto* row = new QHBoxLayout(content);
    row->setContentsMargins(16, 12, 12, 8);
    row->setSpacing(20);
    auto* left = new QVBoxLayout;
    left->setSpacing(12);
    left->addWidget(build_result());
    left->addWidget(build_controls());
    left->addStretch(1);
    row->addLayout(left, 0);
    const QString names[] = {tr("Occupancy by threads per block"), tr("Occupancy by registers per thread"),
                             tr("Occupancy by shared memory per block")};
    for (std::size_t i = 0; i < plots_.size(); ++i) {
        plots_[i] = new widgets::Plot(names[i]);
        row->addWidget(plots_[i], 1);
    }
    // A click on a curve takes its number over.
    const auto take = [this](std::size_t which, auto&& change) {
        connect(plots_[which], &widgets::Plot::clicked, this, [this, which, change](widgets::PlotPick pick) {
            const auto& point = plots_[which]
                                    ->data()
                                    .series[static_cast<std::size_t>(pick.series)]
                                    .points[static_cast<std::size_t>(pick.point)];
            OccupancyDemand demand = demand_;
            change(demand, static_cast<std::uint32_t>(point.x));
            set_demand(demand);
        });
    };
    take(0, [](OccupancyDemand& demand, std::uint32_t at) { demand.threads = at; });
    take(1, [](OccupancyDemand& demand, std::uint32_t at) { demand.registers = at; });
    take(2, [](OccupancyDemand& demand, std::uint32_t at) {
        demand.dynamic_shared = at > demand.static_shared ? at - demand.static_shared : 0;
    });
    pages_->addWidget(new widgets::EmptyState(
        tr("No launch yet"),
        tr("Run or profile the kernel to see how many of its warps an SM holds, and what limits them.")));
    pages_->addWidget(content);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(pages_);
}

QWidget* OccupancyView::build_result() {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    auto* head = new QHBoxLayout;
    launches_ = new QComboBox;
    launches_->setAccessibleName(tr("Launch"));
    connect(launches_, &QComboBox::activated, this, &OccupancyView::show_launch);
    gpu_ = label("tone", "quiet");
    head->addWidget(launches_);
    head->addWidget(gpu_, 1);
    column->addLayout(head);
    auto* figures = new QHBoxLayout;
    figure_ = label("kind", "figure");
    figure_->setAccessibleName(tr("Theoretical occupancy"));
    warps_ = label("tone", "quiet");
    figures->addWidget(figure_);
    figures->addWidget(warps_, 1, Qt::AlignBottom);
    column->addLayout(figures);
    sentence_ = label("", "");
    sentence_->setWordWrap(true);
    sentence_->setAccessibleName(tr("What limits it"));
    achieved_ = label("tone", "quiet");
    achieved_->setWordWrap(true);
    column->addWidget(sentence_);
    column->addWidget(achieved_);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(2);
    const QString names[] = {tr("Block limit"), tr("Warps"), tr("Registers"), tr("Shared memory")};
    for (std::size_t i = 0; i < allowed_.size(); ++i) {
        names_[i] = label("tone", "quiet");
        names_[i]->setText(names[i]);
        allowed_[i] = label("", "");
        allowed_[i]->setAccessibleName(tr("Blocks that it allows: %1").arg(names[i]));
        allowed_[i]->setAlignment(Qt::AlignRight);
        grid->addWidget(names_[i], static_cast<int>(i), 0);
        grid->addWidget(allowed_[i], static_cast<int>(i), 1);
    }
    grid->setColumnStretch(2, 1);
    column->addLayout(grid);
    return box;
}

OccupancyView::Control OccupancyView::add_control(QGridLayout* grid, int row, const QString& name, int low, int high,
                                                  int step, std::uint32_t OccupancyDemand::* member) {
    Control control{new QSlider(Qt::Horizontal), new QSpinBox};
    control.slider->setRange(low, high);
    control.slider->setSingleStep(step);
    control.slider->setPageStep(step * 4);
    control.slider->setAccessibleName(name);
    control.slider->setMinimumWidth(110);
    control.box->setRange(low, high);
    control.box->setSingleStep(step);
    control.box->setAccessibleName(name);
    control.box->setButtonSymbols(QAbstractSpinBox::NoButtons);
    control.box->setAlignment(Qt::AlignRight);
    const auto change = [this, member](int value) {
        if (setting_) return;
        OccupancyDemand demand = demand_;
        demand.*member = static_cast<std::uint32_t>(value);
        set_demand(demand);
    };
    connect(control.slider, &QSlider::valueChanged, this,
            [change, step, low](int value) { change(value == low ? low : std::max(low, value / step * step)); });
    connect(control.box, &QSpinBox::valueChanged, this, change);
    auto* text = label("tone", "quiet");
    text->setText(name);
    text->setBuddy(control.slider);
    grid->addWidget(text, row, 0);
    grid->addWidget(control.slider, row, 1);
    grid->addWidget(control.box, row, 2);
    return control;
}

QWidget* OccupancyView::build_controls() {
    auto* box = new QWidget;
    auto* grid = new QGridLayout(box);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    controls_[0] = add_control(grid, 0, tr("Threads per block"), 1, 1024, 32, &OccupancyDemand::threads);
    controls_[1] = add_control(grid, 1, tr("Registers per thread"), 1, 255, 1, &OccupancyDemand::registers);
    controls_[2] = add_control(grid, 2, tr("Static shared, bytes"), 0, 49152, 128, &OccupancyDemand::static_shared);
    controls_[3] = add_control(grid, 3, tr("Dynamic shared, bytes"), 0, 49152, 128, &OccupancyDemand::dynamic_shared);
    reset_ = new QToolButton;
    reset_->setText(tr("As launched"));
    reset_->setToolTip(tr("Back to the numbers of the launch"));
    reset_->setAccessibleName(tr("Back to the numbers of the launch"));
    reset_->setFocusPolicy(Qt::TabFocus);
    connect(reset_, &QToolButton::clicked, this, &OccupancyView::reset);
    grid->addWidget(reset_, 4, 0, 1, 3, Qt::AlignLeft);
    return box;
}

void OccupancyView::clear() {
    report_.reset();
    pages_->setCurrentIndex(0);
}

void OccupancyView::show(const profile::Report& report, int launch) {
    report_ = report;
    launches_->clear();
    for (const auto& each : report.launches) launches_->addItem(QString::fromStdString(each.kernel));
    launches_->setVisible(report.launches.size() > 1);
    show_limits(QString::fromStdString(report.device.name), profile::sm_limits_of(report.device));
    show_launch(launch);
}

void OccupancyView::show_limits(const QString& gpu, const device::SmLimits& limits) {
    limits_ = limits;
    gpu_->setText(gpu);
    const int shared = static_cast<int>(limits.shared_per_block);
    controls_[1].slider->setMaximum(static_cast<int>(limits.registers_per_thread));
    controls_[1].box->setMaximum(static_cast<int>(limits.registers_per_thread));
    controls_[3].slider->setMaximum(shared);
    controls_[3].box->setMaximum(shared);
    launched_ = demand_;
    pages_->setCurrentIndex(limits.warps > 0 ? 1 : 0);
    refresh();
}

void OccupancyView::show_launch(int launch) {
    if (!report_ || launch < 0 || static_cast<std::size_t>(launch) >= report_->launches.size()) return clear();
    launch_ = launch;
    launches_->setCurrentIndex(launch);
    const auto& of = report_->launches[static_cast<std::size_t>(launch)];
    launched_ = {.threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(of.block.count(), 1024)),
                 .registers = of.registers,
                 .static_shared = of.static_shared_bytes,
                 .dynamic_shared = of.dynamic_shared_bytes};
    reset();
}

void OccupancyView::reset() { set_demand(launched_); }

void OccupancyView::set_demand(const OccupancyDemand& demand) {
    const bool changed = demand != demand_;
    demand_ = demand;
    refresh();
    if (changed) Q_EMIT demand_changed();
}

void OccupancyView::refresh() {
    if (limits_.warps == 0) return;
    setting_ = true;
    const std::uint32_t values[] = {demand_.threads, demand_.registers, demand_.static_shared, demand_.dynamic_shared};
    for (std::size_t i = 0; i < controls_.size(); ++i) {
        controls_[i].slider->setValue(static_cast<int>(values[i]));
        controls_[i].box->setValue(static_cast<int>(values[i]));
    }
    setting_ = false;
    const auto fit = device::occupancy(limits_, demand_.threads, demand_.registers, demand_.shared());
    figure_->setText(percent(fit.fraction));
    warps_->setText(
        tr("%1 of %2 warps; %3 per SM").arg(fit.warps_per_sm).arg(limits_.warps).arg(blocks_text(fit.blocks_per_sm)));
    sentence_->setText(limiter_sentence(limits_, demand_));
    for (std::size_t i = 0; i < allowed_.size(); ++i) {
        const bool limits = device::kLimiters[i] == fit.limiter;
        allowed_[i]->setText(fit.allowed[i] == UINT32_MAX ? tr("no limit") : blocks_text(fit.allowed[i]));
        for (auto* text : {allowed_[i], names_[i]}) {
            text->setProperty("tone", limits ? QStringLiteral("warn") : QStringLiteral("quiet"));
            text->style()->unpolish(text);
            text->style()->polish(text);
        }
    }
    achieved_->hide();
    if (report_) {
        const auto& metrics = report_->launches[static_cast<std::size_t>(launch_)].metrics;
        const auto achieved = metrics.find("achieved_occupancy");
        achieved_->setVisible(achieved != metrics.end());
        if (achieved != metrics.end())
            achieved_->setText(tr("Achieved when it was measured: %1").arg(percent(achieved->second / 100)));
    }
    reset_->setEnabled(demand_ != launched_);
    plots_[0]->set_data(occupancy_by_block_plot(limits_, demand_));
    plots_[1]->set_data(occupancy_by_registers_plot(limits_, demand_));
    plots_[2]->set_data(occupancy_by_shared_plot(limits_, demand_));
}

} // namespace kw::profiler_views
