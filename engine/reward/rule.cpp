#include "engine/reward/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace kw::reward {
namespace {

constexpr std::array<std::pair<const char*, double Rule::*>, 5> kNumbers{{
    {"margin", &Rule::margin},
    {"incorrect", &Rule::incorrect},
    {"correct", &Rule::correct},
    {"beats_first", &Rule::beats_first},
    {"beats_all", &Rule::beats_all},
}};

std::unexpected<Error> bad(std::string message) {
    return fail(Stage::reward, ErrorCode::invalid_input, std::move(message));
}

/// "1.32x softmax.cu (1.28 to 1.36)", without the interval where it is a point.
std::string described(const Speedup& speedup) {
    std::string text = fmt::format("{:.2f}x {}", speedup.value, speedup.baseline);
    if (speedup.interval.lo != speedup.interval.hi)
        text += fmt::format(" ({:.2f} to {:.2f})", speedup.interval.lo, speedup.interval.hi);
    return text;
}

std::string described(const std::vector<Speedup>& speedups) {
    std::string text;
    for (const auto& speedup : speedups) text += (text.empty() ? "" : ", ") + described(speedup);
    return text;
}

} // namespace

Json to_json(const Rule& rule) {
    Json json{{"name", rule.name}};
    for (const auto& [name, member] : kNumbers) json[name] = rule.*member;
    return json;
}

Result<Rule> rule_from_json(const Json& json) {
    if (!json.is_object()) return bad("a reward rule is a JSON object such as {\"name\": \"mine\", \"margin\": 0.05}");
    Rule rule;
    for (const auto& [key, value] : json.items()) {
        if (key == "name") {
            if (!value.is_string()) return bad("'name' of a reward rule must be a string");
            rule.name = value.get<std::string>();
            continue;
        }
        const auto known = std::ranges::find_if(kNumbers, [&key](const auto& entry) { return key == entry.first; });
        if (known == kNumbers.end())
            return bad(fmt::format(
                "a reward rule has no '{}'; it has name, margin, incorrect, correct, beats_first and beats_all", key));
        if (!value.is_number()) return bad(fmt::format("'{}' of a reward rule must be a number", key));
        rule.*(known->second) = value.get<double>();
    }
    if (!(rule.margin >= 0))
        return bad(fmt::format("the margin of a reward rule is {}; it cannot be negative", rule.margin));
    return rule;
}

Json to_json(const Reward& reward) {
    Json json{{"value", reward.value}, {"rule", reward.rule}, {"because", reward.because}, {"speedups", Json::array()}};
    for (const auto& speedup : reward.speedups)
        json["speedups"].push_back({{"baseline", speedup.baseline},
                                    {"speedup", speedup.value},
                                    {"lo", speedup.interval.lo},
                                    {"hi", speedup.interval.hi}});
    return json;
}

Reward reward_from_json(const Json& json) {
    const auto number = [](const Json& value) { return value.is_null() ? std::nan("") : value.get<double>(); };
    Reward reward{
        number(json.at("value")), json.at("rule").get<std::string>(), json.at("because").get<std::string>(), {}};
    for (const auto& speedup : json.at("speedups"))
        reward.speedups.push_back({speedup.at("baseline").get<std::string>(),
                                   number(speedup.at("speedup")),
                                   {number(speedup.at("lo")), number(speedup.at("hi"))}});
    return reward;
}

Reward score(const Facts& facts, const Rule& rule) {
    Reward reward{rule.incorrect, rule.name, facts.failure, {}};
    if (!facts.compiled || !facts.audit_passed || !facts.verified) {
        if (reward.because.empty())
            reward.because = !facts.compiled       ? "it does not compile"
                             : !facts.audit_passed ? "it failed the audit"
                                                   : "its results are wrong";
        return reward;
    }
    reward.speedups = facts.speedups;
    reward.value = rule.correct;
    if (facts.speedups.empty()) {
        reward.because = "correct, but not timed";
        return reward;
    }
    const auto beaten = [&rule](const Speedup& speedup) { return bench::clears(speedup.interval, rule.margin); };
    const double percent = rule.margin * 100;
    const std::string times = described(facts.speedups) + (facts.estimated ? ", estimated" : "");
    if (std::ranges::all_of(facts.speedups, beaten)) {
        reward.value = rule.beats_all;
        reward.because =
            facts.speedups.size() == 1
                ? fmt::format("correct and more than {:.3g} % faster than the baseline: {}", percent, times)
                : fmt::format("correct and more than {:.3g} % faster than every baseline: {}", percent, times);
    } else if (beaten(facts.speedups.front())) {
        reward.value = rule.beats_first;
        reward.because =
            fmt::format("correct and more than {:.3g} % faster than the first baseline, but not than every one: {}",
                        percent, times);
    } else {
        reward.because = fmt::format("correct, but not more than {:.3g} % faster than the {}baseline: {}", percent,
                                     facts.speedups.size() == 1 ? "" : "first ", times);
    }
    return reward;
}

} // namespace kw::reward
