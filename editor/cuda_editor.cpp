#include "editor/cuda_editor.h"

#include "editor/cuda_lexer.h"
#include "widgets/theme.h"

#include <QHelpEvent>
#include <QToolTip>

#include <algorithm>

namespace kw::editor {
namespace {

enum Margin { kNumbers = 0, kMarks = 1, kFolds = 2 };
enum Marker { kErrorMarker = 8, kWarningMarker = 9 };
enum Indicator { kErrorIndicator = 8, kWarningIndicator = 9, kDirectiveIndicator = 10 };

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

} // namespace

CudaEditor::CudaEditor(QWidget* parent) : QsciScintilla(parent), lexer_(new CudaLexer(this)) {
    setLexer(lexer_);
    setUtf8(true);
    setEolMode(EolUnix);
    setAccessibleName(tr("Kernel source"));
    setFrameShape(QFrame::NoFrame);
    setIndentationWidth(4);
    setIndentationsUseTabs(false);
    setTabWidth(4);
    setTabIndents(true);
    setBackspaceUnindents(true);
    setAutoIndent(true);
    setBraceMatching(SloppyBraceMatch);
    setScrollWidth(1);
    setScrollWidthTracking(true);
    setCaretLineVisible(true);
    setCaretWidth(2);
    SendScintilla(SCI_SETMULTIPLESELECTION, 1);
    SendScintilla(SCI_SETADDITIONALSELECTIONTYPING, 1);
    SendScintilla(SCI_SETEXTRAASCENT, 1);
    SendScintilla(SCI_SETEXTRADESCENT, 2);
    SendScintilla(SCI_SETMOUSEDWELLTIME, 400);

    setMarginType(kNumbers, NumberMargin);
    setMarginWidth(kNumbers, QStringLiteral("00000"));
    setMarginType(kMarks, SymbolMargin);
    setMarginWidth(kMarks, 14);
    setMarginMarkerMask(kMarks, 1 << kErrorMarker | 1 << kWarningMarker);
    setFolding(PlainFoldStyle, kFolds);
    setMarginWidth(kFolds, 12);
    markerDefine(Circle, kErrorMarker);
    markerDefine(RightTriangle, kWarningMarker);
    indicatorDefine(SquiggleIndicator, kErrorIndicator);
    indicatorDefine(SquiggleIndicator, kWarningIndicator);
    indicatorDefine(TextColorIndicator, kDirectiveIndicator);

    connect(this, &QsciScintilla::textChanged, this, &CudaEditor::style_directives);
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, &CudaEditor::apply_theme);
    apply_theme();
}

void CudaEditor::apply_theme() {
    const auto& tokens = widgets::Theme::instance().tokens();
    lexer_->apply_theme();
    setPaper(tokens.surface1);
    setColor(tokens.text1);
    setMarginsFont(widgets::Theme::instance().code_font());
    setMarginsBackgroundColor(tokens.surface1);
    setMarginsForegroundColor(tokens.text3);
    setFoldMarginColors(tokens.surface1, tokens.surface1);
    setCaretForegroundColor(tokens.accent);
    setCaretLineBackgroundColor(tokens.surface2);
    setSelectionBackgroundColor(tokens.selection);
    resetSelectionForegroundColor();
    setMatchedBraceForegroundColor(tokens.accent);
    setMatchedBraceBackgroundColor(tokens.surface3);
    setUnmatchedBraceForegroundColor(tokens.bad);
    setUnmatchedBraceBackgroundColor(tokens.surface1);
    for (const int marker : {SC_MARKNUM_FOLDEREND, SC_MARKNUM_FOLDEROPENMID, SC_MARKNUM_FOLDERMIDTAIL,
                             SC_MARKNUM_FOLDERTAIL, SC_MARKNUM_FOLDERSUB, SC_MARKNUM_FOLDER, SC_MARKNUM_FOLDEROPEN}) {
        setMarkerForegroundColor(tokens.text3, marker);
        setMarkerBackgroundColor(tokens.text3, marker);
    }
    setMarkerBackgroundColor(tokens.bad, kErrorMarker);
    setMarkerForegroundColor(tokens.bad, kErrorMarker);
    setMarkerBackgroundColor(tokens.warn, kWarningMarker);
    setMarkerForegroundColor(tokens.warn, kWarningMarker);
    setIndicatorForegroundColor(tokens.bad, kErrorIndicator);
    setIndicatorForegroundColor(tokens.warn, kWarningIndicator);
    setIndicatorForegroundColor(tokens.code_directive, kDirectiveIndicator);
}

void CudaEditor::load(const QString& text) {
    setText(text);
    SendScintilla(SCI_EMPTYUNDOBUFFER);
    setModified(false);
}

std::string CudaEditor::utf8() const { return text().toStdString(); }

void CudaEditor::style_directives() {
    SendScintilla(SCI_SETINDICATORCURRENT, kDirectiveIndicator);
    SendScintilla(SCI_INDICATORCLEARRANGE, 0UL, SendScintilla(SCI_GETLENGTH));
    for (int line = 0; line < lines(); ++line) {
        const QString content = text(line);
        if (!content.trimmed().startsWith(QStringLiteral("//@"))) continue;
        const long begin = SendScintilla(SCI_POSITIONFROMLINE, line);
        SendScintilla(SCI_INDICATORFILLRANGE, static_cast<unsigned long>(begin),
                      SendScintilla(SCI_GETLINEENDPOSITION, line) - begin);
    }
}

std::pair<int, int> CudaEditor::range_of(const compile::Diagnostic& diagnostic) const {
    const int line = std::clamp(diagnostic.line, 1, std::max(1, lines())) - 1;
    const int begin = static_cast<int>(SendScintilla(SCI_POSITIONFROMLINE, line));
    const int end = static_cast<int>(SendScintilla(SCI_GETLINEENDPOSITION, line));
    const auto at = [this](int position) { return static_cast<char>(SendScintilla(SCI_GETCHARAT, position)); };
    int from = begin;
    if (diagnostic.column > 0)
        from = std::min(begin + diagnostic.column - 1, std::max(begin, end - 1));
    else
        while (from < end && (at(from) == ' ' || at(from) == '\t')) ++from;
    int to = from;
    if (diagnostic.column > 0) {
        while (to < end && is_word(at(to))) ++to;
        if (to == from) to = std::min(from + 1, end);
    } else {
        to = end;
    }
    return {from, std::max(to, std::min(from + 1, end))};
}

void CudaEditor::show_diagnostics(const std::vector<compile::Diagnostic>& diagnostics, const std::string& file) {
    markerDeleteAll(kErrorMarker);
    markerDeleteAll(kWarningMarker);
    for (const int indicator : {kErrorIndicator, kWarningIndicator}) {
        SendScintilla(SCI_SETINDICATORCURRENT, indicator);
        SendScintilla(SCI_INDICATORCLEARRANGE, 0UL, SendScintilla(SCI_GETLENGTH));
    }
    marks_.clear();
    for (const auto& diagnostic : diagnostics) {
        if (diagnostic.file != file || diagnostic.line <= 0) continue;
        const bool error = diagnostic.severity == compile::Severity::error;
        const auto [begin, end] = range_of(diagnostic);
        SendScintilla(SCI_SETINDICATORCURRENT, error ? kErrorIndicator : kWarningIndicator);
        SendScintilla(SCI_INDICATORFILLRANGE, static_cast<unsigned long>(begin),
                      static_cast<long>(std::max(end - begin, 1)));
        markerAdd(std::min(diagnostic.line, lines()) - 1, error ? kErrorMarker : kWarningMarker);
        marks_.push_back({begin, std::max(end, begin + 1), QString::fromStdString(diagnostic.message)});
    }
}

void CudaEditor::go_to(int line, int column) {
    const int index = std::clamp(line, 1, std::max(1, lines())) - 1;
    const int begin = static_cast<int>(SendScintilla(SCI_POSITIONFROMLINE, index));
    const int end = static_cast<int>(SendScintilla(SCI_GETLINEENDPOSITION, index));
    ensureLineVisible(index);
    SendScintilla(SCI_GOTOPOS, static_cast<unsigned long>(std::min(begin + std::max(column, 1) - 1, end)));
    setFocus();
}

bool CudaEditor::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QPoint point = viewport()->mapFrom(this, help->pos());
        const auto position = SendScintilla(SCI_POSITIONFROMPOINTCLOSE, static_cast<unsigned long>(point.x()),
                                            static_cast<long>(point.y()));
        const auto mark =
            std::ranges::find_if(marks_, [&](const Mark& m) { return position >= m.begin && position < m.end; });
        if (mark != marks_.end())
            QToolTip::showText(help->globalPos(), mark->message, this);
        else
            QToolTip::hideText();
        return true;
    }
    return QsciScintilla::event(event);
}

} // namespace kw::editor
