#include "agent/trajectory/import_readers.h"

#include <fmt/format.h>

namespace kw::trajectory {
namespace {

/// A step's `state` is an object, or in older files text that holds one.
std::string open_file_of(std::optional<Element> state) {
    std::string name{text_at(state, "open_file")};
    if (state && state->is_string())
        if (const auto parsed = Document::parse(std::string{text_of(state)}))
            name = text_at((*parsed)->root(), "open_file");
    return name == "n/a" ? std::string{} : name;
}

bool refused(std::string_view observation) {
    return observation.starts_with("Your proposed edit has introduced new syntax error")
           || observation.starts_with("No replacement was performed") || observation.starts_with("Error")
           || observation.starts_with("ERROR");
}

void read_steps(TraceBuilder& builder, Element steps, const std::stop_token& stop) {
    for_each(steps, [&](Element step) {
        if (stop.stop_requested()) return;
        auto& turn = builder.turn(0);
        std::string thought{text_at(step, "thought")};
        if (thought.empty()) thought = text_at(step, "response");
        turn.messages.push_back({"assistant", std::move(thought)});
        const std::string action{text_at(step, "action")};
        if (action.empty()) return;
        std::string observation{text_at(step, "observation")};
        const bool ok = !refused(observation);
        TracedCall traced{.call = {.id = {}, .name = "bash", .arguments = {{"command", action}}}};
        traced.call.result = std::move(observation);
        traced.call.ok = ok;
        // The state is the one after the action.
        traced.open_file = open_file_of(member(step, "state"));
        if (const auto seconds = number_at(step, "execution_time"); seconds && *seconds > 0)
            traced.call.milliseconds = *seconds * 1000;
        builder.call(std::move(traced));
    });
}

/// The conversation, in files that have nothing else.
void read_history(TraceBuilder& builder, Element history, const std::stop_token& stop) {
    std::string call;
    for_each(history, [&](Element message) {
        if (stop.stop_requested()) return;
        const auto role = text_at(message, "role");
        auto text = content_text(member(message, "content"));
        if (role == "assistant") {
            auto& turn = builder.turn(0);
            std::string thought{text_at(message, "thought")};
            turn.messages.push_back({"assistant", thought.empty() ? std::move(text) : std::move(thought)});
            call.clear();
            if (const auto action = text_at(message, "action"); !action.empty()) {
                builder.call({.call = {.id = {}, .name = "bash", .arguments = {{"command", std::string{action}}}}});
                call = builder.last()->calls.back().call.id;
            }
            return;
        }
        const bool ok = !refused(text);
        if ((role == "user" || role == "tool") && !call.empty() && builder.result(call, text, ok, 0))
            call.clear();
        else
            builder.told(role == "system" ? "system" : "user", std::move(text));
    });
}

} // namespace

Result<Trace> read_swe_agent(Element root, std::stop_token stop) {
    TraceBuilder builder{"swe-agent"};
    const auto steps = member(root, "trajectory");
    const auto history = member(root, "history");
    const bool has_steps = steps && steps->is_array() && steps->get_array().value_unsafe().size() > 0;
    if (has_steps) {
        // What the agent was told first is in the conversation alone.
        bool before = true;
        for_each(history, [&](Element message) {
            const auto role = text_at(message, "role");
            before = before && (role == "system" || role == "user");
            if (before) builder.told(std::string{role}, content_text(member(message, "content")));
        });
        read_steps(builder, *steps, stop);
    } else if (history) {
        read_history(builder, *history, stop);
    }
    const auto info = member(root, "info");
    if (const auto stats = member(info, "model_stats"); stats && builder.last()) {
        auto cost = number_at(stats, "instance_cost");
        if (!cost) cost = number_at(stats, "total_cost");
        builder.last()->usage = {.prompt_tokens = count_at(stats, "tokens_sent"),
                                 .completion_tokens = count_at(stats, "tokens_received"),
                                 .cost_usd = cost};
        builder.note("tokens and cost are those of the whole run, at its last step");
    }
    if (const auto status = text_at(info, "exit_status"); !status.empty())
        builder.note(fmt::format("the run ended with: {}", status));
    builder.trace().task = text_at(root, "instance_id");
    return builder.take();
}

} // namespace kw::trajectory
