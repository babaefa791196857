#pragma once

#include "engine/base/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a session is made of: steps, each one state of the kernel with everything known about it (docs/design.md §4).
namespace kw::trajectory {

using StepId = std::int64_t;

/// What a model's work cost. Cached tokens are among the prompt's, reasoning tokens among the completion's.
struct Usage {
    std::int64_t prompt_tokens = 0;
    std::int64_t cached_tokens = 0;
    std::int64_t completion_tokens = 0;
    std::int64_t reasoning_tokens = 0;
    std::optional<double> cost_usd = 0.0; ///< none: the price is not known

    Usage& operator+=(const Usage& other);
    bool operator==(const Usage&) const = default;
};

struct Message {
    std::string role; ///< system, user, assistant, tool: the results of a step's calls, in their order
    std::string content;
    std::string reasoning{}; ///< kept apart from what was said
    bool operator==(const Message&) const = default;
};

struct ToolCall {
    std::string id;
    std::string name;
    Json arguments = Json::object();
    std::string result{};
    bool ok = true;
    double milliseconds = 0;
    bool operator==(const ToolCall&) const = default;
};

/// The facts of a step that lists and plots show.
struct StepSummary {
    StepId id = 0;                  ///< counts from 1 in the order of writing
    std::optional<StepId> parent{}; ///< none for a first step; several steps may share one
    std::string driver;             ///< human, tuner, llm:<model>, acp:<agent>, imported:<format>, lesson
    std::string title;
    std::string source_sha256;
    std::optional<bool> correct{}; ///< none: not evaluated, or not to a verdict
    std::optional<double> reward{};
    std::optional<double> speedup{}; ///< over the strongest baseline
    std::optional<double> median_us{};
    bool estimated = false;
    std::string because{}; ///< why the reward is what it is, or what went wrong, in one sentence
    int lines_added = 0;   ///< against the parent's source; all lines for a first step
    int lines_removed = 0;
    Usage usage{};
    std::int64_t started_ms = 0; ///< Unix time
    std::int64_t ended_ms = 0;
    int findings = 0;               ///< of the audit
    std::string finding_severity{}; ///< of the gravest: refuse, suspicious or note; empty where there is none
};

/// All of a step.
struct Step {
    StepSummary summary;
    std::string thought{}; ///< why the step was made, in the driver's words
    std::string file;      ///< of the task, which `source` is the text of; empty when the source is not known
    std::string source;
    Json configuration = Json::object(); ///< tunables
    std::optional<Json> evaluation{};    ///< as the worker sent it
    std::vector<Message> messages{};
    std::vector<ToolCall> tool_calls{};

    /// An imported trace may not hold what a file became.
    [[nodiscard]] bool has_source() const { return !file.empty(); }
};

/// What was decided about a part of a step's change, or became of it in the text.
struct Decision {
    StepId step = 0;
    std::string hunk;   ///< which part, as agent/patch names it; empty: the whole step
    std::string action; ///< accepted, edited (accepted, and changed in part since), rejected, undone
    std::string reason{};
    std::int64_t time_ms = 0;
    std::int64_t first_line = 0; ///< of the lines that the hunk adds, from 0, where only some of them are meant
    std::int64_t lines = 0;      ///< how many are; 0: the whole hunk is
    /// The lines that the hunk takes away, by which it is known in a text again; none: not kept.
    std::optional<std::string> removed{};
    std::string made_by = "human"; ///< as a step's driver
    bool operator==(const Decision&) const = default;
};

/// Fills in the summary's facts from `step.evaluation`.
void summarize_evaluation(Step& step);

/// Lines of `after` that are not in `before`, and the reverse, by longest common subsequence.
struct LineCounts {
    int added = 0;
    int removed = 0;
};
[[nodiscard]] LineCounts changed_lines(const std::string& before, const std::string& after);

} // namespace kw::trajectory
