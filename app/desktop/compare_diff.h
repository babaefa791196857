#pragma once

#include "agent/patch/hunks.h"
#include "agent/trajectory/step.h"
#include "editor/compare.h"

#include <QString>

#include <optional>
#include <string>
#include <vector>

/// From texts to what is shown beside each other; knows no widget.
namespace kw::desktop {

/// A larger suggestion is not compared line by line: nobody reads it so, and typing beside it would stutter.
inline constexpr std::size_t kMostCompared = std::size_t{256} << 10;
/// Nor one of more lines, of which every other may be a change.
inline constexpr std::size_t kMostComparedLines = 8000;

/// Lines that end in CR LF end in LF: how a text ends its lines is no difference between texts.
[[nodiscard]] std::string with_line_feeds(std::string text);
/// `piece` with the line ends that most lines of `text` have.
[[nodiscard]] std::string with_ends_of(const std::string& text, std::string piece);
/// A text with a change of it whose lines end in LF, in the text's own way.
[[nodiscard]] std::string taken_into(const std::string& text, patch::Splice splice);

struct CompareInput {
    std::string base;                  ///< the left text
    std::string suggestion;            ///< the right one
    std::optional<std::string> mine{}; ///< what is edited, where that is not the base
    bool unfinished = false;           ///< the suggestion is still being written
};

struct Compared {
    patch::Change change; ///< of the texts with line feeds; the comparison's bytes are those of the texts as they are
    std::vector<patch::Place> places; ///< of each hunk in what is edited
    editor::Comparison comparison;    ///< hunk by hunk as in `change`
};
[[nodiscard]] Result<Compared> compare_texts(CompareInput input);

/// What was decided last about hunks of a step is what they show, as far as the text agrees.
void apply_decisions(editor::Comparison& comparison, const std::vector<trajectory::Decision>& decisions,
                     trajectory::StepId step);

/// Why a suggestion is not compared, in a sentence; empty where it is.
[[nodiscard]] QString why_not_compared(const std::string& suggestion);

} // namespace kw::desktop
