#include "agent/trajectory/exports.h"
#include "agent/trajectory/exports_common.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace kw::trajectory {
namespace {

enum Lane : int { steps_lane = 1, tools_lane = 2, stages_lane = 3 };
constexpr std::array kLanes{std::pair{steps_lane, "steps"}, std::pair{tools_lane, "tool calls"},
                            std::pair{stages_lane, "evaluation"}};
constexpr std::array kStages{"compile", "verify", "bench", "profile"};

/// Milliseconds that something took; 0 where a file says anything else.
double duration_of(const Json& json, const char* name) {
    const auto part = json.find(name);
    if (part == json.end() || !part->is_object()) return 0;
    const auto ms = part->find("ms");
    if (ms == part->end() || !ms->is_number()) return 0;
    const double value = ms->get<double>();
    return std::isfinite(value) && value > 0 ? value : 0;
}

Json span(Lane lane, std::string name, const char* category, double start_ms, double duration_ms, Json arguments) {
    return {{"ph", "X"},
            {"pid", 1},
            {"tid", static_cast<int>(lane)},
            {"name", std::move(name)},
            {"cat", category},
            {"ts", start_ms * 1000},
            {"dur", duration_ms * 1000},
            {"args", std::move(arguments)}};
}

Json metadata(const char* what, int lane, std::string_view name) {
    return {{"ph", "M"}, {"pid", 1}, {"tid", lane}, {"name", what}, {"args", {{"name", name}}}};
}

} // namespace

Result<void> export_chrome(const SessionFile& session, const Sink& sink) {
    const auto name = session.task_name();
    if (!name) return std::unexpected(name.error());
    const auto summaries = session.steps();
    if (!summaries) return std::unexpected(summaries.error());
    std::int64_t first_ms = summaries->empty() ? 0 : summaries->front().started_ms;
    for (const auto& step : *summaries) first_ms = std::min(first_ms, step.started_ms);

    if (auto done =
            sink(fmt::format(R"({{"displayTimeUnit":"ms","baseTimeNanoseconds":{},"traceEvents":[{})",
                             std::max<std::int64_t>(0, std::min(first_ms, std::int64_t{9'000'000'000'000})) * 1'000'000,
                             dump(metadata("process_name", 0, "session of " + *name))));
        !done)
        return done;
    const auto put = [&sink](const Json& event) { return sink(",\n" + dump(event)); };
    for (const auto& [lane, label] : kLanes)
        if (auto done = put(metadata("thread_name", lane, label)); !done) return done;

    auto done = for_each_step(session, [&](const Step& step) -> Result<void> {
        const auto& facts = step.summary;
        const auto start = static_cast<double>(facts.started_ms) - static_cast<double>(first_ms);
        const auto length = std::max(0.0, static_cast<double>(facts.ended_ms) - static_cast<double>(facts.started_ms));
        if (auto put_step = put(span(steps_lane, fmt::format("{} {}", facts.id, facts.title), "step", start, length,
                                     {{"step", facts.id},
                                      {"parent", or_null(facts.parent)},
                                      {"driver", facts.driver},
                                      {"reward", or_null(facts.reward)},
                                      {"speedup", or_null(facts.speedup)},
                                      {"median_us", or_null(facts.median_us)},
                                      {"because", facts.because}}));
            !put_step)
            return put_step;
        double at = start;
        for (const auto& call : step.tool_calls) {
            const double took = std::min(std::isfinite(call.milliseconds) ? std::max(0.0, call.milliseconds) : 0.0,
                                         start + length - at);
            if (auto put_call = put(span(tools_lane, call.name, "tool", at, took, {{"ok", call.ok}})); !put_call)
                return put_call;
            at += took;
        }
        if (step.evaluation && step.evaluation->is_object()) {
            double total = 0;
            for (const auto* stage : kStages) total += duration_of(*step.evaluation, stage);
            // Where the clock was set meanwhile, or a trace says nonsense, stages still lie within their step.
            const double scale = total > length && total > 0 ? length / total : 1;
            double stage_at = start + length - total * scale;
            for (const auto* stage : kStages) {
                const double took = duration_of(*step.evaluation, stage) * scale;
                if (took <= 0) continue;
                if (auto put_stage = put(span(stages_lane, stage, "evaluation", stage_at, took, {{"step", facts.id}}));
                    !put_stage)
                    return put_stage;
                stage_at += took;
            }
        }
        if (!facts.reward) return {};
        return put({{"ph", "C"},
                    {"pid", 1},
                    {"tid", 0},
                    {"name", "reward"},
                    {"ts", (start + length) * 1000},
                    {"args", {{"reward", *facts.reward}}}});
    });
    if (!done) return done;
    return sink("\n]}\n");
}

} // namespace kw::trajectory
