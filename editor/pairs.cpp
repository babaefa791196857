#include "editor/pairs.h"

#include "editor/characters.h"
#include "editor/cuda_editor.h"

#include <QKeyEvent>
#include <Qsci/qscilexercpp.h>

#include <algorithm>
#include <string>

namespace kw::editor {
namespace {

using S = QsciScintilla;

char closing_of(char c) {
    switch (c) {
    case '(': return ')';
    case '[': return ']';
    case '{': return '}';
    case '"':
    case '\'': return c;
    default: return 0;
    }
}

bool closes(char c) { return c == ')' || c == ']' || c == '}' || c == '"' || c == '\''; }

/// In a comment, a text or a character, brackets and quotes are only characters.
bool is_code(int style) {
    switch (style) {
    case QsciLexerCPP::Comment:
    case QsciLexerCPP::CommentLine:
    case QsciLexerCPP::CommentDoc:
    case QsciLexerCPP::CommentLineDoc:
    case QsciLexerCPP::DoubleQuotedString:
    case QsciLexerCPP::SingleQuotedString:
    case QsciLexerCPP::RawString:
    case QsciLexerCPP::UnclosedString: return false;
    default: return true;
    }
}

} // namespace

void Pairs::set_enabled(bool enabled) {
    enabled_ = enabled;
    closers_.clear();
}

char Pairs::at(long position) const {
    return position < 0 ? '\0' : static_cast<char>(editor_.SendScintilla(S::SCI_GETCHARAT, position));
}

bool Pairs::ours(long position) const { return std::ranges::find(closers_, position) != closers_.end(); }

bool Pairs::handle(const QKeyEvent& event) {
    if (!enabled_ || editor_.isReadOnly() || editor_.SendScintilla(S::SCI_GETSELECTIONS) != 1) return false;
    if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
    if (event.key() == Qt::Key_Backspace) return delete_both();
    if (event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter) return break_line();
    const QString text = event.text();
    if (text.size() != 1 || text.front().unicode() >= 0x80) return false;
    const char typed = text.front().toLatin1();
    if (closes(typed) && type_over(typed)) return true;
    const char closing = closing_of(typed);
    return closing != 0 && open(typed, closing);
}

bool Pairs::open(char opening, char closing) {
    const long begin = editor_.SendScintilla(S::SCI_GETSELECTIONSTART);
    const long end = editor_.SendScintilla(S::SCI_GETSELECTIONEND);
    const std::string before(1, opening), after(1, closing);
    if (begin != end) {
        editor_.beginUndoAction();
        editor_.SendScintilla(S::SCI_INSERTTEXT, static_cast<unsigned long>(end), after.c_str());
        editor_.SendScintilla(S::SCI_INSERTTEXT, static_cast<unsigned long>(begin), before.c_str());
        editor_.SendScintilla(S::SCI_SETSEL, static_cast<unsigned long>(begin + 1), end + 1);
        editor_.endUndoAction();
        return true;
    }
    const bool quote = opening == closing;
    const char left = at(begin - 1), right = at(begin);
    // Known as far as it has been painted. The style of what stands before: that at the caret is of what follows.
    if (const long known = editor_.SendScintilla(S::SCI_GETENDSTYLED); known < begin)
        editor_.SendScintilla(S::SCI_COLOURISE, static_cast<unsigned long>(known), begin);
    const long line = editor_.SendScintilla(S::SCI_LINEFROMPOSITION, begin);
    const bool first = editor_.SendScintilla(S::SCI_POSITIONFROMLINE, line) == begin;
    if (!first && !is_code(static_cast<int>(editor_.SendScintilla(S::SCI_GETSTYLEAT, begin - 1)))) return false;
    if (is_word(right) || right == '"' || right == '\'' || right == opening) return false;
    // An apostrophe within a number, the end of a text that was opened before closing was.
    if (quote && (is_word(left) || left == opening || left == '\\')) return false;
    editor_.beginUndoAction();
    editor_.SendScintilla(S::SCI_INSERTTEXT, static_cast<unsigned long>(begin), (before + after).c_str());
    editor_.SendScintilla(S::SCI_GOTOPOS, static_cast<unsigned long>(begin + 1));
    editor_.endUndoAction();
    closers_.push_back(begin + 1);
    return true;
}

bool Pairs::type_over(char closing) {
    const long caret = editor_.SendScintilla(S::SCI_GETCURRENTPOS);
    if (editor_.SendScintilla(S::SCI_GETSELECTIONEMPTY) == 0 || at(caret) != closing || !ours(caret)) return false;
    std::erase(closers_, caret);
    editor_.SendScintilla(S::SCI_GOTOPOS, static_cast<unsigned long>(caret + 1));
    return true;
}

bool Pairs::delete_both() {
    const long caret = editor_.SendScintilla(S::SCI_GETCURRENTPOS);
    if (editor_.SendScintilla(S::SCI_GETSELECTIONEMPTY) == 0 || !ours(caret) || closing_of(at(caret - 1)) != at(caret))
        return false;
    editor_.SendScintilla(S::SCI_DELETERANGE, static_cast<unsigned long>(caret - 1), 2L);
    return true;
}

/// Between braces, the closing one gets a line of its own and the caret an indented one before it.
bool Pairs::break_line() {
    const long caret = editor_.SendScintilla(S::SCI_GETCURRENTPOS);
    if (at(caret) != '}' || at(caret - 1) != '{' || !ours(caret)) return false;
    const int line = static_cast<int>(editor_.SendScintilla(S::SCI_LINEFROMPOSITION, caret));
    const int depth = editor_.indentation(line);
    std::erase(closers_, caret);
    editor_.beginUndoAction();
    editor_.SendScintilla(S::SCI_NEWLINE);
    editor_.SendScintilla(S::SCI_NEWLINE);
    editor_.setIndentation(line + 2, depth);
    editor_.setIndentation(line + 1, depth + editor_.indentationWidth());
    editor_.SendScintilla(S::SCI_GOTOPOS, editor_.SendScintilla(S::SCI_GETLINEENDPOSITION, line + 1));
    editor_.endUndoAction();
    return true;
}

void Pairs::inserted(long position, long length) {
    for (long& closer : closers_)
        if (closer >= position) closer += length;
}

void Pairs::deleted(long position, long length) {
    std::erase_if(closers_, [&](long closer) { return closer >= position && closer < position + length; });
    for (long& closer : closers_)
        if (closer >= position + length) closer -= length;
}

} // namespace kw::editor
