#include "editor/edit_commands.h"

#include <Qsci/qsciscintilla.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace kw::editor {
namespace {

using S = QsciScintilla;

/// The first and last line that the main selection touches; one that ends at a line's start does not touch that line.
std::pair<int, int> selected_lines(const S& text) {
    const long begin = text.SendScintilla(S::SCI_GETSELECTIONSTART), end = text.SendScintilla(S::SCI_GETSELECTIONEND);
    const long first = text.SendScintilla(S::SCI_LINEFROMPOSITION, begin);
    long last = text.SendScintilla(S::SCI_LINEFROMPOSITION, end);
    if (last > first && text.SendScintilla(S::SCI_POSITIONFROMLINE, last) == end) --last;
    return {static_cast<int>(first), static_cast<int>(last)};
}

char at(const S& text, long position) { return static_cast<char>(text.SendScintilla(S::SCI_GETCHARAT, position)); }

/// Leaves the selection around its text, which SCI_INSERTTEXT would not.
void replace(S& text, long begin, long end, const char* by) {
    text.SendScintilla(S::SCI_SETTARGETRANGE, static_cast<unsigned long>(begin), end);
    text.SendScintilla(S::SCI_REPLACETARGET, static_cast<unsigned long>(-1), by);
}

void search_for_selection(S& text) {
    text.SendScintilla(S::SCI_SETSEARCHFLAGS, static_cast<unsigned long>(S::SCFIND_MATCHCASE));
    text.SendScintilla(S::SCI_TARGETWHOLEDOCUMENT);
}

class UndoStep {
public:
    explicit UndoStep(S& text) : text_(text) { text_.beginUndoAction(); }
    ~UndoStep() { text_.endUndoAction(); }
    UndoStep(const UndoStep&) = delete;
    UndoStep& operator=(const UndoStep&) = delete;

private:
    S& text_;
};

} // namespace

void toggle_comment(S& text) {
    if (text.isReadOnly()) return;
    const auto [first, last] = selected_lines(text);
    const auto indentation_end = [&](int line) { return text.SendScintilla(S::SCI_GETLINEINDENTPOSITION, line); };
    const auto blank = [&](int line) {
        return indentation_end(line) == text.SendScintilla(S::SCI_GETLINEENDPOSITION, line);
    };
    const auto commented = [&](int line) {
        const long from = indentation_end(line);
        return at(text, from) == '/' && at(text, from + 1) == '/';
    };
    bool all = true, any = false;
    long column = std::numeric_limits<long>::max();
    for (int line = first; line <= last; ++line) {
        if (blank(line) && first != last) continue;
        any = true;
        all = all && commented(line);
        column = std::min(column, text.SendScintilla(S::SCI_GETLINEINDENTATION, line));
    }
    if (!any) return;
    const UndoStep step(text);
    for (int line = last; line >= first; --line) {
        if (blank(line) && first != last) continue;
        if (all) {
            const long from = indentation_end(line);
            replace(text, from, from + (at(text, from + 2) == ' ' ? 3 : 2), "");
        } else {
            const long place = text.SendScintilla(S::SCI_FINDCOLUMN, static_cast<unsigned long>(line), column);
            replace(text, place, place, "// ");
        }
    }
}

void duplicate_lines(S& text) {
    if (text.isReadOnly()) return;
    const auto [first, last] = selected_lines(text);
    const long begin = text.SendScintilla(S::SCI_POSITIONFROMLINE, first);
    const long end = text.SendScintilla(S::SCI_GETLINEENDPOSITION, last);
    const QByteArray lines = text.bytes(static_cast<int>(begin), static_cast<int>(end));
    const QByteArray line_end = text.eolMode() == S::EolWindows ? "\r\n" : text.eolMode() == S::EolMac ? "\r" : "\n";
    const UndoStep step(text);
    // In front, so that the selection and the caret end up in the lower copy.
    text.SendScintilla(S::SCI_INSERTTEXT, static_cast<unsigned long>(end),
                       QByteArray(line_end + lines.constData()).constData());
    const long distance = end - begin + line_end.size();
    const long anchor = text.SendScintilla(S::SCI_GETANCHOR), caret = text.SendScintilla(S::SCI_GETCURRENTPOS);
    text.SendScintilla(S::SCI_SETSEL, static_cast<unsigned long>(anchor + distance), caret + distance);
}

void move_lines(S& text, bool up) {
    if (text.isReadOnly()) return;
    text.SendScintilla(up ? S::SCI_MOVESELECTEDLINESUP : S::SCI_MOVESELECTEDLINESDOWN);
}

void indent_lines(S& text, bool deeper) {
    if (text.isReadOnly()) return;
    const auto [first, last] = selected_lines(text);
    const UndoStep step(text);
    for (int line = first; line <= last; ++line) {
        if (deeper)
            text.indent(line);
        else
            text.unindent(line);
    }
}

void select_next_occurrence(S& text) {
    search_for_selection(text);
    text.SendScintilla(S::SCI_MULTIPLESELECTADDNEXT);
    text.SendScintilla(S::SCI_SCROLLCARET);
}

void select_all_occurrences(S& text) {
    search_for_selection(text);
    if (text.SendScintilla(S::SCI_GETSELECTIONEMPTY)) text.SendScintilla(S::SCI_MULTIPLESELECTADDNEXT);
    text.SendScintilla(S::SCI_MULTIPLESELECTADDEACH);
}

void add_cursor(S& text, bool above) {
    const long count = text.SendScintilla(S::SCI_GETSELECTIONS);
    long edge = -1, position = 0;
    for (long i = 0; i < count; ++i) {
        const long caret = text.SendScintilla(S::SCI_GETSELECTIONNCARET, i);
        const long line = text.SendScintilla(S::SCI_LINEFROMPOSITION, caret);
        if (edge < 0 || (above ? line < edge : line > edge)) {
            edge = line;
            position = caret;
        }
    }
    const long line = edge + (above ? -1 : 1);
    if (line < 0 || line >= text.lines()) return;
    const long column = text.SendScintilla(S::SCI_GETCOLUMN, position);
    const long place = text.SendScintilla(S::SCI_FINDCOLUMN, static_cast<unsigned long>(line), column);
    text.SendScintilla(S::SCI_ADDSELECTION, static_cast<unsigned long>(place), place);
    text.SendScintilla(S::SCI_SCROLLCARET);
}

void fold_all(S& text, bool fold) {
    text.SendScintilla(S::SCI_FOLDALL,
                       static_cast<unsigned long>(fold ? S::SC_FOLDACTION_CONTRACT : S::SC_FOLDACTION_EXPAND));
}

} // namespace kw::editor
