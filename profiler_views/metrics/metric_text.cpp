#include "profiler_views/metrics/metric_text.h"

#include "profiler_views/translated.h"
#include "widgets/numbers.h"

#include <algorithm>

namespace kw::profiler_views {
QString text_of(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

QString section_title(std::string_view group) {
    if (group == "speed_of_light") return tr("Speed of light");
    if (group == "roofline") return tr("Roofline");
    if (group == "memory") return tr("Memory");
    if (group == "stalls") return tr("Stalls");
    if (group == "scheduler") return tr("Scheduler");
    if (group == "launch") return tr("Occupancy");
    if (group == "instructions") return tr("Instructions");
    return text_of(group);
}

QString value_text(const profile::Metric& metric, double value) {
    return widgets::format_quantity(value, text_of(metric.unit));
}

QString exact_value_text(const profile::Metric& metric, double value) {
    return widgets::format_exact(value, text_of(metric.unit));
}

Origin origin_of(const profile::Metric& metric, const profile::Report& report) {
    Origin origin{.estimated = report.estimated, .source = {}, .how = {}};
    if (report.estimated) {
        origin.source = tr("Simulator");
        origin.how = text_of(metric.sim.empty() ? metric.formula : metric.sim);
    } else if (!metric.names.empty()) {
        origin.source = tr("CUPTI counters");
        origin.how = text_of(metric.names.front());
    } else if (!metric.formula.empty()) {
        origin.source = tr("Computed from counters");
        origin.how = text_of(metric.formula);
    } else {
        origin.source = tr("CUPTI activity");
    }
    return origin;
}

Origin line_origin_of(const profile::Metric& metric, const profile::Report& report) {
    if (report.estimated) return {.estimated = true, .source = tr("Simulator"), .how = text_of(metric.sim)};
    return {.estimated = false,
            .source = tr("PC sampling"),
            .how = metric.stall.empty()
                       ? QString()
                       : QStringLiteral("smsp__pcsamp_warps_issue_stalled_%1").arg(text_of(metric.stall))};
}

QString rung_title(profile::Rung rung) {
    switch (rung) {
    case profile::Rung::activity: return tr("Activity trace");
    case profile::Rung::counters: return tr("Counters");
    case profile::Rung::pc_sampling: return tr("PC sampling");
    case profile::Rung::pm_sampling: return tr("PM sampling");
    }
    return {};
}

QString rung_problem(const profile::RungState& state) {
    QString text;
    switch (state.state) {
    case profile::RungState::State::done: return {};
    case profile::RungState::State::available: text = tr("%1 was not asked for.").arg(rung_title(state.rung)); break;
    case profile::RungState::State::skipped: text = tr("%1 was skipped.").arg(rung_title(state.rung)); break;
    case profile::RungState::State::failed: text = tr("%1 failed.").arg(rung_title(state.rung)); break;
    }
    const auto sentence = [](const std::string& said) {
        QString t = text_of(said).trimmed();
        if (t.isEmpty()) return t;
        t[0] = t[0].toUpper();
        if (!t.endsWith(QLatin1Char('.'))) t += QLatin1Char('.');
        return QString(QLatin1Char(' ') % t);
    };
    return text % sentence(state.reason) % sentence(state.remedy);
}

const profile::RungState* rung_of(const profile::Report& report, profile::Rung rung) {
    const auto at = std::ranges::find(report.rungs, rung, &profile::RungState::rung);
    return at == report.rungs.end() ? nullptr : &*at;
}

} // namespace kw::profiler_views
