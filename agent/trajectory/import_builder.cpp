#include "agent/trajectory/import_readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kw::trajectory {

void TraceBuilder::told(std::string role, std::string text) {
    if (!text.empty()) pending_.push_back({std::move(role), std::move(text)});
}

Turn& TraceBuilder::turn(std::int64_t ms) {
    Turn turn;
    if (!std::exchange(root_, false)) turn.parent = trace_.turns.size() - 1;
    turn.messages = std::exchange(pending_, {});
    turn.started_ms = turn.ended_ms = ms;
    return trace_.turns.emplace_back(std::move(turn));
}

void TraceBuilder::begin() {
    root_ = true;
    open_.clear();
    // What was said after the last reply belongs to it.
    if (auto* turn = last()) std::ranges::move(std::exchange(pending_, {}), std::back_inserter(turn->messages));
}

void TraceBuilder::call(TracedCall traced) {
    if (trace_.turns.empty()) return;
    auto& calls = trace_.turns.back().calls;
    if (traced.call.id.empty()) traced.call.id = fmt::format("call_{}_{}", trace_.turns.size(), calls.size() + 1);
    open_[traced.call.id] = {trace_.turns.size() - 1, calls.size()};
    calls.push_back(std::move(traced));
}

TracedCall* TraceBuilder::find(std::string_view id) {
    const auto found = open_.find(std::string{id});
    return found == open_.end() ? nullptr : &trace_.turns[found->second.first].calls[found->second.second];
}

bool TraceBuilder::result(std::string_view id, std::string text, bool ok, std::int64_t ms) {
    auto* traced = find(id);
    if (!traced) return false;
    auto& turn = trace_.turns[open_[std::string{id}].first];
    traced->call.result = std::move(text);
    traced->call.ok = ok;
    if (ms > 0 && turn.started_ms > 0)
        traced->call.milliseconds = static_cast<double>(std::max<std::int64_t>(0, ms - turn.ended_ms));
    turn.ended_ms = std::max(turn.ended_ms, ms);
    return true;
}

void TraceBuilder::note(std::string sentence) { trace_.notes.push_back(std::move(sentence)); }

void TraceBuilder::left_out(std::size_t count, std::string_view what) {
    if (count > 0) note(fmt::format("left out: {} ({})", what, count));
}

Trace TraceBuilder::take() {
    begin();
    return std::move(trace_);
}

Json evaluation_of(const Outcome& outcome, const std::string& file) {
    const bool correct = outcome.compiled && outcome.correct.value_or(false);
    Json json{{"task", ""},
              {"candidate", file},
              {"source_sha256", ""},
              {"configuration", Json::object()},
              {"device", {{"kind", outcome.estimated ? "sim" : "cuda"}, {"name", outcome.device}}},
              {"compile", {{"ok", outcome.compiled}, {"diagnostics", Json::array()}, {"kernels", Json::array()}}},
              {"audit", {{"findings", Json::array()}}}};
    if (outcome.correct)
        json["verify"] = {{"ok", correct}, {"because", correct ? "" : outcome.because}, {"checks", Json::array()}};
    if (outcome.median_us)
        json["bench"] = {{"estimated", outcome.estimated},
                         {"sizes", Json::object()},
                         {"median_us", *outcome.median_us},
                         {"p05_us", nullptr},
                         {"p95_us", nullptr},
                         {"samples", 0},
                         {"baselines", Json::array()}};
    if (!outcome.compiled || outcome.correct || outcome.reward) {
        Json speedups = Json::array();
        if (outcome.speedup)
            speedups.push_back({{"baseline", "as recorded"},
                                {"speedup", *outcome.speedup},
                                {"lo", *outcome.speedup},
                                {"hi", *outcome.speedup}});
        json["reward"] = {{"value", outcome.reward.value_or(correct ? 1 : -1)},
                          {"rule", "imported"},
                          {"because", outcome.because},
                          {"speedups", std::move(speedups)}};
    }
    return json;
}

} // namespace kw::trajectory
