#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/bench/statistics.h"

#include <string>
#include <vector>

/// The reward of an evaluation, by a rule that is data, so that a finished trajectory can be re-scored under another
/// one.
namespace kw::reward {

/// The default is the one of CUDA Agent (arXiv 2602.24286).
struct Rule {
    std::string name = "cuda-agent";
    double margin = 0.05;  ///< a baseline is beaten when the speed-up's interval clears 1 + margin
    double incorrect = -1; ///< does not compile, faults, wrong, or failed its audit
    double correct = 1;
    double beats_first = 2; ///< beats the first baseline
    double beats_all = 3;   ///< beats every baseline; with one baseline that is the same event and this value counts
    bool operator==(const Rule&) const = default;
};
[[nodiscard]] Json to_json(const Rule& rule);
[[nodiscard]] Result<Rule> rule_from_json(const Json& json);

struct Speedup {
    std::string baseline;
    double value = 0; ///< baseline median ÷ candidate median
    bench::Interval interval{};
    bool operator==(const Speedup&) const = default;
};

struct Reward {
    double value = 0;
    std::string rule;
    std::string because; ///< one sentence
    std::vector<Speedup> speedups;
    bool operator==(const Reward&) const = default;
};
[[nodiscard]] Json to_json(const Reward& reward);
[[nodiscard]] Reward reward_from_json(const Json& json);

/// All that the rule looks at.
struct Facts {
    bool compiled = false;
    bool audit_passed = true;
    bool verified = false;
    std::string failure;           ///< why not, in a sentence, when one of the above is false
    std::vector<Speedup> speedups; ///< in the task's order of baselines; empty when not timed
    bool estimated = false;
};
[[nodiscard]] Reward score(const Facts& facts, const Rule& rule);

} // namespace kw::reward
