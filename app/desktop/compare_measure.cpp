#include "app/desktop/compare_measure.h"

#include "engine/base/hash.h"
#include "widgets/numbers.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kw::desktop {
namespace {

/// Less than this is what timing the same twice may differ by.
constexpr double kMargin = 0.05;

QString numbers_of(const std::vector<std::size_t>& which) {
    QStringList names;
    for (const auto each : which) names << QString::number(each);
    if (names.size() < 2) return names.join(QString());
    const QString last = names.takeLast();
    return CompareMeasure::tr("%1 and %2", "a list of numbers").arg(names.join(QStringLiteral(", ")), last);
}

} // namespace

Outcome outcome_of(const pipeline::Evaluation& evaluation) {
    Outcome outcome{.compiles = evaluation.compile.ok,
                    .correct = evaluation.ok(),
                    .time = {},
                    .estimated = evaluation.bench && evaluation.bench->estimated,
                    .because = {}};
    if (evaluation.bench && evaluation.bench->problem.empty() && outcome.correct) outcome.time = evaluation.bench->time;
    if (!outcome.compiles && !evaluation.compile.diagnostics.empty())
        outcome.because = QString::fromStdString(evaluation.compile.diagnostics.front().message);
    else if (evaluation.verify && !evaluation.verify->ok)
        outcome.because = QString::fromStdString(evaluation.verify->because);
    return outcome;
}

std::optional<Gain> gain_of(const Outcome& before, const Outcome& after) {
    if (!before.time || !after.time || before.time->median_us <= 0 || after.time->median_us <= 0) return std::nullopt;
    const auto relative_error = [](const bench::Summary& time) {
        const double deviation = (time.p95_us - time.p05_us) / 3.29;
        return 1.2533 * deviation / std::sqrt(std::max<double>(1, static_cast<double>(time.samples))) / time.median_us;
    };
    Gain gain{.ratio = before.time->median_us / after.time->median_us,
              .interval = {},
              .estimated = before.estimated || after.estimated};
    const double error = 1.96 * std::hypot(relative_error(*before.time), relative_error(*after.time));
    gain.interval = {gain.ratio * std::exp(-error), gain.ratio * std::exp(error)};
    return gain;
}

Told tell(const Outcome& before, const Outcome& after) {
    if (!after.compiles) return {CompareMeasure::tr("Does not compile: %1").arg(after.because), QStringLiteral("bad")};
    if (!after.correct) return {CompareMeasure::tr("Wrong: %1").arg(after.because), QStringLiteral("bad")};
    const auto gain = gain_of(before, after);
    if (!gain) {
        if (!after.time) return {CompareMeasure::tr("Correct, not timed"), QStringLiteral("quiet")};
        const auto time = widgets::format_time_us(after.time->median_us);
        return {
            (after.estimated
                 ? CompareMeasure::tr("Correct, %1 by estimate; my text is not, so there is nothing to compare with")
                 : CompareMeasure::tr("Correct, %1; my text is not, so there is nothing to compare with"))
                .arg(time),
            QStringLiteral("good")};
    }
    const QString what = gain->estimated ? CompareMeasure::tr("estimate") : CompareMeasure::tr("measured");
    const QString text = CompareMeasure::tr("%1 of my text (%2 to %3) · correct · %4")
                             .arg(widgets::format_ratio(gain->ratio), widgets::format_ratio(gain->interval.lo),
                                  widgets::format_ratio(gain->interval.hi), what);
    const bool faster = gain->interval.lo > 1 + kMargin, slower = gain->interval.hi < 1 - kMargin;
    return {text, faster ? QStringLiteral("good") : slower ? QStringLiteral("warn") : QStringLiteral("quiet")};
}

QStringList interactions(const Outcome& before, const std::vector<Measured>& alone, const Outcome& together) {
    QStringList told;
    std::vector<std::size_t> broken, wrong;
    for (const auto& [number, outcome] : alone) {
        if (!outcome.compiles)
            broken.push_back(number);
        else if (!outcome.correct)
            wrong.push_back(number);
    }
    if (together.compiles && broken.size() > 1)
        told << CompareMeasure::tr("%1 only compile together.").arg(numbers_of(broken));
    if (together.compiles && broken.size() == 1)
        told << CompareMeasure::tr("%1 does not compile without the others.").arg(numbers_of(broken));
    if (together.correct && !wrong.empty())
        told << CompareMeasure::tr("Only right with the others: %1.").arg(numbers_of(wrong));
    if (!together.compiles && broken.empty()) told << CompareMeasure::tr("Together they do not compile.");
    if (together.compiles && !together.correct && wrong.empty() && broken.empty())
        told << CompareMeasure::tr("Each is right alone; together they are wrong.");
    const auto all = gain_of(before, together);
    if (!all || !broken.empty() || !wrong.empty() || alone.size() < 2) return told;
    double product = 1;
    QStringList apart;
    for (const auto& each : alone) {
        const auto gain = gain_of(before, each.outcome);
        if (!gain) return told;
        product *= gain->ratio;
        apart << widgets::format_ratio(gain->ratio);
    }
    if (std::abs(all->ratio / product - 1) > kMargin)
        told << CompareMeasure::tr("Together %1, apart %2.")
                    .arg(widgets::format_ratio(all->ratio), apart.join(QStringLiteral(", ")));
    return told;
}

CompareMeasure::CompareMeasure(WorkerSession& worker, QObject* parent) : QObject(parent), worker_(worker) {
    connect(&worker_, &WorkerSession::evaluated, this, [this](const pipeline::Evaluation& evaluation) {
        if (jobs_.empty()) return;
        known_[key(jobs_.front().text)] = outcome_of(evaluation);
        jobs_.erase(jobs_.begin());
        next();
    });
    connect(&worker_, &WorkerSession::failed, this, [this](const Error& error) {
        if (jobs_.empty()) return;
        jobs_.clear();
        Q_EMIT failed(error);
    });
    connect(&worker_, &WorkerSession::about_to_leave, this, [this] {
        give_way();
        known_.clear();
    });
}

std::string CompareMeasure::key(const std::string& text) const {
    return options_.device + '\n' + options_.candidate + '\n' + sha256_hex(text);
}

const Outcome* CompareMeasure::outcome(const std::string& text) const {
    const auto found = known_.find(key(text));
    return found == known_.end() ? nullptr : &found->second;
}

void CompareMeasure::start(std::vector<Job> jobs, task::Files files, pipeline::Options options) {
    stop();
    jobs_ = std::move(jobs);
    files_ = std::move(files);
    options_ = std::move(options);
    next();
}

void CompareMeasure::next() {
    while (!jobs_.empty() && outcome(jobs_.front().text)) jobs_.erase(jobs_.begin());
    if (!jobs_.empty()) {
        files_[options_.candidate] = jobs_.front().text;
        worker_.evaluate(files_, options_);
    }
    Q_EMIT advanced();
}

void CompareMeasure::stop() {
    if (jobs_.empty()) return;
    worker_.abandon_evaluation();
    give_way();
}

void CompareMeasure::give_way() {
    if (jobs_.empty()) return;
    jobs_.clear();
    Q_EMIT advanced();
}

void CompareMeasure::forget() {
    stop();
    known_.clear();
}

} // namespace kw::desktop
