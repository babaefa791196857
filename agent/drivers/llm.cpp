#include "agent/drivers/llm.h"

#include "agent/drivers/llm_prompt.h"
#include "agent/llm/json_text.h"
#include "agent/tools/feedback.h"
#include "agent/tools/tool_specs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

namespace kw::agent {
namespace {

using llm::Turn;

/// Replies without an attempt after which a model is given up.
constexpr int kMostReplies = 60;
/// Turns in a row that end with nothing changed: the second says that there is nothing more.
constexpr int kMostQuietTurns = 2;
/// Tool calls of one reply that are done; the others are told to be too many.
constexpr std::size_t kMostCalls = 32;
constexpr std::size_t kLongestTitle = 80;
constexpr std::size_t kLongestThought = 8000;
/// Conversations that the server finds too long, in a row.
constexpr int kMostTooLong = 3;

std::string title_of(std::string_view text) {
    // What stands in a fence is no title, nor is the fence.
    for (bool fenced = false; !text.empty();) {
        const auto end = text.find('\n');
        const auto line = text.substr(0, end);
        const bool fence = line.substr(std::min(line.find_first_not_of(" \t"), line.size())).starts_with("```");
        if (!fence && !fenced && line.find_first_not_of(" \t\r#*") != line.npos) break;
        if (fence) fenced = !fenced;
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    const auto start = text.find_first_not_of(" \t\r\n#*");
    if (start == text.npos) return {};
    auto line = text.substr(start, text.find('\n', start) - start);
    if (const auto stop = line.find(". "); stop != line.npos) line = line.substr(0, stop);
    return std::string{llm::utf8_prefix(line, kLongestTitle)};
}

} // namespace

Result<std::unique_ptr<LlmDriver>> LlmDriver::make(llm::Provider& provider, const trajectory::SessionFile& session,
                                                   tools::Services services, LlmOptions options) {
    if (options.files.find(options.file) == options.files.end())
        return fail(Stage::usage, ErrorCode::not_found, fmt::format("the task has no file '{}'", options.file));
    options.files[options.file] = options.source;
    // A reply may not take the whole context.
    options.settings.max_tokens =
        std::clamp<std::int64_t>(options.settings.max_tokens, 1, std::max<std::int64_t>(options.context / 3, 1));
    services.session = &session;
    return std::unique_ptr<LlmDriver>{new LlmDriver{provider, session, std::move(services), std::move(options)}};
}

LlmDriver::LlmDriver(llm::Provider& provider, const trajectory::SessionFile& session, tools::Services services,
                     LlmOptions options)
    : provider_(provider),
      session_(session),
      options_(std::move(options)),
      scratch_(options_.files, options_.file),
      toolbox_(scratch_, std::move(services)),
      context_(options_.context),
      evaluated_(options_.source),
      parent_(options_.parent) {
    options_.message = clean(std::move(options_.message));
}

Result<std::optional<Proposal>> LlmDriver::propose(std::stop_token stop) {
    while (!ended_) {
        auto made = work_off(stop);
        if (!made || *made) return made;
        if (options_.control) options_.control->wait(stop);
        if (stop.stop_requested()) return fail(Stage::usage, ErrorCode::cancelled, "stopped");
        if (used_up()) break;
        if (auto asked = ask(stop); !asked) return std::unexpected(std::move(asked.error()));
        if (ended_ || !reply_.tool_uses.empty()) continue;
        if (auto changed = end_of_turn()) return changed;
    }
    return std::nullopt;
}

Result<void> LlmDriver::begin() {
    auto task = task_text(options_);
    if (!task) return std::unexpected(task.error());
    conversation_ = {.system = system_text(options_.files)};
    const auto room = context_ - options_.settings.max_tokens;
    std::int64_t needed = 0;
    for (const SummaryLimits limits : {SummaryLimits{}, SummaryLimits{8, true}, SummaryLimits{4, false}}) {
        auto summary = summary_text(session_, options_.file, scratch_.candidate(), last_result_, limits);
        if (!summary) return std::unexpected(summary.error());
        conversation_.turns = {{.role = Turn::Role::user, .text = clean(*task + *summary)}};
        needed = estimate_(bytes_of(conversation_, tools::tool_specs()));
        if (needed > room) continue;
        anew_ = false;
        messages_.push_back({"system", conversation_.system});
        messages_.push_back({"user", conversation_.turns.front().text});
        return {};
    }
    return fail(
        Stage::usage, ErrorCode::invalid_input,
        fmt::format("task, skill text and candidate take about {} tokens, and the context of {} leaves {} beside "
                    "a reply; give the model's context with --context",
                    needed, context_, room));
}

Result<std::optional<Proposal>> LlmDriver::work_off(const std::stop_token& stop) {
    while (next_use_ < reply_.tool_uses.size()) {
        const auto use = reply_.tool_uses[next_use_++];
        if (next_use_ > kMostCalls) {
            answer(use, fmt::format("not done: at most {} calls at a time", kMostCalls), false, 0);
            continue;
        }
        if (options_.on_activity) options_.on_activity(tools::find_tool(use.name) ? use.name : "an unknown tool");
        const auto start = std::chrono::steady_clock::now();
        auto outcome = toolbox_.run(use, stop);
        if (!outcome) return std::unexpected(std::move(outcome.error()));
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        if (outcome->restored) {
            parent_ = outcome->restored;
            evaluated_ = scratch_.candidate();
        }
        if (outcome->evaluate) {
            verifying_ = use;
            return proposal(std::move(outcome->title));
        }
        answer(use, std::move(outcome->text), outcome->ok, took.count());
    }
    if (!reply_.tool_uses.empty()) {
        conversation_.turns.push_back({.role = Turn::Role::user, .results = std::exchange(results_, {})});
        reply_ = {};
        next_use_ = 0;
    }
    return std::nullopt;
}

void LlmDriver::answer(const llm::ToolUse& use, std::string text, bool ok, double milliseconds) {
    text = clean(std::move(text));
    messages_.push_back({"tool", text});
    calls_.push_back({use.id, use.name, use.arguments, text, ok, milliseconds});
    results_.push_back({use.id, std::move(text), ok});
}

Result<void> LlmDriver::ask(const std::stop_token& stop) {
    for (int too_long = 0;;) {
        const auto size = bytes_of(conversation_, tools::tool_specs());
        if (anew_ || estimate_(size) > context_ - options_.settings.max_tokens) {
            if (auto begun = begin(); !begun) return begun;
        }
        if (too_long == 0)
            if (auto told = tell_decisions(); !told) return told;
        const auto bytes = bytes_of(conversation_, tools::tool_specs());
        auto reply = ask_once(stop);
        if (!reply) {
            if (!llm::context_exceeded(reply.error()) || ++too_long == kMostTooLong)
                return std::unexpected(std::move(reply.error()));
            // The context is smaller than was said, or the estimate too low.
            context_ = std::min(context_, estimate_(bytes) + options_.settings.max_tokens) * 3 / 4;
            options_.settings.max_tokens =
                std::min(options_.settings.max_tokens, std::max<std::int64_t>(context_ / 3, 1));
            anew_ = true;
            continue;
        }
        account(*reply, bytes);
        anew_ = bound(*reply);
        reply_ = std::move(*reply);
        break;
    }
    ++replies_;
    messages_.push_back({"assistant", reply_.text, reply_.reasoning});
    if (!reply_.text.empty()) thought_ += (thought_.empty() ? "" : "\n\n") + reply_.text;
    conversation_.turns.push_back(
        {.role = Turn::Role::assistant, .text = reply_.text, .tool_uses = reply_.tool_uses, .state = reply_.state});
    next_use_ = 0;
    results_.clear();
    if (!reply_.tool_uses.empty()) quiet_turns_ = 0;
    if (reply_.finish == llm::Reply::Finish::refusal) finish_with(End::no_more, "the model refused to go on");
    return {};
}

Result<llm::Reply> LlmDriver::ask_once(const std::stop_token& stop) {
    if (options_.on_activity) options_.on_activity("the model writes");
    return provider_.complete(conversation_, tools::tool_specs(), options_.settings, options_.on_delta, stop);
}

void LlmDriver::account(const llm::Reply& reply, std::size_t bytes) {
    const auto& tokens = reply.tokens;
    trajectory::Usage used{tokens.prompt, tokens.cached, tokens.completion, tokens.reasoning};
    if (tokens.known) {
        estimate_.learn(bytes, tokens.prompt);
    } else {
        used.prompt_tokens = estimate_(bytes);
        used.completion_tokens = estimate_(reply.text.size() + reply.reasoning.size());
    }
    used.cost_usd = llm::cost_of(tokens, options_.prices ? &*options_.prices : nullptr);
    usage_ += used;
    total_ += used;
}

std::optional<Proposal> LlmDriver::end_of_turn() {
    if (auto source = fenced_candidate(reply_.text); !source.empty() && source != scratch_.candidate())
        if (const auto written = scratch_.write({}, std::move(source)); !written) user_says(written.error().message);
    if (scratch_.candidate() != evaluated_) {
        quiet_turns_ = 0;
        verifying_.reset();
        return proposal({});
    }
    if (++quiet_turns_ >= kMostQuietTurns) {
        finish_with(End::no_more, "the model has nothing more to try");
        return std::nullopt;
    }
    if (reply_.finish == llm::Reply::Finish::length)
        user_says(fmt::format("Your reply was cut off at {} tokens. Say less, and go on with a tool call.",
                              options_.settings.max_tokens));
    else
        user_says("The candidate has not changed since it was last evaluated. Go on with a tool call; if nothing "
                  "worthwhile is left to try, say so again.");
    return std::nullopt;
}

void LlmDriver::user_says(std::string text) {
    text = clean(std::move(text));
    messages_.push_back({"user", text});
    // Two turns of one party are more than some servers take.
    if (auto& turns = conversation_.turns; !turns.empty() && turns.back().role == Turn::Role::user) {
        auto& last = turns.back().text;
        last += (last.empty() ? "" : "\n\n") + text;
    } else {
        turns.push_back({.role = Turn::Role::user, .text = std::move(text)});
    }
}

Result<void> LlmDriver::tell_decisions() {
    const auto decisions = session_.decisions();
    if (!decisions) return std::unexpected(decisions.error());
    const auto seen = std::min(std::exchange(decisions_told_, decisions->size()), decisions->size());
    if (auto text = decisions_text(std::span{*decisions}.subspan(seen)); !text.empty()) user_says(std::move(text));
    return {};
}

bool LlmDriver::used_up() {
    const auto& budget = options_.budget;
    if (budget.tokens && total_.prompt_tokens + total_.completion_tokens >= *budget.tokens)
        finish_with(End::tokens, {});
    else if (budget.cost_usd && !total_.cost_usd)
        finish_with(End::cost, "what the model costs is not known, so that a budget of money cannot be kept to");
    else if (budget.cost_usd && *total_.cost_usd >= *budget.cost_usd)
        finish_with(End::cost, {});
    else if (replies_ >= kMostReplies)
        finish_with(End::stalled, fmt::format("{} replies of the model brought no attempt", replies_));
    return ended_;
}

void LlmDriver::finish_with(End end, std::string why) {
    ended_ = true;
    end_ = end;
    ending_ = std::move(why);
}

Proposal LlmDriver::proposal(std::string title) {
    if (title.empty()) title = title_of(thought_);
    if (title.empty()) title = "a change without a word";
    Proposal made{.parent = parent_, .title = clean(std::move(title)), .source = scratch_.candidate()};
    made.thought = llm::shortened(std::exchange(thought_, {}), kLongestThought);
    made.configuration = options_.configuration;
    made.messages = std::exchange(messages_, {});
    made.tool_calls = std::exchange(calls_, {});
    made.usage = std::exchange(usage_, {});
    unwritten_ = Leftover{made.messages, made.tool_calls, made.usage};
    replies_ = 0;
    return made;
}

void LlmDriver::complete(trajectory::Step& step) {
    // Its facts, which writing it computes too, are needed for what the model is told.
    trajectory::summarize_evaluation(step);
    last_result_ = step.evaluation ? tools::evaluation_text(*step.evaluation, scratch_.files())
                                   : "it could not be evaluated: " + step.summary.because;
    if (auto steps = session_.steps()) last_result_ += trend_text(std::move(*steps), step.summary);
    last_result_ = clean(std::move(last_result_));
    const bool ok = step.summary.correct.value_or(false);
    if (verifying_) {
        const auto milliseconds = static_cast<double>(step.summary.ended_ms - step.summary.started_ms);
        answer(*verifying_, last_result_, ok, milliseconds);
        verifying_.reset();
    } else {
        user_says("Your candidate has been evaluated.\n\n" + last_result_);
    }
    std::ranges::move(std::exchange(messages_, {}), std::back_inserter(step.messages));
    std::ranges::move(std::exchange(calls_, {}), std::back_inserter(step.tool_calls));
}

void LlmDriver::learn(const trajectory::Step& step) {
    unwritten_.reset();
    evaluated_ = step.source;
    parent_ = step.summary.id;
}

std::optional<Leftover> LlmDriver::leftover() {
    if (messages_.empty() && !unwritten_) return std::nullopt;
    auto left = std::exchange(unwritten_, {}).value_or(Leftover{});
    std::ranges::move(std::exchange(messages_, {}), std::back_inserter(left.messages));
    std::ranges::move(std::exchange(calls_, {}), std::back_inserter(left.tool_calls));
    left.usage += std::exchange(usage_, {});
    return left;
}

} // namespace kw::agent
