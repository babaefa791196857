#include "agent/trajectory/import_readers.h"

#include <fmt/format.h>

#include <utility>

namespace kw::trajectory {
namespace {

void read_results(TraceBuilder& builder, std::optional<Element> results, std::int64_t ms, std::size_t& orphans) {
    for_each(results, [&](Element result) {
        auto text = content_text(member(result, "content"));
        const auto id = text_at(result, "source_call_id");
        if (!id.empty() && builder.result(id, text, true, ms)) return;
        if (!id.empty()) ++orphans;
        // What the environment says without being asked.
        if (!text.empty() && builder.last()) builder.last()->messages.push_back({"user", std::move(text)});
    });
}

/// What this program's own export says of a step.
void read_extra(Turn& turn, std::optional<Element> extra, const std::unordered_map<std::int64_t, std::size_t>& steps) {
    if (const auto parent = number_at(extra, "parent"))
        if (const auto found = steps.find(static_cast<std::int64_t>(*parent)); found != steps.end())
            turn.parent = found->second;
    const auto reward = number_at(extra, "reward");
    if (!reward) return;
    Outcome outcome{.correct = *reward > 0,
                    .because = "as the trace has it",
                    .reward = reward,
                    .median_us = number_at(extra, "median_us"),
                    .speedup = number_at(extra, "speedup"),
                    .estimated = flag_at(extra, "estimated")};
    if (!turn.calls.empty() && turn.calls.back().call.name == "evaluate")
        outcome.because = turn.calls.back().call.result;
    turn.evaluation = evaluation_of(outcome, "");
}

} // namespace

Result<Trace> read_atif(Element root, std::stop_token stop) {
    TraceBuilder builder{"atif"};
    const auto agent = member(root, "agent");
    std::size_t copied = 0, orphans = 0;
    std::unordered_map<std::int64_t, std::size_t> steps;
    for_each(member(root, "steps"), [&](Element step) {
        if (stop.stop_requested()) return;
        // A trace that goes on from another one repeats it.
        if (flag_at(step, "is_copied_context")) {
            ++copied;
            return;
        }
        const auto source = text_at(step, "source");
        auto text = content_text(member(step, "message"));
        if (source != "agent") {
            builder.told(source == "system" ? "system" : "user", std::move(text));
            return;
        }
        const auto ms = time_ms(member(step, "timestamp"));
        auto& turn = builder.turn(ms);
        turn.messages.push_back({"assistant", std::move(text), std::string{text_at(step, "reasoning_content")}});
        const auto metrics = member(step, "metrics");
        turn.usage = {.prompt_tokens = count_at(metrics, "prompt_tokens"),
                      .cached_tokens = count_at(metrics, "cached_tokens"),
                      .completion_tokens = count_at(metrics, "completion_tokens"),
                      .cost_usd = number_at(metrics, "cost_usd")};
        if (!metrics) turn.usage.cost_usd = 0;
        for_each(member(step, "tool_calls"), [&](Element call) {
            const auto arguments = member(call, "arguments");
            builder.call({.call = {.id = std::string{text_at(call, "tool_call_id")},
                                   .name = std::string{text_at(call, "function_name")},
                                   .arguments = arguments ? to_json(*arguments) : Json::object()}});
        });
        read_results(builder, member(member(step, "observation"), "results"), ms, orphans);
        const auto extra = member(step, "extra");
        read_extra(builder.at(builder.size() - 1), extra, steps);
        if (const auto id = number_at(extra, "step")) steps[static_cast<std::int64_t>(*id)] = builder.size() - 1;
    });
    builder.left_out(copied, "steps that repeat another trace");
    builder.left_out(orphans, "links of results to calls that the trace does not have");
    if (const auto model = text_at(agent, "model_name"); !model.empty())
        builder.note(fmt::format("the agent was {} with the model {}", text_at(agent, "name"), model));
    return builder.take();
}

} // namespace kw::trajectory
