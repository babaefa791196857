#pragma once

#include "agent/trajectory/session_file.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// A session in the forms that others read. Written piece by piece, so that long sessions need no memory of their size.
namespace kw::trajectory {

/// Takes the next piece of the text.
using Sink = std::function<Result<void>(std::string_view)>;

/// One row a step: step, parent, driver, title, correct, reward, speedup, median_us, estimated, tokens and times.
/// Quoted as RFC 4180 has it; an unknown value is an empty field; a text that a spreadsheet would take for a formula
/// begins with an apostrophe.
[[nodiscard]] Result<void> export_csv(const SessionFile& session, const Sink& sink);

/// One object a line and step, with the source and the whole evaluation.
[[nodiscard]] Result<void> export_jsonl(const SessionFile& session, const Sink& sink);

/// ATIF v1.7: the task as the user's step, every step as the agent's, its verdict as an observation and its reward in
/// `extra`. Branches are in `extra.parent`, as the format is a list.
[[nodiscard]] Result<void> export_atif(const SessionFile& session, const Sink& sink);

/// What rows for training are made of.
struct TrainingOptions {
    /// Chat: only conversations that reach a step of at least this reward (none: all). KTO: from here on a row is
    /// labelled good (none: 2, faster than the first baseline).
    std::optional<double> min_reward{};
    /// Tools that models were offered, by name, as {"type": "function", "function": {…}}; of any other tool a schema is
    /// written that has the arguments that were seen.
    std::map<std::string, Json, std::less<>> tools{};
    /// DPO: which steps compare. Those that began from the same step, or all of the session.
    enum class Pairs { parent, task };
    Pairs pairs = Pairs::parent;
};

/// One `{messages, tools}` a line and conversation, for SFT and RFT: it ends at its last step that meets `min_reward`.
/// A conversation begins at a system message and goes on with the same driver, in the order of writing for a model's
/// steps and by parents for others; a step without messages is one of its own, made of the task, its parent's source,
/// its thought and its source. Tool messages whose call is not in the conversation are left out.
[[nodiscard]] Result<void> export_chat(const SessionFile& session, const TrainingOptions& options, const Sink& sink);

/// One `{prompt, completion, label}` a line and step that has a source and a reward.
[[nodiscard]] Result<void> export_kto(const SessionFile& session, const TrainingOptions& options, const Sink& sink);

/// One `{prompt, chosen, rejected}` a line: of the steps that compare, the best (reward, then speed-up, then the
/// earliest) against each that has a lower reward and another source.
[[nodiscard]] Result<void> export_dpo(const SessionFile& session, const TrainingOptions& options, const Sink& sink);

/// Chrome's trace format with lanes for steps, tool calls and evaluation stages, and the reward as a counter. Times are
/// from the first step's start. Of tool calls and stages only the duration is known: calls follow each other from a
/// step's start, stages end with the step.
[[nodiscard]] Result<void> export_chrome(const SessionFile& session, const Sink& sink);

/// One page without anything beside it: plots, the table of steps, and each step's thought, verdict and change.
[[nodiscard]] Result<void> export_html(const SessionFile& session, const Sink& sink);

/// A form that a session is written in.
struct ExportForm {
    std::string_view name;      ///< in commands
    std::string_view extension; ///< of its files, with the dot
    std::string_view holds;     ///< one phrase
};
[[nodiscard]] std::span<const ExportForm> export_forms();
/// In the form of this name, which has to be one of export_forms().
[[nodiscard]] Result<void> export_as(std::string_view form, const SessionFile& session, const TrainingOptions& options,
                                     const Sink& sink);
/// An export replaces an older one, never a session or another SQLite database, which cannot be made again.
[[nodiscard]] Result<void> check_replaced(const std::filesystem::path& path);

/// The members of a row of export_jsonl; of a summary without thought, file, configuration, source and evaluation.
[[nodiscard]] Json to_json(const Step& step);
[[nodiscard]] Json to_json(const StepSummary& summary);

} // namespace kw::trajectory
