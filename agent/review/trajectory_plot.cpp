#include "agent/review/trajectory_plot.h"

#include "agent/review/trajectory_view.h"
#include "widgets/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kw::review {
namespace {

using trajectory::StepId;
using trajectory::StepSummary;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
struct Value {
    double y = kNone, low = kNone, high = kNone;
};

/// Of the baseline, else of the one that is hardest to beat.
const reward::Speedup* speedup_of(const reward::Reward& reward, const std::string& baseline) {
    const auto& all = reward.speedups;
    if (all.empty()) return nullptr;
    if (baseline.empty()) return &*std::ranges::min_element(all, {}, &reward::Speedup::value);
    const auto at = std::ranges::find(all, baseline, &reward::Speedup::baseline);
    return at == all.end() ? nullptr : &*at;
}

Value value_of(const StepSummary& step, const StepScore* score, const CourseOptions& options) {
    switch (options.course) {
    case Course::speedup: {
        const auto* speedup = score ? speedup_of(score->now, options.baseline) : nullptr;
        if (speedup) return {speedup->value, speedup->interval.lo, speedup->interval.hi};
        return {score || !options.baseline.empty() ? kNone : step.speedup.value_or(kNone)};
    }
    case Course::reward:
        if (!options.what_if) return {step.reward.value_or(kNone)};
        return {score && score->what_if ? score->what_if->value : kNone};
    case Course::time: return {step.median_us.value_or(kNone)};
    case Course::tokens: return {static_cast<double>(step.usage.prompt_tokens + step.usage.completion_tokens)};
    case Course::cost: return {step.usage.cost_usd.value_or(kNone)};
    }
    return {};
}

widgets::PlotAxis axis_of(const CourseOptions& options) {
    switch (options.course) {
    case Course::speedup:
        // Below nothing, so that the crosses of what is wrong are whole.
        return {.label = TrajectoryView::tr("Speed-up"), .unit = QStringLiteral("×"), .least = -0.1};
    case Course::reward: return {.label = TrajectoryView::tr("Reward")};
    case Course::time:
        return {.label = TrajectoryView::tr("Median time"), .unit = QStringLiteral("µs"), .logarithmic = true};
    case Course::tokens: return {.label = TrajectoryView::tr("Tokens of all steps so far"), .least = 0.0};
    case Course::cost:
        return {.label = TrajectoryView::tr("Cost of all steps so far"), .unit = QStringLiteral("USD"), .least = 0.0};
    }
    return {};
}

/// Lower is better for times only.
bool better(Course course, double a, double b) { return course == Course::time ? a < b : a > b; }

QString summary_of(const std::vector<StepSummary>& steps, const CoursePicture& picture, const CourseOptions& options) {
    const auto wrong = std::ranges::count_if(steps, [](const auto& step) { return step.correct == false; });
    QString text = TrajectoryView::tr("%n step(s)", nullptr, static_cast<int>(steps.size()));
    if (wrong > 0)
        text += QStringLiteral(", ") + TrajectoryView::tr("%n of them wrong", nullptr, static_cast<int>(wrong));
    const auto& best = picture.plot.series.front().points;
    if (!best.empty() && options.course != Course::tokens && options.course != Course::cost)
        text +=
            QStringLiteral("; ")
            + TrajectoryView::tr("the best is %1").arg(widgets::format_quantity(best.back().y, picture.plot.y.unit));
    return text + QLatin1Char('.');
}

} // namespace

std::vector<BaselineLevel> baseline_levels(const std::map<StepId, StepScore>& scores, const std::string& compared) {
    std::vector<BaselineLevel> levels;
    std::map<std::string, std::vector<double>> ratios;
    for (const auto& [id, score] : scores) {
        const auto* own = speedup_of(score.now, compared);
        if (!own) continue;
        for (const auto& each : score.now.speedups) {
            if (std::ranges::find(levels, each.baseline, &BaselineLevel::name) == levels.end())
                levels.push_back({.name = each.baseline});
            if (each.value > 0) ratios[each.baseline].push_back(own->value / each.value);
        }
    }
    for (auto& level : levels) {
        auto& values = ratios[level.name];
        if (values.empty()) continue;
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::ranges::nth_element(values, middle);
        level.speedup = *middle;
    }
    return levels;
}

CoursePicture course_picture(const std::vector<StepSummary>& steps, const std::map<StepId, StepScore>& scores,
                             const CourseOptions& options) {
    CoursePicture picture;
    auto& plot = picture.plot;
    plot.x = {.label = TrajectoryView::tr("Step"), .integers = true};
    plot.y = axis_of(options);
    const bool adds_up = options.course == Course::tokens || options.course == Course::cost;

    widgets::PlotSeries best{.label = adds_up ? QString() : TrajectoryView::tr("best so far"),
                             .color = 0,
                             .line = true,
                             .steps = !adds_up,
                             .area = adds_up,
                             .marker = widgets::Marker::none,
                             .points = {},
                             .pickable = false};
    widgets::PlotSeries points{.label = {}, .color = 2, .line = false, .points = {}};
    std::vector<StepId> ids;
    double sum = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto& step = steps[i];
        const auto found = scores.find(step.id);
        const auto* score = found == scores.end() ? nullptr : &found->second;
        auto value = value_of(step, score, options);
        const double x = static_cast<double>(i + 1);
        const auto* reward = !score            ? nullptr
                             : options.what_if ? (score->what_if ? &*score->what_if : nullptr)
                                               : &score->now;
        const bool wrong =
            reward ? reward->speedups.empty() && step.correct == false && reward->value < 1 : step.correct == false;
        if (adds_up) {
            if (std::isfinite(value.y)) sum += value.y;
            value.y = sum;
            best.points.push_back({.x = x, .y = sum});
        } else if (std::isfinite(value.y) && !wrong) {
            least = std::min(least, value.y);
            if (best.points.empty() || better(options.course, value.y, best.points.back().y))
                best.points.push_back({.x = x, .y = value.y});
        }
        // What is wrong has no speed: its cross stands at the foot.
        if (wrong && !std::isfinite(value.y) && options.course == Course::speedup) value.y = 0;
        if (!std::isfinite(value.y)) continue;
        const bool flips = options.what_if && score && score->what_if && score->what_if->value != score->now.value;
        const bool selected = options.selected == step.id;
        auto name = TrajectoryView::tr("step %1").arg(step.id);
        if (!step.title.empty()) name += QStringLiteral(" · ") + QString::fromStdString(step.title);
        if (reward)
            name += QStringLiteral(" · ") + TrajectoryView::tr("reward %1").arg(widgets::format_number(reward->value));
        if (flips)
            name += QStringLiteral(" (") + TrajectoryView::tr("was %1").arg(widgets::format_number(score->now.value))
                    + QLatin1Char(')');
        points.points.push_back({.x = x,
                                 .y = value.y,
                                 .low = value.low,
                                 .high = value.high,
                                 .name = std::move(name),
                                 .named = false,
                                 .wrong = wrong,
                                 .emphasis = selected || flips});
        ids.push_back(step.id);
    }
    if (!best.points.empty() && !adds_up && best.points.back().x < static_cast<double>(steps.size()))
        best.points.push_back({.x = static_cast<double>(steps.size()), .y = best.points.back().y});
    picture.steps = {std::vector<StepId>(best.points.size(), 0), std::move(ids)};
    plot.series = {std::move(best), std::move(points)};
    if (options.course == Course::speedup) {
        const double from = 0.5, to = static_cast<double>(std::max<std::size_t>(steps.size(), 2)) + 0.5;
        for (const auto& level : baseline_levels(scores, options.baseline))
            plot.lines.push_back({.label = QString::fromStdString(level.name),
                                  .x1 = from,
                                  .y1 = level.speedup,
                                  .x2 = to,
                                  .y2 = level.speedup,
                                  .color = {},
                                  .dashed = true,
                                  .emphasis = level.name == options.baseline});
    }
    plot.summary = summary_of(steps, picture, options);
    return picture;
}

} // namespace kw::review
