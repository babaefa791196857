#pragma once

#include "app/desktop/worker_session.h"
#include "engine/bench/statistics.h"

#include <QObject>
#include <QStringList>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kw::desktop {

/// What evaluating a text said, as far as a change is judged by it.
struct Outcome {
    bool compiles = false;
    bool correct = false;
    std::optional<bench::Summary> time{};
    bool estimated = false;
    QString because{}; ///< what is wrong, in a sentence
};
[[nodiscard]] Outcome outcome_of(const pipeline::Evaluation& evaluation);

/// How much faster `after` is than `before`, and the 95 % interval of that; none where either was not timed. The two
/// were timed in runs of their own of which only quantiles are kept, so the interval is that of a ratio of medians of
/// normal samples: standard error of a median 1.2533 σ / √n, σ ≈ (p95 − p05) / 3.29, combined on the log scale.
struct Gain {
    double ratio = 1;
    bench::Interval interval{};
    bool estimated = false;
};
[[nodiscard]] std::optional<Gain> gain_of(const Outcome& before, const Outcome& after);

/// "1.31× (1.28–1.34) · correct", or what is wrong; and the tone to say it in.
struct Told {
    QString text, tone;
};
[[nodiscard]] Told tell(const Outcome& before, const Outcome& after);

/// A change measured alone, and its number in the comparison, as its card has it.
struct Measured {
    std::size_t number = 1;
    Outcome outcome{};
};

/// Changes measured alone (in their order) and all together: what they do to each other, in sentences.
/// Nothing where they are what they are alone.
[[nodiscard]] QStringList interactions(const Outcome& before, const std::vector<Measured>& alone,
                                       const Outcome& together);

/// Evaluates texts one after the other without making steps of them, by the window's worker while it has no run to do.
/// What was evaluated once is not again.
class CompareMeasure : public QObject {
    Q_OBJECT
public:
    CompareMeasure(WorkerSession& worker, QObject* parent);

    struct Job {
        std::string id;
        std::string text;
    };
    /// Files of the task, of which options.candidate is what each job's text takes the place of. What runs is stopped.
    void start(std::vector<Job> jobs, task::Files files, pipeline::Options options);
    void stop();
    /// The worker is about to be asked for something else, which takes the place of what is under way.
    void give_way();
    [[nodiscard]] bool running() const { return !jobs_.empty(); }
    [[nodiscard]] const Outcome* outcome(const std::string& text) const;
    /// What was evaluated counts no longer: another device or task.
    void forget();

Q_SIGNALS:
    /// Another outcome is known, or all are.
    void advanced();
    void failed(const kw::Error& error);

private:
    void next();
    [[nodiscard]] std::string key(const std::string& text) const;

    WorkerSession& worker_;
    std::vector<Job> jobs_; ///< the first is under way
    task::Files files_;
    pipeline::Options options_;
    std::map<std::string, Outcome> known_;
};

} // namespace kw::desktop
