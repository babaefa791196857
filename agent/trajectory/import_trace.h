#pragma once

#include "agent/trajectory/step.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What every reader of traces makes, before it becomes steps.
namespace kw::trajectory {

/// A tool call and what a trace says beside it about the file that it changed.
struct TracedCall {
    ToolCall call;
    std::optional<std::string> original{}; ///< the file's whole text before it
    std::string open_file{};               ///< what an editor had open, for commands that do not name it
};

/// One reply of the agent, after whatever was said to it since the one before.
struct Turn {
    std::optional<std::size_t> parent{}; ///< an earlier turn; none: it begins from nothing
    std::string title{};
    std::vector<Message> messages{}; ///< without the tools' results, which are the calls'
    std::vector<TracedCall> calls{};
    Usage usage{};
    std::int64_t started_ms = 0; ///< 0: not known
    std::int64_t ended_ms = 0;
    std::optional<std::string> file{}; ///< where the trace holds the text itself
    std::string source{};
    std::optional<Json> evaluation{};
    std::string because{};
};

struct Trace {
    std::string format;
    std::string task{}; ///< as the trace names it; may be empty
    std::vector<Turn> turns{};
    std::vector<std::string> notes{};
};

} // namespace kw::trajectory
