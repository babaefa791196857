#include "profiler_views/roofline/roofline_plot.h"

#include "profiler_views/translated.h"
#include "widgets/numbers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace kw::profiler_views {
namespace {

constexpr double kFarLeft = 1e-6, kFarRight = 1e9; ///< operations per byte: beyond any kernel

QString rate_text(double rate) { return widgets::format_quantity(rate, QStringLiteral("FLOP/s")); }

QString label_of(const std::vector<profile::Ceiling>& ceilings, const std::string& id) {
    const auto at = std::ranges::find(ceilings, id, &profile::Ceiling::id);
    return QString::fromStdString(at == ceilings.end() ? id : at->label);
}

void add_ceilings(widgets::PlotData& plot, const std::vector<profile::Ceiling>& ceilings,
                  const std::set<std::string>& used, const std::string& memory) {
    double highest = 0, fastest = 0;
    for (const auto& ceiling : ceilings) {
        auto& most = ceiling.memory ? fastest : highest;
        most = std::max(most, ceiling.peak);
    }
    if (highest <= 0 || fastest <= 0) return;
    // Ceilings of one height are one line.
    std::map<double, std::pair<QStringList, bool>, std::greater<>> levels;
    for (const auto& ceiling : ceilings) {
        if (ceiling.peak <= 0) continue;
        if (ceiling.memory) {
            const bool chosen = ceiling.id == memory;
            plot.lines.push_back(
                {.label = QStringLiteral("%1  %2").arg(QString::fromStdString(ceiling.label),
                                                       widgets::format_quantity(ceiling.peak, QStringLiteral("B/s"))),
                 .x1 = kFarLeft,
                 .y1 = ceiling.peak * kFarLeft,
                 .x2 = highest / ceiling.peak,
                 .y2 = highest,
                 .color = chosen ? std::optional{0} : std::nullopt,
                 .dashed = !chosen,
                 .emphasis = chosen});
            continue;
        }
        auto& [labels, is_used] = levels[ceiling.peak];
        labels << QString::fromStdString(ceiling.label);
        is_used |= used.contains(ceiling.id);
    }
    for (const auto& [peak, level] : levels)
        plot.lines.push_back(
            {.label = QStringLiteral("%1  %2").arg(level.first.join(QStringLiteral(", ")), rate_text(peak)),
             .x1 = peak / fastest,
             .y1 = peak,
             .x2 = kFarRight,
             .y2 = peak,
             .color = level.second ? std::optional{1} : std::nullopt,
             .dashed = !level.second,
             .emphasis = level.second});
}

QString sentence_of(const RooflineStep& step, const profile::RooflinePoint& point,
                    const std::vector<profile::Ceiling>& ceilings) {
    const QString memory = label_of(ceilings, point.memory);
    QString text = tr("%1: %2 at %3 of %4 traffic")
                       .arg(step.label, rate_text(point.rate),
                            widgets::format_quantity(point.intensity, QStringLiteral("FLOP/B")), memory);
    if (point.reached > 0)
        text += tr(", %1 of what the roof allows there, which %2 sets")
                    .arg(widgets::format_quantity(100 * point.reached, QStringLiteral("%")),
                         point.memory_bound ? memory : label_of(ceilings, point.compute));
    return text % QLatin1Char('.');
}

} // namespace

RooflinePicture roofline_picture(const std::vector<profile::Ceiling>& ceilings, const std::vector<RooflineStep>& steps,
                                 const std::string& memory) {
    RooflinePicture picture;
    auto& plot = picture.plot;
    plot.x = {.label = tr("Operations per byte"), .unit = QStringLiteral("FLOP/B"), .logarithmic = true};
    plot.y = {.label = tr("Rate"), .unit = QStringLiteral("FLOP/s"), .logarithmic = true};
    std::set<std::string> used;
    widgets::PlotSeries series{.label = {}, .color = 2, .line = false};
    picture.steps.emplace_back();
    const bool any_selected = std::ranges::any_of(steps, &RooflineStep::selected);
    double least_rate = 0, least_intensity = 0, most_intensity = 0;
    for (std::size_t i = 0; i < steps.size(); ++i)
        for (const auto& point : steps[i].points) {
            if (point.memory != memory) continue;
            used.insert(point.compute);
            const bool emphasis = steps[i].selected || (!any_selected && steps.size() == 1);
            series.points.push_back({.x = point.intensity,
                                     .y = point.rate,
                                     .name = steps[i].label,
                                     .named = emphasis || steps.size() <= 12,
                                     .wrong = steps[i].wrong,
                                     .emphasis = emphasis});
            picture.steps.back().push_back(static_cast<int>(i));
            least_rate = least_rate == 0 ? point.rate : std::min(least_rate, point.rate);
            least_intensity = least_intensity == 0 ? point.intensity : std::min(least_intensity, point.intensity);
            most_intensity = std::max(most_intensity, point.intensity);
            if (emphasis) picture.sentences << sentence_of(steps[i], point, ceilings);
        }
    plot.series.push_back(std::move(series));
    add_ceilings(plot, ceilings, used, memory);
    // The ridges under which the points lie belong into the picture.
    const auto bandwidth = std::ranges::find(ceilings, memory, &profile::Ceiling::id);
    double top = 0, ridge = 0;
    for (const auto& ceiling : ceilings)
        if (!ceiling.memory && used.contains(ceiling.id)) top = std::max(top, ceiling.peak);
    if (bandwidth != ceilings.end() && bandwidth->peak > 0) ridge = top / bandwidth->peak;
    if (top > 0) plot.y.most = top * 2.5;
    if (least_rate > 0) plot.y.least = least_rate / 4;
    if (least_intensity > 0) plot.x.least = least_intensity / 5;
    if (ridge > 0) plot.x.most = std::max(ridge, most_intensity) * 8;
    plot.summary = picture.sentences.join(QLatin1Char(' '));
    return picture;
}

} // namespace kw::profiler_views
