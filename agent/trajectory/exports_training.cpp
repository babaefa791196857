#include "agent/trajectory/exports.h"
#include "agent/trajectory/exports_common.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace kw::trajectory {
namespace {

std::string fenced(const std::string& text, std::string_view language) {
    const std::string_view fence = text.find("```") == std::string::npos ? "```" : "`````";
    return fmt::format("{}{}\n{}{}{}", fence, language, text, text.ends_with('\n') ? "" : "\n", fence);
}

/// Prompts and completions of single steps.
class Prompts {
public:
    static Result<Prompts> of(const SessionFile& session) {
        Prompts prompts{session};
        auto name = session.task_name();
        if (!name) return std::unexpected(std::move(name.error()));
        auto files = session.task_files();
        if (!files) return std::unexpected(std::move(files.error()));
        prompts.name_ = std::move(*name);
        prompts.files_ = std::move(*files);
        return prompts;
    }

    /// What a step is asked for: the task, and the source that it begins from; of the task's own when `from` is none.
    Result<Json> prompt(std::optional<StepId> from, const std::string& file) {
        std::string text = fmt::format("Make the CUDA kernel of the task {} faster, keeping it correct.", name_);
        if (const auto task = files_.find("task.toml"); task != files_.end())
            text += "\n\ntask.toml:\n" + fenced(task->second, "toml");
        if (from) {
            // Siblings follow each other more often than not.
            if (!parent_ || parent_->summary.id != *from) {
                auto parent = session_->step(*from);
                if (!parent) return std::unexpected(std::move(parent.error()));
                parent_ = std::move(*parent);
            }
            if (parent_->has_source())
                text += fmt::format("\n\n{}:\n", parent_->file) + fenced(parent_->source, "cuda");
        } else if (const auto kernel = files_.find(file); kernel != files_.end()) {
            text += fmt::format("\n\n{}:\n", file) + fenced(kernel->second, "cuda");
        }
        return Json::array({{{"role", "user"}, {"content", std::move(text)}}});
    }

    /// A step that is likely to be the next one's parent.
    void remember(Step step) { parent_ = std::move(step); }

    static Json completion(const Step& step) {
        auto text = step.thought.empty() ? step.summary.title : step.thought;
        if (!text.empty()) text += "\n\n";
        return Json::array({{{"role", "assistant"}, {"content", text + fenced(step.source, "cuda")}}});
    }

private:
    explicit Prompts(const SessionFile& session) : session_(&session) {}

    const SessionFile* session_;
    std::string name_;
    task::Files files_;
    std::optional<Step> parent_;
};

/// The tools that a conversation called.
class Tools {
public:
    void saw(const ToolCall& call) {
        auto& names = seen_[call.name];
        if (!call.arguments.is_object()) return;
        for (const auto& [name, value] : call.arguments.items()) names.insert(name);
    }
    [[nodiscard]] Json schemas(const TrainingOptions& options) const {
        Json list = Json::array();
        for (const auto& [name, arguments] : seen_) {
            if (const auto known = options.tools.find(name); known != options.tools.end()) {
                list.push_back(known->second);
                continue;
            }
            Json properties = Json::object();
            for (const auto& argument : arguments) properties[argument] = Json::object();
            list.push_back(
                {{"type", "function"},
                 {"function",
                  {{"name", name}, {"parameters", {{"type", "object"}, {"properties", std::move(properties)}}}}}});
        }
        return list;
    }

private:
    std::map<std::string, std::set<std::string>> seen_;
};

/// Writes the messages of one conversation as they come. A reply's calls are those whose results follow it.
class ConversationWriter {
public:
    ConversationWriter(const Sink& sink, Tools& tools) : sink_(sink), tools_(tools) {}

    Result<void> message(const Message& message, const ToolCall* call) {
        if (message.role == "tool") {
            if (!reply_ || !call) return {};
            tools_.saw(*call);
            (*reply_)["tool_calls"].push_back(
                {{"id", call->id},
                 {"type", "function"},
                 {"function", {{"name", call->name}, {"arguments", dump(call->arguments)}}}});
            results_.push_back(
                {{"role", "tool"}, {"tool_call_id", call->id}, {"name", call->name}, {"content", message.content}});
            return {};
        }
        if (auto done = flush(); !done) return done;
        Json json{{"role", message.role}, {"content", message.content}};
        if (!message.reasoning.empty()) json["reasoning_content"] = message.reasoning;
        if (message.role != "assistant") return put(json);
        reply_ = std::move(json);
        return {};
    }
    Result<void> flush() {
        if (!reply_) return {};
        auto done = put(*std::exchange(reply_, {}));
        for (const auto& result : std::exchange(results_, {}))
            if (done) done = put(result);
        return done;
    }
    Result<void> put(const Json& json) { return sink_(std::exchange(first_, false) ? dump(json) : "," + dump(json)); }

private:
    const Sink& sink_;
    Tools& tools_;
    std::optional<Json> reply_;
    std::vector<Json> results_;
    bool first_ = true;
};

/// Which steps make a conversation together.
struct Chain {
    std::vector<StepSummary> steps;
    std::vector<std::ptrdiff_t> before; ///< index of the step that the conversation came from; −1: none
    std::vector<char> begins;           ///< has a system message, or no message at all
};

Result<Chain> chain_of(const SessionFile& session) {
    auto steps = session.steps();
    if (!steps) return std::unexpected(std::move(steps.error()));
    Chain chain{.steps = std::move(*steps), .before = {}, .begins = {}};
    std::map<StepId, std::ptrdiff_t> index;
    std::vector<char> silent;
    for (std::size_t i = 0; i < chain.steps.size(); ++i) {
        const auto& step = chain.steps[i];
        const auto talk = session.conversation(step.id);
        if (!talk) return std::unexpected(talk.error());
        const bool system = std::ranges::any_of(talk->messages, [](const auto& m) { return m.role == "system"; });
        std::ptrdiff_t before = -1;
        if (step.driver.starts_with("llm:"))
            before = static_cast<std::ptrdiff_t>(i) - 1;
        else if (const auto parent = step.parent ? index.find(*step.parent) : index.end(); parent != index.end())
            before = parent->second;
        // A step without messages is a conversation of its own: nothing goes on from it.
        if (const auto from = static_cast<std::size_t>(before);
            before >= 0 && (silent[from] || chain.steps[from].driver != step.driver))
            before = -1;
        index[step.id] = static_cast<std::ptrdiff_t>(i);
        chain.before.push_back(before);
        silent.push_back(talk->messages.empty());
        chain.begins.push_back(system || talk->messages.empty());
    }
    return chain;
}

Result<void> write_conversation(const SessionFile& session, const std::vector<StepId>& path, Prompts& prompts,
                                const TrainingOptions& options, const Sink& sink) {
    auto last = session.step(path.back());
    if (!last) return std::unexpected(last.error());
    Tools tools;
    if (auto done = sink(R"({"messages":[)"); !done) return done;
    ConversationWriter writer{sink, tools};
    const auto& facts = last->summary;
    if (last->messages.empty()) {
        auto prompt = prompts.prompt(facts.parent, last->file);
        if (!prompt) return std::unexpected(std::move(prompt.error()));
        for (const auto& message : {prompt->front(), Prompts::completion(*last).front()})
            if (auto done = writer.put(message); !done) return done;
    }
    bool begun = false;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const auto talk = session.conversation(path[i]);
        if (!talk) return std::unexpected(talk.error());
        std::size_t first = 0;
        if (i == 0)
            for (std::size_t at = 0; at < talk->messages.size(); ++at)
                if (talk->messages[at].role == "system") first = at;
        std::size_t call = 0;
        for (std::size_t at = 0; at < talk->messages.size(); ++at) {
            const auto& message = talk->messages[at];
            const ToolCall* its_call =
                message.role == "tool" && call < talk->tool_calls.size() ? &talk->tool_calls[call++] : nullptr;
            if (at < first) continue;
            if (!std::exchange(begun, true) && message.role != "system" && message.role != "user") {
                const auto prompt = prompts.prompt(facts.parent, last->file);
                if (!prompt) return std::unexpected(prompt.error());
                if (auto done = writer.put(prompt->front()); !done) return done;
            }
            if (auto done = writer.message(message, its_call); !done) return done;
        }
    }
    if (auto done = writer.flush(); !done) return done;
    prompts.remember(std::move(*last));
    return sink(fmt::format("],\"tools\":{}}}\n", dump(tools.schemas(options))));
}

bool better(const StepSummary& a, const StepSummary& b) {
    if (a.reward != b.reward) return a.reward > b.reward;
    if (a.speedup != b.speedup) return a.speedup > b.speedup;
    return a.id < b.id;
}

} // namespace

Result<void> export_chat(const SessionFile& session, const TrainingOptions& options, const Sink& sink) {
    auto prompts = Prompts::of(session);
    if (!prompts) return std::unexpected(std::move(prompts.error()));
    const auto chain = chain_of(session);
    if (!chain) return std::unexpected(chain.error());
    const auto wanted = [&](const StepSummary& step) {
        return !options.min_reward || (step.reward && *step.reward >= *options.min_reward);
    };
    std::vector<std::pair<std::size_t, std::size_t>> rows; // last step, length
    std::vector<char> covered(chain->steps.size(), 0);
    for (std::size_t end = chain->steps.size(); end-- > 0;) {
        if (covered[end] || !wanted(chain->steps[end])) continue;
        std::size_t length = 0;
        for (auto at = static_cast<std::ptrdiff_t>(end); at >= 0;) {
            const auto i = static_cast<std::size_t>(at);
            covered[i] = 1;
            ++length;
            at = chain->begins[i] ? -1 : chain->before[i];
        }
        rows.emplace_back(end, length);
    }
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
        std::vector<StepId> path(row->second);
        auto at = row->first;
        for (std::size_t i = path.size(); i-- > 0;) {
            path[i] = chain->steps[at].id;
            if (i > 0) at = static_cast<std::size_t>(chain->before[at]);
        }
        if (auto done = write_conversation(session, path, *prompts, options, sink); !done) return done;
    }
    return {};
}

Result<void> export_kto(const SessionFile& session, const TrainingOptions& options, const Sink& sink) {
    auto prompts = Prompts::of(session);
    if (!prompts) return std::unexpected(std::move(prompts.error()));
    const double good = options.min_reward.value_or(2);
    return for_each_step(session, [&](const Step& step) -> Result<void> {
        if (!step.has_source() || !step.summary.reward) return {};
        auto prompt = prompts->prompt(step.summary.parent, step.file);
        if (!prompt) return std::unexpected(std::move(prompt.error()));
        return sink(dump(Json{{"prompt", std::move(*prompt)},
                              {"completion", Prompts::completion(step)},
                              {"label", *step.summary.reward >= good}})
                    + '\n');
    });
}

Result<void> export_dpo(const SessionFile& session, const TrainingOptions& options, const Sink& sink) {
    auto prompts = Prompts::of(session);
    if (!prompts) return std::unexpected(std::move(prompts.error()));
    const auto steps = session.steps();
    if (!steps) return std::unexpected(steps.error());
    // Who began from the same place; 0 is the task's own source, as no step has that number.
    std::map<StepId, std::vector<const StepSummary*>> groups;
    for (const auto& step : *steps)
        if (step.reward)
            groups[options.pairs == TrainingOptions::Pairs::parent ? step.parent.value_or(0) : 0].push_back(&step);
    for (auto& [from, group] : groups) {
        std::ranges::sort(group, [](const auto* a, const auto* b) { return better(*a, *b); });
        std::optional<Step> chosen;
        for (const auto* summary : group) {
            if (chosen && *summary->reward >= *chosen->summary.reward) continue;
            if (chosen && summary->source_sha256 == chosen->summary.source_sha256) continue;
            auto step = session.step(summary->id);
            if (!step) return std::unexpected(std::move(step.error()));
            if (!step->has_source()) continue;
            if (!chosen) {
                chosen = std::move(*step);
                continue;
            }
            auto prompt = prompts->prompt(from == 0 ? std::nullopt : std::optional{from}, chosen->file);
            if (!prompt) return std::unexpected(std::move(prompt.error()));
            if (auto done = sink(dump(Json{{"prompt", std::move(*prompt)},
                                           {"chosen", Prompts::completion(*chosen)},
                                           {"rejected", Prompts::completion(*step)}})
                                 + '\n');
                !done)
                return done;
        }
    }
    return {};
}

} // namespace kw::trajectory
