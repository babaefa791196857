#pragma once

#include "agent/trajectory/step.h"

#include <QString>

#include <memory>
#include <vector>

namespace kw::review {

/// One line of a step's story, with what it opens to.
struct AgentEntry {
    enum class Kind { thought, said, asked, system, call } kind = Kind::said;
    QString title;
    QString summary{};
    QString note{};
    bool ok = true;
    bool open = false;
    QString text{};    ///< a call's input, or the text itself
    QString result{};  ///< of a call
    bool code = false; ///< `text` and `result` are code, or lines of a tool
};

/// In the order in which it happened.
[[nodiscard]] std::vector<AgentEntry> agent_entries(const trajectory::Step& step);

/// "12 400 tokens read (9 000 cached), 800 written · $0.0123"; empty where nothing was used.
[[nodiscard]] QString usage_text(const trajectory::Usage& usage);
/// A call's arguments in a few words: the path, the summary, the command.
[[nodiscard]] QString call_summary(const trajectory::ToolCall& call);

} // namespace kw::review
