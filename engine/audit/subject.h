#pragma once

#include "engine/audit/finding.h"
#include "engine/compile/compiler.h"
#include "engine/task/plan.h"
#include "engine/task/task.h"

#include <span>
#include <string>
#include <vector>

/// What can be said of a candidate without running it. A candidate is texts and, where it compiles to device code, that
/// code with its launches; a rule looks at what it understands, so that a language is added by its texts (and a rule
/// for it), not by a branch here.
namespace kw::audit {

enum class Language { cuda, python };

struct Text {
    Language language = Language::cuda;
    std::string file;
    std::string text;
};

/// Compiled device code and what launches it.
struct Code {
    std::string ptx;
    std::vector<compile::Kernel> kernels;
    task::BoundPlan plan;
};

struct Subject {
    const task::Task& task;
    std::span<const Text> texts; ///< the candidate's, then what it includes of the task
    const Code* code = nullptr;
    /// The task's own, for comparison. Null: unknown, and what needs it is at most suspicious.
    const Code* reference = nullptr;
};

/// Findings of every rule that needs no run. Errors: PTX that cannot be parsed (Stage::audit).
[[nodiscard]] Result<std::vector<Finding>> audit_statically(const Subject& subject);

/// The buffers of the plan of which it depends on what inputs hold which bytes, or whether any, are read.
[[nodiscard]] Result<std::vector<bool>> chosen_buffers(const Code& code, const task::Task& task);

/// The parts of the above.
[[nodiscard]] std::vector<Finding> audit_texts(const Subject& subject);
[[nodiscard]] Result<std::vector<Finding>> audit_code(const Subject& subject);

/// `text` gives orders to whoever, or whatever, reviews the candidate; the words that do so, or nothing.
[[nodiscard]] std::string orders_in(std::string_view text);

/// The candidate's text and those of the task's files that it includes, by any number of steps.
[[nodiscard]] std::vector<Text> texts_of(const std::string& file, const task::Files& files);

} // namespace kw::audit
