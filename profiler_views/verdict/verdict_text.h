#pragma once

#include "engine/pipeline/evaluation.h"

#include <QString>
#include <QStringList>

#include <vector>

/// What the verdict says, as text, so that it can be tested without a window.
namespace kw::profiler_views {

enum class Tone { good, bad, warn, quiet };

struct VerdictText {
    Tone tone = Tone::quiet;
    QString headline{}; ///< "Correct", "Wrong result", "Does not compile"
    QString detail{};   ///< one sentence: why, or how fast against what
    QString time{};     ///< "41.2 µs", empty when not timed
    QString badge{};    ///< "estimated" or "measured"
    QString spread{};   ///< "40.9 – 41.8 µs, 120 samples" or "bound by DRAM"
    QString reward{};   ///< "3"
    QString because{};  ///< of the reward

    struct Row {
        QString name{};
        QStringList cells{};
        Tone tone = Tone::quiet;
        bool operator==(const Row&) const = default;
    };
    std::vector<Row> findings{};  ///< of the audit, the gravest first: why, and where; how grave
    std::vector<Row> baselines{}; ///< time, speed-up
    std::vector<Row> checks{};    ///< per size set: passed/total, largest error
    std::vector<Row> kernels{};   ///< registers, shared memory, spills

    // Where the first thing that is wrong stands, for "go there"; line 0: nowhere.
    QString file{};
    int line = 0;
    int column = 0;
    bool operator==(const VerdictText&) const = default;
};

[[nodiscard]] VerdictText describe(const pipeline::Evaluation& evaluation);

/// One line for the status bar: "NVIDIA H200 (simulated) · compiled in 96.0 ms · 10/10 checks · 41.2 µs estimated ·
/// reward 3".
[[nodiscard]] QString status_line(const pipeline::Evaluation& evaluation);

} // namespace kw::profiler_views
