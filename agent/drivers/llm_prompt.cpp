#include "agent/drivers/llm_prompt.h"

#include "agent/llm/json_text.h"
#include "agent/tools/feedback.h"
#include "engine/report/text.h"
#include "skill_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <vector>

namespace kw::agent {
namespace {

/// A fence that no line of the text closes.
std::string fenced(std::string_view language, std::string_view text) {
    std::string fence = "```";
    while (text.contains(fence)) fence += '`';
    return fmt::format("{}{}\n{}{}{}\n", fence, language, text, text.ends_with('\n') ? "" : "\n", fence);
}

} // namespace

std::string system_text(const task::Files& files) {
    const auto own = files.find("skill.md");
    return own == files.end() ? std::string{kSkillText} : own->second;
}

Result<std::string> task_text(const LlmOptions& options) {
    const auto task = task::parse_task(options.files);
    if (!task) return std::unexpected(task.error());
    auto text =
        fmt::format("# The task: {}\n\n{}\ntask.toml:\n\n{}", task->name, task->title.empty() ? "" : task->title + "\n",
                    fenced("toml", options.files.at("task.toml")));
    std::vector<std::string> others;
    if (!task->reference.empty()) others.push_back(fmt::format("the reference is {}", task->reference));
    if (!task->baselines.empty())
        others.push_back(fmt::format("the baselines to beat are, in order, {}", fmt::join(task->baselines, ", ")));
    if (!others.empty()) text += fmt::format("\nOther files: {}. read_file shows them.\n", fmt::join(others, "; "));
    if (!options.device.empty()) text += fmt::format("It runs on {}.\n", options.device);
    text += fmt::format("Tolerance: atol {:g}, rtol {:g}, where a tensor has none of its own.\n", task->tolerance.atol,
                        task->tolerance.rtol);
    if (!options.configuration.empty())
        text += fmt::format("Tunables are fixed: {}.\n", task::sizes_text(options.configuration));
    if (options.budget.steps) text += fmt::format("You have {} attempts.\n", *options.budget.steps);
    if (!options.message.empty()) text += fmt::format("\n# From the engineer\n\n{}\n", options.message);
    return text;
}

Result<std::string> summary_text(const trajectory::SessionFile& session, const std::string& file,
                                 const std::string& candidate, const std::string& last_result,
                                 const SummaryLimits& limits) {
    const auto steps = session.steps();
    if (!steps) return std::unexpected(steps.error());
    auto text = fmt::format("\n# The candidate, {}\n\n{}", file, fenced("cuda", candidate));
    if (steps->empty()) return text + "\nNothing has been evaluated yet.\n";
    text += fmt::format("\n# Attempts so far (* is the best)\n\n{}", tools::attempts_text(*steps, limits.attempts));
    const auto best = session.best();
    if (!best) return std::unexpected(best.error());
    if (*best) {
        const auto step = session.step(**best);
        if (!step) return std::unexpected(step.error());
        if (step->source == candidate)
            text += fmt::format("\nThe candidate is attempt {}, the best.\n", **best);
        else if (limits.sources)
            text += fmt::format("\n# The best, attempt {}\n\n{}", **best, fenced("cuda", step->source));
    }
    if (!last_result.empty()) text += fmt::format("\n# The last result\n\n{}\n", last_result);
    return text;
}

std::string trend_text(std::vector<trajectory::StepSummary> steps, const trajectory::StepSummary& step) {
    const auto before = trend_of(steps);
    const auto find = [&steps](trajectory::StepId id) {
        return *std::ranges::find(steps, id, &trajectory::StepSummary::id);
    };
    const auto best = before.best ? std::optional{find(*before.best)} : std::nullopt;
    steps.push_back(step);
    steps.back().id = steps.size() > 1 ? steps[steps.size() - 2].id + 1 : 1;
    const auto now = trend_of(steps);
    std::string text;
    if (now.best == steps.back().id)
        text = best ? "This is the best attempt so far.\n" : "This is the first correct attempt.\n";
    else if (best)
        text = fmt::format("Attempt {} is still the best{}.\n", best->id,
                           best->median_us ? ", with " + report::duration(*best->median_us) : "");
    if (now.regression) text += "This one is a step back from it.\n";
    if (now.plateau)
        text +=
            fmt::format("The last {} attempts brought nothing better: leave this line of work and try another idea, "
                        "starting from the best attempt.\n",
                        now.since_best);
    return text;
}

std::string decisions_text(std::span<const trajectory::Decision> decisions) {
    constexpr std::size_t kMost = 20;
    constexpr std::size_t kLongestReason = 1000;
    if (decisions.empty()) return {};
    // Of what was taken, given back and taken again, what holds now.
    std::vector<const trajectory::Decision*> last;
    for (auto each = decisions.rbegin(); each != decisions.rend(); ++each)
        if (std::ranges::none_of(
                last, [&](const auto* later) { return later->step == each->step && later->hunk == each->hunk; }))
            last.push_back(&*each);
    std::string text = "# What the engineer decided\n\n";
    if (last.size() > kMost) {
        text += fmt::format("({} earlier decisions are left out.)\n", last.size() - kMost);
        last.resize(kMost);
    }
    for (const auto* each : last | std::views::reverse) {
        text += fmt::format("- {} ", each->action);
        if (each->lines > 0)
            text += fmt::format("added lines {} to {} of ", each->first_line + 1, each->first_line + each->lines);
        text += fmt::format("{} of attempt {}", each->hunk.empty() ? std::string{"all"} : "change " + each->hunk,
                            each->step);
        if (each->made_by != "human") text += fmt::format(" (by {})", each->made_by);
        if (!each->reason.empty()) text += fmt::format(": {}", llm::utf8_prefix(each->reason, kLongestReason));
        text += '\n';
    }
    return text;
}

std::string fenced_candidate(std::string_view reply) {
    std::string found, block;
    std::size_t open = 0; // backticks of the fence that is open
    while (!reply.empty()) {
        const auto end = reply.find('\n');
        const auto line = reply.substr(0, end);
        reply.remove_prefix(end == reply.npos ? reply.size() : end + 1);
        const auto ticks = std::min(line.find_first_not_of('`'), line.size());
        const auto rest = line.substr(ticks);
        if (open == 0) {
            if (ticks < 3 || rest.contains('`')) continue;
            open = ticks;
            block.clear();
        } else if (ticks >= open && rest.find_first_not_of(" \t\r") == rest.npos) {
            open = 0;
            if (block.contains("//@ launch") && block.contains("__global__")) found = block;
        } else {
            block.append(line) += '\n';
        }
    }
    return found;
}

} // namespace kw::agent
