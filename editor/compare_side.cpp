#include "editor/compare_side.h"

#include "editor/cuda_editor.h"
#include "widgets/icons.h"
#include "widgets/theme.h"

#include <Qsci/qsciscintilla.h>

#include <algorithm>

namespace kw::editor {
namespace {

using S = QsciScintilla;

enum Marker { kChanged = 10, kQuiet, kCurrent, kOpenMark, kTakenMark, kRejectedMark, kStaleMark, kEndMarkers };
constexpr unsigned kMarks = 1U << kOpenMark | 1U << kTakenMark | 1U << kRejectedMark | 1U << kStaleMark;
constexpr int kWords = CudaEditor::kFirstFreeIndicator + 3;
constexpr int kFillerStyle = 55; // free of the lexer's and Scintilla's own
/// As wide as any window.
constexpr int kFillerWidth = 240;

Marker mark_of(HunkState state) {
    switch (state) {
    case HunkState::open: return kOpenMark;
    case HunkState::taken: return kTakenMark;
    case HunkState::rejected: return kRejectedMark;
    case HunkState::stale: break;
    }
    return kStaleMark;
}

QByteArray filler(int rows) {
    static const QByteArray row = QString(kFillerWidth, QChar(0x2571)).toUtf8();
    QByteArray text;
    for (int i = 0; i < rows; ++i) text += i == 0 ? row : '\n' + row;
    return text;
}

} // namespace

CompareSide::CompareSide(QsciScintilla& text, bool right) : text_(text), alive_(&text), right_(right) {
    text_.markerDefine(S::Background, kChanged);
    text_.markerDefine(S::Background, kQuiet);
    text_.markerDefine(S::LeftRectangle, kCurrent);
    text_.indicatorDefine(S::FullBoxIndicator, kWords);
    text_.setIndicatorDrawUnder(true, kWords);
    text_.setMarginMarkerMask(CudaEditor::kMarks, text_.marginMarkerMask(CudaEditor::kMarks) | 1 << kCurrent
                                                      | (right ? static_cast<int>(kMarks) : 0));
    // Lines that are folded away on one side alone would put the sides out of step.
    text_.SendScintilla(S::SCI_FOLDALL, static_cast<unsigned long>(S::SC_FOLDACTION_EXPAND));
    folds_width_ = text_.marginWidth(CudaEditor::kFolds);
    text_.setMarginWidth(CudaEditor::kFolds, 0);
    text_.SendScintilla(S::SCI_ANNOTATIONSETVISIBLE, static_cast<unsigned long>(S::ANNOTATION_STANDARD));
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, &CompareSide::apply_theme);
    apply_theme();
}

CompareSide::~CompareSide() {
    if (!alive_) return;
    show({}, std::nullopt);
    text_.setMarginMarkerMask(CudaEditor::kMarks,
                              text_.marginMarkerMask(CudaEditor::kMarks) & ~(static_cast<int>(kMarks) | 1 << kCurrent));
    text_.setMarginWidth(CudaEditor::kFolds, folds_width_);
}

void CompareSide::apply_theme() {
    const auto& t = widgets::Theme::instance().tokens();
    text_.setMarkerBackgroundColor(right_ ? t.added_line : t.removed_line, kChanged);
    text_.setMarkerBackgroundColor(t.surface2, kQuiet);
    text_.setMarkerBackgroundColor(t.accent, kCurrent);
    text_.setMarkerForegroundColor(t.accent, kCurrent);
    text_.setIndicatorForegroundColor(right_ ? t.added_word : t.removed_word, kWords);
    text_.SendScintilla(S::SCI_INDICSETALPHA, static_cast<unsigned long>(kWords), 255L);
    const auto mark = [&](Marker marker, const char* icon, const QColor& color) {
        text_.markerDefine(widgets::icon(QLatin1String(icon), color, color).pixmap(12, 12).toImage(), marker);
    };
    mark(kOpenMark, "previous", t.accent);
    mark(kTakenMark, "check", t.good);
    mark(kRejectedMark, "close", t.text2);
    mark(kStaleMark, "warning", t.warn);
    text_.SendScintilla(S::SCI_STYLESETFORE, static_cast<unsigned long>(kFillerStyle), t.line);
    text_.SendScintilla(S::SCI_STYLESETBACK, static_cast<unsigned long>(kFillerStyle), t.surface1);
    const auto font = widgets::Theme::instance().code_font();
    text_.SendScintilla(S::SCI_STYLESETFONT, static_cast<unsigned long>(kFillerStyle),
                        font.family().toUtf8().constData());
    text_.SendScintilla(S::SCI_STYLESETSIZEFRACTIONAL, static_cast<unsigned long>(kFillerStyle),
                        static_cast<long>(font.pointSizeF() * static_cast<int>(S::SC_FONT_SIZE_MULTIPLIER)));
}

void CompareSide::show(const Comparison& comparison, std::optional<std::size_t> current) {
    // Room in a text that somebody types in comes once the other is whole; it would move with every line till then.
    if (right_ || !comparison.unfinished) set_fillers(fillers_of(comparison, right_));
    set_markers(comparison, current);
    text_.SendScintilla(S::SCI_SETINDICATORCURRENT, static_cast<unsigned long>(kWords));
    text_.SendScintilla(S::SCI_INDICATORCLEARRANGE, 0UL, text_.SendScintilla(S::SCI_GETLENGTH));
    for (const auto& hunk : comparison.hunks)
        for (const auto& word : right_ ? hunk.right_words : hunk.left_words)
            text_.SendScintilla(S::SCI_INDICATORFILLRANGE, static_cast<unsigned long>(word.begin),
                                word.end - word.begin);
}

void CompareSide::set_fillers(const Fillers& wanted) {
    // What is looked at: the caret's line where it is in sight, else the topmost.
    const auto first = text_.SendScintilla(S::SCI_GETFIRSTVISIBLELINE);
    const auto rows = text_.SendScintilla(S::SCI_LINESONSCREEN);
    const auto row_of = [&](long line) {
        return text_.SendScintilla(S::SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line));
    };
    long anchor = text_.SendScintilla(S::SCI_LINEFROMPOSITION, text_.SendScintilla(S::SCI_GETCURRENTPOS));
    if (row_of(anchor) < first || row_of(anchor) >= first + rows)
        anchor = text_.SendScintilla(S::SCI_DOCLINEFROMVISIBLE, static_cast<unsigned long>(first));
    const long offset = row_of(anchor) - first;
    bool changed = false;
    for (int line = 0; line < text_.lines(); ++line) {
        const auto at = static_cast<unsigned long>(line);
        const auto found = wanted.find(line);
        const int want = found == wanted.end() ? 0 : found->second;
        if (text_.SendScintilla(S::SCI_ANNOTATIONGETLINES, at) == want) continue;
        changed = true;
        if (want == 0) {
            text_.SendScintilla(S::SCI_ANNOTATIONSETTEXT, at, static_cast<const char*>(nullptr));
            continue;
        }
        text_.SendScintilla(S::SCI_ANNOTATIONSETTEXT, at, filler(want).constData());
        text_.SendScintilla(S::SCI_ANNOTATIONSETSTYLE, at, static_cast<long>(kFillerStyle));
    }
    if (changed)
        text_.SendScintilla(S::SCI_SETFIRSTVISIBLELINE,
                            static_cast<unsigned long>(std::max(0L, row_of(anchor) - offset)));
}

void CompareSide::set_markers(const Comparison& comparison, std::optional<std::size_t> current) {
    for (int marker = kChanged; marker < kEndMarkers; ++marker) text_.markerDeleteAll(marker);
    for (std::size_t i = 0; i < comparison.hunks.size(); ++i) {
        const auto& hunk = comparison.hunks[i];
        const int line = right_ ? hunk.right_line : hunk.left_line, lines = right_ ? hunk.right_lines : hunk.left_lines;
        const bool quiet = hunk.state == HunkState::rejected;
        for (int each = line; each < line + lines; ++each) text_.markerAdd(each, quiet ? kQuiet : kChanged);
        for (int each = line; each < line + std::max(1, lines); ++each)
            if (current == i) text_.markerAdd(std::min(each, text_.lines() - 1), kCurrent);
        if (right_ && !comparison.unfinished)
            text_.markerAdd(std::clamp(lines > 0 ? line : line - 1, 0, text_.lines() - 1), mark_of(hunk.state));
    }
}

} // namespace kw::editor
