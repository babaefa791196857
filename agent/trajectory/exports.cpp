#include "agent/trajectory/exports.h"

#include "agent/trajectory/exports_common.h"
#include "engine/base/version.h"

#include <fmt/format.h>

namespace kw::trajectory {
namespace {

std::string csv_text(std::string_view given) {
    std::string text{given};
    // A spreadsheet takes these for a formula, and texts come from models and other people's traces.
    if (text.find_first_of("=+-@\t\r") == 0) text.insert(0, 1, '\'');
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return text;
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"') result += '"';
        result += c;
    }
    return result + '"';
}

template<class T> std::string cell(const std::optional<T>& value) { return value ? fmt::format("{}", *value) : ""; }

/// What an agent is told of its step.
std::string observation(const StepSummary& step) {
    std::string text = step.because;
    if (step.median_us)
        text = fmt::format("{:.4g} µs{}; {}", *step.median_us, step.estimated ? " (estimate)" : "", text);
    return text;
}

Json tool_call(const ToolCall& call) {
    return {{"tool_call_id", call.id}, {"function_name", call.name}, {"arguments", call.arguments}};
}

Json atif_step(const Step& step, int number) {
    const auto& facts = step.summary;
    Json json{{"step_id", number}, {"timestamp", timestamp(facts.ended_ms)}, {"source", "agent"}};
    json["message"] = step.thought.empty() ? facts.title : step.thought;
    std::string reasoning;
    for (const auto& message : step.messages) reasoning += message.reasoning;
    if (!reasoning.empty()) json["reasoning_content"] = reasoning;
    auto calls = Json::array();
    auto results = Json::array();
    for (const auto& call : step.tool_calls) {
        calls.push_back(tool_call(call));
        results.push_back({{"source_call_id", call.id}, {"content", call.result}});
    }
    // Every step evaluates its source, be it that a tool asked for it or that the loop did.
    const auto evaluation_id = fmt::format("evaluate_{}", facts.id);
    calls.push_back(
        {{"tool_call_id", evaluation_id},
         {"function_name", "evaluate"},
         {"arguments", {{"file", step.file}, {"source", step.source}, {"configuration", step.configuration}}}});
    results.push_back({{"source_call_id", evaluation_id}, {"content", observation(facts)}});
    json["tool_calls"] = std::move(calls);
    json["observation"] = {{"results", std::move(results)}};
    json["metrics"] = {{"prompt_tokens", facts.usage.prompt_tokens},
                       {"completion_tokens", facts.usage.completion_tokens},
                       {"cached_tokens", facts.usage.cached_tokens}};
    if (facts.usage.cost_usd) json["metrics"]["cost_usd"] = *facts.usage.cost_usd;
    json["extra"] = {{"step", facts.id},
                     {"parent", or_null(facts.parent)},
                     {"driver", facts.driver},
                     {"reward", or_null(facts.reward)},
                     {"speedup", or_null(facts.speedup)},
                     {"median_us", or_null(facts.median_us)},
                     {"estimated", facts.estimated}};
    return json;
}

} // namespace

Json to_json(const Step& step) {
    auto json = to_json(step.summary);
    json["thought"] = step.thought;
    json["file"] = step.file;
    json["configuration"] = step.configuration;
    json["source"] = step.source;
    json["evaluation"] = step.evaluation ? *step.evaluation : Json(nullptr);
    return json;
}

Json to_json(const StepSummary& step) {
    return {{"step", step.id},
            {"parent", or_null(step.parent)},
            {"driver", step.driver},
            {"title", step.title},
            {"source_sha256", step.source_sha256},
            {"correct", or_null(step.correct)},
            {"reward", or_null(step.reward)},
            {"speedup", or_null(step.speedup)},
            {"median_us", or_null(step.median_us)},
            {"estimated", step.estimated},
            {"because", step.because},
            {"lines_added", step.lines_added},
            {"lines_removed", step.lines_removed},
            {"prompt_tokens", step.usage.prompt_tokens},
            {"cached_tokens", step.usage.cached_tokens},
            {"completion_tokens", step.usage.completion_tokens},
            {"reasoning_tokens", step.usage.reasoning_tokens},
            {"cost_usd", or_null(step.usage.cost_usd)},
            {"started", timestamp(step.started_ms)},
            {"ended", timestamp(step.ended_ms)}};
}

Result<void> export_csv(const SessionFile& session, const Sink& sink) {
    const auto steps = session.steps();
    if (!steps) return std::unexpected(steps.error());
    if (auto done = sink("step,parent,driver,title,correct,reward,speedup,median_us,estimated,because,lines_added,"
                         "lines_removed,prompt_tokens,cached_tokens,completion_tokens,reasoning_tokens,cost_usd,"
                         "started,ended\r\n");
        !done)
        return done;
    for (const auto& step : *steps) {
        const auto row =
            fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", step.id, cell(step.parent),
                        csv_text(step.driver), csv_text(step.title), cell(step.correct), cell(step.reward),
                        cell(step.speedup), cell(step.median_us), step.estimated, csv_text(step.because),
                        step.lines_added, step.lines_removed, step.usage.prompt_tokens, step.usage.cached_tokens,
                        step.usage.completion_tokens, step.usage.reasoning_tokens, cell(step.usage.cost_usd),
                        timestamp(step.started_ms), timestamp(step.ended_ms));
        if (auto done = sink(row); !done) return done;
    }
    return {};
}

Result<void> export_jsonl(const SessionFile& session, const Sink& sink) {
    return for_each_step(session, [&](const Step& step) { return sink(dump(to_json(step)) + '\n'); });
}

Result<void> export_atif(const SessionFile& session, const Sink& sink) {
    const auto steps = session.steps();
    if (!steps) return std::unexpected(steps.error());
    const auto name = session.task_name();
    if (!name) return std::unexpected(name.error());
    const auto files = session.task_files();
    if (!files) return std::unexpected(files.error());

    Json agent{{"name", "kernelwright"}, {"version", version()}};
    if (!steps->empty()) agent["extra"] = {{"driver", steps->front().driver}};
    auto request = fmt::format("Make the kernel of task {} faster, keeping it correct.", *name);
    if (const auto task = files->find("task.toml"); task != files->end()) request += "\n\n" + task->second;
    Json first{{"step_id", 1}, {"source", "user"}, {"message", request}};
    auto done = sink(fmt::format("{{\"schema_version\":\"ATIF-v1.7\",\"session_id\":{},\"agent\":{},\"steps\":[{}",
                                 dump(Json(session.path().stem().string())), dump(agent), dump(first)));
    if (!done) return done;
    int number = 1;
    Usage total;
    done = for_each_step(session, [&](const Step& step) {
        total += step.summary.usage;
        return sink("," + dump(atif_step(step, ++number)));
    });
    if (!done) return done;
    Json metrics{{"total_prompt_tokens", total.prompt_tokens},
                 {"total_completion_tokens", total.completion_tokens},
                 {"total_cached_tokens", total.cached_tokens},
                 {"total_steps", number}};
    if (total.cost_usd) metrics["total_cost_usd"] = *total.cost_usd;
    return sink(fmt::format("],\"final_metrics\":{}}}\n", dump(metrics)));
}

} // namespace kw::trajectory
