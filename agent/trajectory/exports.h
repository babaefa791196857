#pragma once

#include "agent/trajectory/session_file.h"

#include <functional>
#include <string_view>

/// A session in the forms that others read. Written piece by piece, so that long sessions need no memory of their size.
namespace kw::trajectory {

/// Takes the next piece of the text.
using Sink = std::function<Result<void>(std::string_view)>;

/// One row a step: step, parent, driver, title, correct, reward, speedup, median_us, estimated, tokens and times.
/// Quoted as RFC 4180 has it; an unknown value is an empty field.
[[nodiscard]] Result<void> export_csv(const SessionFile& session, const Sink& sink);

/// One object a line and step, with the source and the whole evaluation.
[[nodiscard]] Result<void> export_jsonl(const SessionFile& session, const Sink& sink);

/// ATIF v1.7: the task as the user's step, every step as the agent's, its verdict as an observation and its reward in
/// `extra`. Branches are in `extra.parent`, as the format is a list.
[[nodiscard]] Result<void> export_atif(const SessionFile& session, const Sink& sink);

/// The members of a row of export_jsonl; of a summary without thought, file, configuration, source and evaluation.
[[nodiscard]] Json to_json(const Step& step);
[[nodiscard]] Json to_json(const StepSummary& summary);

} // namespace kw::trajectory
