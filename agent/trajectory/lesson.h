#pragma once

#include "agent/trajectory/step.h"
#include "engine/base/result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// A session as a lesson: what a learner is asked before a step is shown.
namespace kw::trajectory {

struct Question {
    std::string text;
    std::vector<std::string> choices;
    std::size_t right = 0;     ///< index of a choice
    std::string explanation{}; ///< shown with the answer
    bool operator==(const Question&) const = default;
};

/// Questions that somebody wrote, by the step that they come before. Kept in a session under this name.
using Questions = std::map<StepId, std::vector<Question>>;
inline constexpr std::string_view kLessonMeta = "lesson";

[[nodiscard]] std::string to_text(const Questions& questions);
/// Of an empty text: none. An error says what is not as it should be.
[[nodiscard]] Result<Questions> questions_from(std::string_view text);

/// What can be asked of any step that was evaluated, from what is known of it: how its time compares with the one
/// before, or whether it is right at all; and what limits it, where its timing says so.
[[nodiscard]] std::vector<Question> questions_about(const Step& step, const Step& before);

/// How people write a question: the text, then one choice a line, the right one after an asterisk, then what explains
/// it after an empty line.
[[nodiscard]] std::string to_draft(const Question& question);
[[nodiscard]] Result<Question> question_from_draft(std::string_view draft);

} // namespace kw::trajectory
