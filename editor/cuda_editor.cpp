#include "editor/cuda_editor.h"

#include "editor/characters.h"
#include "editor/code_assist.h"
#include "editor/cuda_lexer.h"
#include "editor/heat_margin.h"
#include "widgets/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>

#include <algorithm>

namespace kw::editor {
namespace {

/// What a key that was pressed in no editor repeats is not typed: held a moment longer than Ctrl and Alt, the key of a
/// shortcut would be. There is one keyboard.
struct Keyboard {
    quint32 held = 0;     ///< scan code of the key that went down last
    quint32 released = 0; ///< of the one that went up last
    quint64 released_at = 0;

    /// X repeats a key as a release and a press at one moment, of which Qt misses one when another key goes up between.
    [[nodiscard]] bool repeats(const QKeyEvent& event) const {
        return event.isAutoRepeat()
               || (event.timestamp() != 0 && event.timestamp() == released_at && event.nativeScanCode() == released);
    }
} keyboard;

enum Marker { kErrorMarker = 8, kWarningMarker = 9 };

constexpr int span_indicator(SpanKind kind) { return CudaEditor::kFirstSpanIndicator + static_cast<int>(kind); }
static_assert(span_indicator(SpanKind::ptx_operand) < CudaEditor::kMatchIndicator);

} // namespace

CudaEditor::CudaEditor(QWidget* parent)
    : QsciScintilla(parent), lexer_(new CudaLexer(this)), heat_(nullptr), assist_(nullptr) {
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
    SendScintilla(SCI_SETMULTIPASTE, static_cast<unsigned long>(SC_MULTIPASTE_EACH));
    SendScintilla(SCI_SETEXTRAASCENT, 1);
    SendScintilla(SCI_SETEXTRADESCENT, 2);
    SendScintilla(SCI_SETMOUSEDWELLTIME, 400);

    setMarginType(kNumbers, NumberMargin);
    setMarginWidth(kNumbers, QStringLiteral("0000"));
    setMarginType(kMarks, SymbolMargin);
    setMarginWidth(kMarks, 14);
    setMarginMarkerMask(kMarks, 1 << kErrorMarker | 1 << kWarningMarker);
    setFolding(PlainFoldStyle, kFolds);
    setMarginWidth(kFolds, 12);
    markerDefine(Circle, kErrorMarker);
    markerDefine(RightTriangle, kWarningMarker);
    indicatorDefine(SquiggleIndicator, kErrorIndicator);
    indicatorDefine(SquiggleIndicator, kWarningIndicator);
    for (int kind = 0; kind < kSpanKinds; ++kind) indicatorDefine(TextColorIndicator, kFirstSpanIndicator + kind);
    indicatorDefine(StraightBoxIndicator, kMatchIndicator);
    setIndicatorDrawUnder(true, kMatchIndicator);
    heat_ = new HeatMargin(*this, kHeat);
    assist_ = new CodeAssist(*this);

    connect(this, &QsciScintillaBase::SCN_MODIFIED, this,
            [this](int position, int type, const char*, int length, int lines_added) {
                modified(position, type, length, lines_added);
            });
    // Every line is touched once where the whole text is: the width of the numbers follows their count.
    connect(this, &QsciScintilla::linesChanged, this, [this] {
        const auto digits = std::max<qsizetype>(3, QString::number(lines()).size());
        setMarginWidth(kNumbers, QString(digits + 1, QLatin1Char('0')));
    });
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
    const auto color_span = [&](SpanKind kind, const QColor& color) {
        setIndicatorForegroundColor(color, span_indicator(kind));
    };
    color_span(SpanKind::directive, tokens.code_directive);
    color_span(SpanKind::directive_keyword, tokens.code_keyword);
    color_span(SpanKind::directive_name, tokens.text1);
    color_span(SpanKind::launch_bracket, tokens.accent);
    color_span(SpanKind::ptx_opcode, tokens.code_cuda);
    color_span(SpanKind::ptx_operand, tokens.code_number);
    setIndicatorForegroundColor(tokens.warn, kMatchIndicator);
    SendScintilla(SCI_INDICSETALPHA, static_cast<unsigned long>(kMatchIndicator), 60L);
    SendScintilla(SCI_INDICSETOUTLINEALPHA, static_cast<unsigned long>(kMatchIndicator), 160L);
}

void CudaEditor::load(const QString& text) { load_utf8(text.toStdString()); }

void CudaEditor::load_utf8(std::string_view text, LineEnd line_end) {
    const bool read_only = isReadOnly();
    setReadOnly(false);
    SendScintilla(SCI_SETUNDOCOLLECTION, 0UL);
    SendScintilla(SCI_CLEARALL);
    SendScintilla(SCI_ADDTEXT, static_cast<unsigned long>(text.size()), text.data());
    SendScintilla(SCI_SETUNDOCOLLECTION, 1UL);
    SendScintilla(SCI_EMPTYUNDOBUFFER);
    SendScintilla(SCI_GOTOPOS, 0UL);
    setEolMode(line_end == LineEnd::crlf ? EolWindows : line_end == LineEnd::cr ? EolMac : EolUnix);
    setModified(false);
    setReadOnly(read_only);
}

void CudaEditor::replace_text(std::string_view text) {
    const long length = SendScintilla(SCI_GETLENGTH);
    const std::string_view old = view(0, length);
    std::size_t front = 0, back = 0;
    const std::size_t common = std::min(old.size(), text.size());
    while (front < common && old[front] == text[front]) ++front;
    while (back < common - front && old[old.size() - 1 - back] == text[text.size() - 1 - back]) ++back;
    if (front == old.size() && front == text.size()) return;
    // Not into the middle of a character.
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
    while (front > 0
           && ((front < old.size() && continues(old[front])) || (front < text.size() && continues(text[front]))))
        --front;
    while (back > 0 && continues(old[old.size() - back])) --back;
    const auto middle = text.substr(front, text.size() - front - back);
    const long first_visible = SendScintilla(SCI_GETFIRSTVISIBLELINE);
    beginUndoAction();
    SendScintilla(SCI_SETTARGETRANGE, static_cast<unsigned long>(front), length - static_cast<long>(back));
    SendScintilla(SCI_REPLACETARGET, static_cast<unsigned long>(middle.size()), middle.data());
    endUndoAction();
    SendScintilla(SCI_SETFIRSTVISIBLELINE, first_visible);
}

std::string_view CudaEditor::view(long begin, long end) const {
    if (end <= begin) return {};
    const auto pointer = SendScintilla(SCI_GETRANGEPOINTER, static_cast<unsigned long>(begin), end - begin);
    return {reinterpret_cast<const char*>(pointer), static_cast<std::size_t>(end - begin)};
}

std::string CudaEditor::utf8() const { return std::string(view(0, SendScintilla(SCI_GETLENGTH))); }

TextPosition CudaEditor::text_position(long position) const {
    const long line = SendScintilla(SCI_LINEFROMPOSITION, position);
    const auto before = view(SendScintilla(SCI_POSITIONFROMLINE, line), position);
    const auto units = QString::fromUtf8(before.data(), static_cast<qsizetype>(before.size())).size();
    return {static_cast<int>(line), static_cast<int>(units)};
}

void CudaEditor::set_task_words(std::vector<CompletionItem> words) { assist_->set_task_words(std::move(words)); }

void CudaEditor::set_heat(std::optional<HeatColumn> column) { heat_->set(std::move(column)); }

void CudaEditor::modified(int position, int type, int length, int lines_added) {
    const bool inserted = type & SC_MOD_INSERTTEXT, deleted = type & SC_MOD_DELETETEXT;
    if (!inserted && !deleted) return;
    for (auto& mark : marks_) {
        const auto move = [&](long& at) {
            if (inserted && at > position) at += length;
            if (deleted && at > position) at = std::max<long>(position, at - length);
        };
        move(mark.begin);
        move(mark.end);
    }
    if (inserted) pairs_.inserted(position, length);
    if (deleted) pairs_.deleted(position, length);
    const long line = SendScintilla(SCI_LINEFROMPOSITION, position);
    const auto after = states_.begin() + std::min<std::ptrdiff_t>(line + 1, std::ssize(states_));
    if (lines_added > 0) states_.insert(after, static_cast<std::size_t>(lines_added), LineState{0});
    if (lines_added < 0) states_.erase(after, after + std::min<std::ptrdiff_t>(-lines_added, states_.end() - after));
    scan(line, lines_added > 0 ? lines_added + 1 : 1);
}

/// Colours `at_least` lines from `first`, and those below them whose state at the start has changed by that.
void CudaEditor::scan(long first, long at_least) {
    const long count = SendScintilla(SCI_GETLINECOUNT);
    states_.resize(static_cast<std::size_t>(count));
    for (long line = first; line < count; ++line) {
        const long begin = SendScintilla(SCI_POSITIONFROMLINE, line);
        const long end = SendScintilla(SCI_GETLINEENDPOSITION, line);
        spans_.clear();
        const LineState next = scan_line(view(begin, end), states_[static_cast<std::size_t>(line)], spans_);
        ++lines_scanned_;
        for (int kind = 0; kind < kSpanKinds && end > begin; ++kind) {
            const int indicator = kFirstSpanIndicator + kind;
            const bool wanted =
                std::ranges::any_of(spans_, [&](const Span& s) { return static_cast<int>(s.kind) == kind; });
            if (!wanted) {
                // Most lines have none and had none: the end of the run that begins here tells.
                const bool on = SendScintilla(SCI_INDICATORVALUEAT, static_cast<unsigned long>(indicator), begin) != 0;
                const long run_end = SendScintilla(SCI_INDICATOREND, static_cast<unsigned long>(indicator), begin);
                if (!on && (run_end == 0 || run_end >= end)) continue;
            }
            SendScintilla(SCI_SETINDICATORCURRENT, indicator);
            SendScintilla(SCI_INDICATORCLEARRANGE, static_cast<unsigned long>(begin), end - begin);
            for (const Span& span : spans_)
                if (static_cast<int>(span.kind) == kind)
                    SendScintilla(SCI_INDICATORFILLRANGE, static_cast<unsigned long>(begin) + span.begin,
                                  static_cast<long>(span.end - span.begin));
        }
        if (line + 1 >= count) break;
        auto& below = states_[static_cast<std::size_t>(line) + 1];
        if (line + 1 >= first + at_least && below == next) break;
        below = next;
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

QString CudaEditor::explanation_at(long position) const {
    QStringList messages;
    for (const Mark& mark : marks_)
        if (position >= mark.begin && position < mark.end) messages << mark.message;
    if (!messages.isEmpty()) return messages.join(QLatin1Char('\n'));
    const auto item = assist_->explain(position);
    if (!item) return {};
    QString text = QString::fromStdString(item->signature.empty() ? item->name : item->signature);
    if (!item->about.empty()) text += QLatin1Char('\n') % QString::fromStdString(item->about);
    return text;
}

bool CudaEditor::event(QEvent* event) {
    if (event->type() == QEvent::KeyRelease) {
        const auto& key = static_cast<const QKeyEvent&>(*event);
        keyboard.released = key.nativeScanCode();
        keyboard.released_at = key.timestamp();
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QPoint point = viewport()->mapFrom(this, help->pos());
        const long position = SendScintilla(SCI_POSITIONFROMPOINTCLOSE, static_cast<unsigned long>(point.x()),
                                            static_cast<long>(point.y()));
        const QString text = position < 0 ? QString() : explanation_at(position);
        if (!text.isEmpty()) {
            QToolTip::showText(help->globalPos(), text, this);
        } else {
            QToolTip::hideText();
            if (position >= 0) assist_->explain_later(position, help->globalPos());
        }
        return true;
    }
    // With nothing of its own to end, the editor leaves Escape to the window.
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape
        && !assist_->is_open() && SendScintilla(SCI_GETSELECTIONS) == 1 && SendScintilla(SCI_GETSELECTIONEMPTY) != 0) {
        event->ignore();
        return false;
    }
    return QsciScintilla::event(event);
}

void CudaEditor::keyPressEvent(QKeyEvent* event) {
    if (!keyboard.repeats(*event)) {
        keyboard.held = event->nativeScanCode();
    } else if (keyboard.held != event->nativeScanCode()) {
        event->accept();
        return;
    }
    if (assist_->before_key(*event)) {
        event->accept();
        return;
    }
    if (pairs_.handle(*event))
        event->accept();
    else
        QsciScintilla::keyPressEvent(event);
    assist_->after_key(*event);
}

void CudaEditor::focusOutEvent(QFocusEvent* event) {
    assist_->hide();
    QsciScintilla::focusOutEvent(event);
}

} // namespace kw::editor
