#include "agent/review/trajectory_view.h"

#include "widgets/empty_state.h"
#include "widgets/plot.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QDoubleValidator>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace kw::review {
namespace {

void make_header(QWidget& bar, QBoxLayout& layout) {
    bar.setObjectName(QStringLiteral("paneHeader"));
    bar.setAttribute(Qt::WA_StyledBackground);
    layout.setContentsMargins(8, 4, 12, 4);
    layout.setSpacing(4);
}

} // namespace

TrajectoryView::TrajectoryView(QWidget* parent)
    : QWidget(parent), pages_(new QStackedWidget), plot_(new widgets::Plot(tr("Reward trajectory"))) {
    setObjectName(QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(make_bar());
    column->addWidget(make_rule_bar());
    column->addWidget(plot_, 1);
    pages_->addWidget(new widgets::EmptyState(
        tr("No steps yet"), tr("Every run is a step. How reward and speed-up go from one to the next is shown here.")));
    pages_->addWidget(content);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(pages_);
    connect(plot_, &widgets::Plot::clicked, this, [this](widgets::PlotPick pick) {
        const auto id = step_of_point_[static_cast<std::size_t>(pick.series)][static_cast<std::size_t>(pick.point)];
        if (id > 0) Q_EMIT step_chosen(id);
    });
}

QWidget* TrajectoryView::make_bar() {
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    make_header(*bar, *row);
    auto* group = new QButtonGroup(this);
    const auto add = [&](Course course, const QString& text, const QString& tip) {
        auto* button = new QToolButton;
        button->setText(text);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        button->setCheckable(true);
        button->setChecked(course == course_);
        button->setFocusPolicy(Qt::TabFocus);
        group->addButton(button, static_cast<int>(course));
        row->addWidget(button);
        courses_.push_back(button);
    };
    add(Course::speedup, tr("Speed-up"), tr("How much faster than a baseline, with its confidence interval"));
    add(Course::reward, tr("Reward"), tr("The reward of each step"));
    add(Course::time, tr("Time"), tr("Median time of each step"));
    add(Course::tokens, tr("Tokens"), tr("Tokens that a model has read and written, added up"));
    add(Course::cost, tr("Cost"), tr("What the steps have cost, added up"));
    connect(group, &QButtonGroup::idClicked, this, [this](int course) {
        course_ = static_cast<Course>(course);
        refresh();
    });
    row->addStretch(1);
    rule_button_ = new QToolButton;
    rule_button_->setText(tr("What if…"));
    rule_button_->setToolTip(
        tr("Scores the steps by another margin, baseline, tolerance or rule. The session stays as it is."));
    rule_button_->setAccessibleName(tr("Score by another rule"));
    rule_button_->setCheckable(true);
    rule_button_->setFocusPolicy(Qt::TabFocus);
    row->addWidget(rule_button_);
    auto* exporting = new QToolButton;
    exporting->setText(tr("Export…"));
    exporting->setToolTip(tr("Writes the session in a form that others read"));
    exporting->setAccessibleName(tr("Export the session"));
    exporting->setFocusPolicy(Qt::TabFocus);
    row->addWidget(exporting);
    connect(exporting, &QToolButton::clicked, this, &TrajectoryView::export_requested);
    connect(rule_button_, &QToolButton::toggled, this, [this](bool on) {
        rule_bar_->setVisible(on);
        rescore();
        if (on) margin_->setFocus();
    });
    return bar;
}

QWidget* TrajectoryView::make_rule_bar() {
    rule_bar_ = new QWidget;
    auto* rows = new QVBoxLayout(rule_bar_);
    make_header(*rule_bar_, *rows);
    auto* row = new QHBoxLayout;
    rows->addLayout(row);
    const auto name = [&](const QString& text, QWidget* control, const QString& tip) {
        auto* label = new QLabel(text);
        label->setBuddy(control);
        control->setToolTip(tip);
        control->setAccessibleName(tip);
        row->addWidget(label);
        row->addWidget(control);
        row->addSpacing(8);
    };
    const reward::Rule given;
    margin_ = new QDoubleSpinBox;
    margin_->setRange(0, 1000);
    margin_->setDecimals(1);
    margin_->setSuffix(QStringLiteral(" %"));
    margin_->setValue(given.margin * 100);
    name(tr("Margin"), margin_, tr("By how much a baseline has to be beaten"));
    baseline_ = new QComboBox;
    baseline_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    baseline_->addItem(tr("all"));
    name(tr("Baselines"), baseline_, tr("Which baselines count"));
    const auto tolerance = [&](const QString& text, const QString& tip) {
        auto* line = new QLineEdit;
        auto* validator = new QDoubleValidator(0, 1e30, 12, line);
        validator->setLocale(QLocale::c());
        line->setValidator(validator);
        line->setPlaceholderText(tr("the task's"));
        line->setMaximumWidth(line->fontMetrics().averageCharWidth() * 14);
        name(text, line, tip);
        connect(line, &QLineEdit::textChanged, this, &TrajectoryView::rescore);
        return line;
    };
    atol_ = tolerance(QStringLiteral("atol"), tr("Absolute tolerance, empty for the task's"));
    rtol_ = tolerance(QStringLiteral("rtol"), tr("Relative tolerance, empty for the task's"));
    const auto value = [&](double reward::Rule::* member, const QString& text, const QString& tip) {
        auto* box = new QDoubleSpinBox;
        box->setRange(-1000, 1000);
        box->setDecimals(1);
        box->setValue(given.*member);
        values_.emplace_back(member, box);
        name(text, box, tip);
        connect(box, &QDoubleSpinBox::valueChanged, this, &TrajectoryView::rescore);
    };
    row->addStretch(1);
    row = new QHBoxLayout;
    rows->addLayout(row);
    value(&reward::Rule::incorrect, tr("wrong"), tr("Reward of a step that is wrong"));
    value(&reward::Rule::correct, tr("right"), tr("Reward of a step that is right and not faster"));
    value(&reward::Rule::beats_first, tr("beats first"), tr("Reward of a step that beats the first baseline"));
    value(&reward::Rule::beats_all, tr("beats all"), tr("Reward of a step that beats every baseline"));
    verdict_ = new QLabel;
    verdict_->setWordWrap(true);
    verdict_->setAccessibleName(tr("What the rule changes"));
    row->addWidget(verdict_, 1);
    connect(margin_, &QDoubleSpinBox::valueChanged, this, &TrajectoryView::rescore);
    connect(baseline_, &QComboBox::currentIndexChanged, this, &TrajectoryView::rescore);
    rule_bar_->hide();
    return rule_bar_;
}

void TrajectoryView::show_steps(const std::vector<trajectory::StepSummary>& steps) {
    steps_ = steps;
    refresh();
}

void TrajectoryView::add_facts(std::vector<trajectory::ScoreFacts> facts) {
    std::ranges::move(facts, std::back_inserter(facts_));
    fill_baselines();
    rescore();
}

void TrajectoryView::clear() {
    steps_.clear();
    facts_.clear();
    scores_.clear();
    selected_.reset();
    fill_baselines();
    refresh();
}

void TrajectoryView::mark_selected(std::optional<trajectory::StepId> id) {
    if (selected_ == id) return;
    selected_ = id;
    refresh();
}

void TrajectoryView::show_course(Course course) {
    course_ = course;
    courses_[static_cast<std::size_t>(course)]->setChecked(true);
    refresh();
}

void TrajectoryView::fill_baselines() {
    std::vector<std::string> names;
    for (const auto& facts : facts_)
        for (const auto& speedup : facts.facts.speedups)
            if (std::ranges::find(names, speedup.baseline) == names.end()) names.push_back(speedup.baseline);
    const auto chosen = baseline_->currentData().toString();
    const QSignalBlocker quiet(baseline_);
    while (baseline_->count() > 1) baseline_->removeItem(1);
    for (const auto& name : names) baseline_->addItem(QString::fromStdString(name), QString::fromStdString(name));
    baseline_->setCurrentIndex(std::max(0, baseline_->findData(chosen)));
}

std::optional<trajectory::RescoreOptions> TrajectoryView::what_if() const {
    if (!rule_button_->isChecked()) return std::nullopt;
    trajectory::RescoreOptions options;
    options.rule.name = "what-if";
    options.rule.margin = margin_->value() / 100;
    for (const auto& [member, box] : values_) options.rule.*member = box->value();
    options.baseline = baseline_->currentData().toString().toStdString();
    if (!atol_->text().isEmpty() || !rtol_->text().isEmpty()) {
        const auto number = [](const QLineEdit& line) { return QLocale::c().toDouble(line.text()); };
        options.tolerance = task::Tolerance{.atol = number(*atol_), .rtol = number(*rtol_)};
    }
    return options;
}

void TrajectoryView::rescore() {
    const auto options = what_if();
    scores_.clear();
    int flips = 0, unknown = 0;
    for (const auto& facts : facts_) {
        auto& score = scores_[facts.step];
        score.now = {facts.reward, {}, facts.facts.failure, facts.facts.speedups};
        if (!options) continue;
        score.what_if = trajectory::rescored(facts, *options);
        if (!score.what_if)
            ++unknown;
        else if (score.what_if->value != facts.reward)
            ++flips;
    }
    QString text = flips == 0 ? tr("No reward changes.") : tr("%n reward(s) change.", nullptr, flips);
    if (unknown > 0)
        text += QLatin1Char(' ')
                + tr("%n step(s) cannot be told of: the session keeps only their largest errors.", nullptr, unknown);
    verdict_->setText(text);
    refresh();
    Q_EMIT what_if_changed();
}

void TrajectoryView::refresh() {
    pages_->setCurrentIndex(steps_.empty() ? 0 : 1);
    const auto options = what_if();
    auto picture = course_picture(steps_, scores_,
                                  {.course = course_,
                                   .baseline = options ? options->baseline : std::string{},
                                   .what_if = options.has_value(),
                                   .selected = selected_});
    step_of_point_ = std::move(picture.steps);
    plot_->set_data(std::move(picture.plot));
}

} // namespace kw::review
