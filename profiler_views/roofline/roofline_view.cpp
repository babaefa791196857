#include "profiler_views/roofline/roofline_view.h"

#include "widgets/empty_state.h"
#include "widgets/plot.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace kw::profiler_views {

RooflineView::RooflineView(QWidget* parent)
    : QWidget(parent), pages_(new QStackedWidget), plot_(new widgets::Plot(tr("Roofline"))) {
    setObjectName(QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* bar = new QWidget;
    bar->setObjectName(QStringLiteral("paneHeader"));
    bar->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 4, 12, 4);
    row->setSpacing(4);
    auto* group = new QButtonGroup(this);
    const auto toggle = [&](const QString& text, const QString& tip) {
        auto* button = new QToolButton;
        button->setText(text);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        button->setCheckable(true);
        button->setFocusPolicy(Qt::TabFocus);
        group->addButton(button);
        row->addWidget(button);
        return button;
    };
    dram_ = toggle(tr("DRAM"), tr("Operations per byte of DRAM traffic"));
    l2_ = toggle(tr("L2"), tr("Operations per byte of L2 traffic"));
    dram_->setChecked(true);
    connect(group, &QButtonGroup::buttonClicked, this, [this] {
        memory_ = l2_->isChecked() ? "l2" : "dram";
        refresh();
    });
    sentences_ = new QLabel;
    sentences_->setWordWrap(true);
    sentences_->setTextFormat(Qt::PlainText);
    sentences_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    sentences_->setAccessibleName(tr("How much of the roof is reached"));
    badge_ = new QLabel;
    badge_->setProperty("kind", QStringLiteral("badge"));
    note_ = new QLabel;
    note_->setProperty("tone", QStringLiteral("warn"));
    note_->setWordWrap(true);
    note_->setContentsMargins(12, 4, 12, 4);
    row->addSpacing(8);
    row->addWidget(sentences_, 1);
    row->addWidget(badge_);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar);
    column->addWidget(note_);
    column->addWidget(plot_, 1);
    pages_->addWidget(new QWidget);
    pages_->addWidget(content);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(pages_);
    connect(plot_, &widgets::Plot::clicked, this, [this](widgets::PlotPick pick) {
        const auto& shown = steps_.empty() ? launches_ : steps_;
        const int step = step_of_point_[static_cast<std::size_t>(pick.series)][static_cast<std::size_t>(pick.point)];
        Q_EMIT step_activated(shown[static_cast<std::size_t>(step)].id);
    });
    clear();
}

void RooflineView::clear() {
    report_.reset();
    launches_.clear();
    steps_.clear();
    show_empty(tr("No roofline yet"),
               tr("Profile the kernel to see how near it is to what the GPU's memory and arithmetic allow."));
}

void RooflineView::show_empty(const QString& title, const QString& hint) {
    auto* before = pages_->widget(0);
    pages_->removeWidget(before);
    delete before;
    pages_->insertWidget(0, new widgets::EmptyState(title, hint));
    pages_->setCurrentIndex(0);
}

RooflineStep RooflineView::step_of(int id, const QString& label, const profile::Report& report) {
    return {.id = id, .label = label, .points = profile::roofline_points(report)};
}

void RooflineView::show(const profile::Report& report) {
    report_ = report;
    launches_.clear();
    for (std::size_t i = 0; i < report.launches.size(); ++i)
        launches_.push_back({.id = static_cast<int>(i), .label = QString::fromStdString(report.launches[i].kernel)});
    for (const auto& point : profile::roofline_points(report)) launches_[point.launch].points.push_back(point);
    refresh();
}

void RooflineView::set_points(std::vector<RooflineStep> steps) {
    steps_ = std::move(steps);
    refresh();
}

QString RooflineView::missing() const {
    if (!report_) return tr("None of the steps was profiled.");
    const auto at = std::ranges::find(report_->rungs, profile::Rung::counters, &profile::RungState::rung);
    if (at != report_->rungs.end() && at->state != profile::RungState::State::done) {
        QString text = tr("It needs counters, which this profile does not have.");
        for (const auto& said : {at->reason, at->remedy})
            if (!said.empty()) text += QLatin1Char(' ') % QString::fromStdString(said) % QLatin1Char('.');
        return text;
    }
    const auto moves = [](const profile::LaunchProfile& launch) {
        const auto found = launch.metrics.find("flops");
        return found != launch.metrics.end() && found->second > 0;
    };
    if (std::ranges::none_of(report_->launches, moves))
        return tr("The kernel does no floating-point arithmetic, or the profile did not count it.");
    return tr("The profile did not count the bytes that move through %1.").arg(memory_ == "l2" ? tr("L2") : tr("DRAM"));
}

void RooflineView::refresh() {
    const auto& shown = steps_.empty() ? launches_ : steps_;
    const auto ceilings = report_ ? report_->ceilings : std::vector<profile::Ceiling>{};
    const auto has = [&](const std::string& memory) {
        return std::ranges::any_of(shown, [&](const RooflineStep& step) {
            return std::ranges::any_of(step.points, [&](const auto& point) { return point.memory == memory; });
        });
    };
    dram_->setEnabled(has("dram"));
    l2_->setEnabled(has("l2"));
    if (!has(memory_)) {
        const std::string other = memory_ == "l2" ? "dram" : "l2";
        if (!has(other)) return show_empty(tr("No point on the roofline"), missing());
        memory_ = other;
        (other == "l2" ? l2_ : dram_)->setChecked(true);
    }
    auto picture = roofline_picture(ceilings, shown, memory_);
    step_of_point_ = std::move(picture.steps);
    sentences_->setText(picture.sentences.join(QLatin1Char('\n')));
    plot_->set_data(std::move(picture.plot));
    badge_->setVisible(report_.has_value());
    if (report_) badge_->setText(report_->estimated ? tr("estimated") : tr("measured"));
    note_->setVisible(report_ && ceilings.empty());
    if (report_ && ceilings.empty())
        note_->setText(tr("There is no data sheet of the %1, so its ceilings are not drawn.")
                           .arg(QString::fromStdString(report_->device.name)));
    pages_->setCurrentIndex(1);
}

} // namespace kw::profiler_views
