#pragma once

class QsciScintilla;

/// What an editor does beyond what QScintilla does by itself. Each is one step to undo.
namespace kw::editor {

/// Puts "// " before the selected lines at their common indentation, or takes it away when all have it. Blank lines do
/// not count.
void toggle_comment(QsciScintilla& text);
void duplicate_lines(QsciScintilla& text);
void move_lines(QsciScintilla& text, bool up);
void indent_lines(QsciScintilla& text, bool deeper);

/// Selects the word at the caret; where one is selected, also its next occurrence, case counting.
void select_next_occurrence(QsciScintilla& text);
void select_all_occurrences(QsciScintilla& text);
/// One more caret, in the line above the topmost or below the bottommost, at the same column.
void add_cursor(QsciScintilla& text, bool above);
void fold_all(QsciScintilla& text, bool fold);

} // namespace kw::editor
