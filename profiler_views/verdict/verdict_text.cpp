#include "profiler_views/verdict/verdict_text.h"

#include "profiler_views/translated.h"
#include "profiler_views/ulp_text.h"
#include "widgets/numbers.h"

#include <algorithm>
#include <map>

namespace kw::profiler_views {
namespace {

using widgets::format_number;
using widgets::format_ratio;
using widgets::format_time_us;

QString sizes_text(const task::Sizes& sizes) {
    QStringList parts;
    for (const auto& [name, value] : sizes)
        parts << QString::fromStdString(name) % QLatin1Char('=') % QString::number(value);
    return parts.isEmpty() ? tr("no sizes") : parts.join(QStringLiteral("  "));
}

QString bytes_text(std::uint32_t bytes) { return widgets::format_quantity(bytes, QStringLiteral("B")); }

std::pair<std::size_t, std::size_t> passed_of(const pipeline::VerifyReport& report) {
    return {static_cast<std::size_t>(std::ranges::count_if(report.checks, &pipeline::Check::ok)), report.checks.size()};
}

void describe_failure(const pipeline::Evaluation& evaluation, VerdictText& text) {
    text.tone = Tone::bad;
    if (!evaluation.compile.ok) {
        text.headline = tr("Does not compile");
        for (const auto& diagnostic : evaluation.compile.diagnostics) {
            if (diagnostic.severity != compile::Severity::error) continue;
            text.detail = QString::fromStdString(diagnostic.message);
            text.file = QString::fromStdString(diagnostic.file);
            text.line = diagnostic.line;
            text.column = diagnostic.column;
            return;
        }
        return;
    }
    if (evaluation.bench && evaluation.bench->wrong) {
        text.headline = tr("Wrong after timing");
        text.detail = QString::fromStdString(evaluation.bench->problem);
        return;
    }
    const auto& verify = *evaluation.verify;
    text.headline = verify.fault ? tr("Faults") : tr("Wrong result");
    text.detail = QString::fromStdString(verify.because);
    if (!verify.fault) return;
    text.file = QString::fromStdString(verify.fault->where.file);
    text.line = verify.fault->where.line;
    if (verify.fault->block && verify.fault->thread) {
        const auto& b = *verify.fault->block;
        const auto& t = *verify.fault->thread;
        text.detail +=
            tr("\nblock (%1, %2, %3), thread (%4, %5, %6)").arg(b.x).arg(b.y).arg(b.z).arg(t.x).arg(t.y).arg(t.z);
    }
    if (const auto& other = verify.fault->other)
        text.detail += QStringLiteral("\n%1:%2: %3")
                           .arg(QString::fromStdString(other->where.file))
                           .arg(other->where.line)
                           .arg(QString::fromStdString(device::other_party_text(*verify.fault)));
}

void describe_time(const pipeline::BenchReport& bench, VerdictText& text) {
    if (!bench.problem.empty()) {
        text.tone = Tone::warn;
        text.detail = QString::fromStdString(bench.problem);
        return;
    }
    text.time = format_time_us(bench.time.median_us);
    text.badge = bench.estimated ? tr("estimated") : tr("measured");
    QStringList notes;
    if (!bench.estimated)
        notes << tr("%1 – %2, %3 samples")
                     .arg(format_time_us(bench.time.p05_us), format_time_us(bench.time.p95_us))
                     .arg(bench.time.samples);
    QStringList limits;
    for (const auto& limit : bench.limited_by)
        if (const QString name = QString::fromStdString(limit); !limits.contains(name)) limits << name;
    if (!limits.isEmpty()) notes << tr("bound by %1").arg(limits.join(QStringLiteral(", ")));
    if (bench.sampled) notes << tr("from a sample of the blocks");
    notes << sizes_text(bench.sizes);
    text.spread = notes.join(QStringLiteral(" · "));
    for (const auto& baseline : bench.baselines) {
        VerdictText::Row row{QString::fromStdString(baseline.name), {}, Tone::quiet};
        if (!baseline.problem.empty()) {
            row.cells = {QString::fromStdString(baseline.problem), QString()};
        } else {
            QString ratio = format_ratio(baseline.ratio);
            if (!bench.estimated)
                ratio += tr(" (%1 – %2)").arg(format_ratio(baseline.ratio_ci.lo), format_ratio(baseline.ratio_ci.hi));
            row.cells = {format_time_us(baseline.time.median_us), ratio};
            row.tone = bench::clears(baseline.ratio_ci, reward::Rule{}.margin) ? Tone::good
                       : baseline.ratio_ci.hi < 1.0                            ? Tone::bad
                                                                               : Tone::quiet;
        }
        text.baselines.push_back(std::move(row));
    }
    // The one that is hardest to beat, as in the list of steps.
    const pipeline::BaselineTime* strongest = nullptr;
    for (const auto& baseline : bench.baselines)
        if (baseline.problem.empty() && (!strongest || baseline.ratio < strongest->ratio)) strongest = &baseline;
    if (strongest)
        text.detail =
            tr("%1 the speed of %2").arg(format_ratio(strongest->ratio), QString::fromStdString(strongest->name));
}

void describe_checks(const pipeline::VerifyReport& report, VerdictText& text) {
    struct Group {
        int passed = 0, total = 0;
        double max_abs = 0;
        std::uint64_t max_ulp = 0;
    };
    std::map<task::Sizes, Group> groups;
    std::vector<task::Sizes> order;
    for (const auto& check : report.checks) {
        auto [entry, fresh] = groups.try_emplace(check.sizes);
        if (fresh) order.push_back(check.sizes);
        entry->second.passed += check.ok;
        ++entry->second.total;
        entry->second.max_abs = std::max(entry->second.max_abs, check.comparison.max_abs);
        entry->second.max_ulp = std::max(entry->second.max_ulp, check.comparison.max_ulp);
    }
    for (const auto& sizes : order) {
        const auto& group = groups[sizes];
        text.checks.push_back({sizes_text(sizes),
                               {QStringLiteral("%1/%2").arg(group.passed).arg(group.total),
                                tr("max error %1, %2").arg(format_number(group.max_abs), ulp_text(group.max_ulp))},
                               group.passed == group.total ? Tone::good : Tone::bad});
    }
}

void describe_findings(const std::vector<audit::Finding>& findings, VerdictText& text) {
    const auto tone_of = [](audit::Severity severity) {
        return severity == audit::Severity::refuse       ? Tone::bad
               : severity == audit::Severity::suspicious ? Tone::warn
                                                         : Tone::quiet;
    };
    for (const auto tone : {Tone::bad, Tone::warn, Tone::quiet})
        for (const auto& finding : findings) {
            if (tone_of(finding.severity) != tone) continue;
            QString what = QString::fromStdString(finding.why);
            if (finding.where.line > 0)
                what = tr("%1 (%2, line %3)")
                           .arg(what, QString::fromStdString(finding.rule), QString::number(finding.where.line));
            else
                what = tr("%1 (%2)").arg(what, QString::fromStdString(finding.rule));
            text.findings.push_back({what,
                                     {tone == Tone::bad    ? tr("refused")
                                      : tone == Tone::warn ? tr("suspicious")
                                                           : tr("note")},
                                     tone});
        }
}

} // namespace

VerdictText describe(const pipeline::Evaluation& evaluation) {
    VerdictText text;
    if (!evaluation.ok()) {
        describe_failure(evaluation, text);
    } else {
        text.tone = evaluation.verify ? Tone::good : Tone::quiet;
        text.headline = evaluation.verify ? tr("Correct") : tr("Compiles");
        if (evaluation.bench) describe_time(*evaluation.bench, text);
    }
    describe_findings(evaluation.audit, text);
    if (evaluation.verify) describe_checks(*evaluation.verify, text);
    for (const auto& kernel : evaluation.compile.kernels) {
        QStringList cells{tr("%1 registers").arg(kernel.registers)};
        if (kernel.shared_bytes > 0) cells << tr("%1 shared").arg(bytes_text(kernel.shared_bytes));
        if (kernel.spill_bytes > 0) cells << tr("%1 spilled").arg(bytes_text(kernel.spill_bytes));
        text.kernels.push_back({QString::fromStdString(kernel.name),
                                {cells.join(QStringLiteral(", "))},
                                kernel.spill_bytes > 0 ? Tone::warn : Tone::quiet});
    }
    if (evaluation.reward) {
        text.reward = QString::number(evaluation.reward->value).replace(QLatin1Char('-'), QChar(0x2212));
        text.because = QString::fromStdString(evaluation.reward->because);
    }
    return text;
}

QString status_line(const pipeline::Evaluation& evaluation) {
    QStringList parts{QString::fromStdString(evaluation.device.name)};
    parts << (evaluation.compile.ok ? tr("compiled in %1").arg(format_time_us(evaluation.compile.milliseconds * 1000))
                                    : tr("does not compile"));
    if (evaluation.verify) {
        const auto [passed, total] = passed_of(*evaluation.verify);
        parts << (evaluation.verify->fault ? tr("faulted") : tr("%1/%2 checks").arg(passed).arg(total));
    }
    if (evaluation.bench && evaluation.bench->problem.empty())
        parts << format_time_us(evaluation.bench->time.median_us) % QLatin1Char(' ')
                     % (evaluation.bench->estimated ? tr("estimated") : tr("measured"));
    if (evaluation.reward) parts << tr("reward %1").arg(evaluation.reward->value);
    return parts.join(QStringLiteral(" · "));
}

} // namespace kw::profiler_views
