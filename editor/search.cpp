#include "editor/search.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QRegularExpression>

#include <algorithm>

namespace kw::editor {
namespace {

/// Bytes that the UTF-16 units [from, to) take in UTF-8.
int utf8_length(const QString& text, qsizetype from, qsizetype to) {
    int bytes = 0;
    for (qsizetype i = from; i < to; ++i) {
        const char16_t unit = text[i].unicode();
        // A pair of surrogates takes four bytes, two for each of its halves.
        bytes += unit < 0x80 ? 1 : unit < 0x800 || text[i].isSurrogate() ? 2 : 3;
    }
    return bytes;
}

// Whoever searches waits for it. PCRE gives up where one place in the text takes more steps than this; but it may take
// almost as many at each, and cannot be interrupted, so the text is gone through in pieces with a look at the clock.
const QString kStepLimit = QStringLiteral("(*LIMIT_MATCH=50000)");
constexpr qsizetype kPiece = 8192;   ///< UTF-16 units, and on to the end of a line
constexpr qsizetype kOverlap = 2048; ///< so long a match is found wherever it lies
constexpr qint64 kMostMs = 500;

qsizetype piece_end(const QString& text, qsizetype from) {
    if (text.size() - from <= 2 * kPiece) return text.size();
    const qsizetype line = text.indexOf(u'\n', from + kPiece) + 1;
    if (line > 0 && line - from <= 2 * kPiece) return line;
    const qsizetype end = from + kPiece; // within a line that has no end
    return text[end].isLowSurrogate() ? end + 1 : end;
}

} // namespace

SearchResult find_all(const QString& text, const SearchOptions& options) {
    SearchResult result;
    if (options.pattern.isEmpty()) return result;
    QString pattern = options.regular_expression ? options.pattern : QRegularExpression::escape(options.pattern);
    QRegularExpression::PatternOptions flags = QRegularExpression::MultilineOption;
    if (!options.match_case) flags |= QRegularExpression::CaseInsensitiveOption;
    // Checked by itself first, so that a message's position is that of what was typed.
    const QRegularExpression typed(pattern, flags);
    if (!typed.isValid()) {
        result.problem =
            QCoreApplication::translate("kw::editor::FindBar", "The pattern is not valid: %1 (character %2).")
                .arg(typed.errorString())
                .arg(typed.patternErrorOffset() + 1);
        return result;
    }
    if (options.whole_word) pattern = QStringLiteral("(?<!\\w)(?:") % pattern % QStringLiteral(")(?!\\w)");
    const QRegularExpression expression(kStepLimit + pattern, flags | QRegularExpression::UseUnicodePropertiesOption);
    // Checked once instead of for every piece.
    const auto checked =
        text.isValidUtf16() ? QRegularExpression::DontCheckSubjectStringMatchOption : QRegularExpression::NoMatchOption;
    QElapsedTimer clock;
    clock.start();
    qsizetype counted = 0;
    int bytes = 0;
    for (qsizetype from = 0; from < text.size() && !result.stopped;) {
        const qsizetype end = piece_end(text, from);
        // This piece's end is looked at once more, as a match may go on beyond it.
        qsizetype next = end == text.size() ? end : end - kOverlap;
        if (next < end && text[next].isLowSurrogate()) --next;
        auto all = expression.globalMatch(QStringView(text).left(end), from, QRegularExpression::NormalMatch, checked);
        while (all.hasNext()) {
            const auto match = all.next();
            if (match.capturedLength() == 0) continue;
            if (match.capturedEnd() == end && end < text.size() && match.capturedStart() > from) {
                next = match.capturedStart(); // the piece's end may have cut it short
                break;
            }
            if (result.matches.size() == kMostMatches) {
                result.stopped = true;
                break;
            }
            bytes += utf8_length(text, counted, match.capturedStart());
            const int length = utf8_length(text, match.capturedStart(), match.capturedEnd());
            result.matches.push_back({bytes, bytes + length, {}});
            if (options.regular_expression) result.matches.back().captures = match.capturedTexts();
            bytes += length;
            counted = match.capturedEnd();
            next = std::max(next, counted);
        }
        if (options.regular_expression && (!all.isValid() || clock.hasExpired(kMostMs))) {
            // Half of the matches would be taken for all of them.
            result = {};
            result.problem = QCoreApplication::translate(
                "kw::editor::FindBar", "The pattern takes too long in this text; make it simpler or more exact.");
            break;
        }
        from = next;
    }
    return result;
}

QString replacement_of(const Match& match, const QString& replacement, bool regular_expression) {
    if (!regular_expression) return replacement;
    QString out;
    for (qsizetype i = 0; i < replacement.size(); ++i) {
        const QChar c = replacement[i];
        const QChar next = i + 1 < replacement.size() ? replacement[i + 1] : QChar();
        const auto digit = [](QChar d) { return d >= u'0' && d <= u'9'; };
        if ((c == u'$' || c == u'\\') && digit(next)) {
            int number = next.digitValue();
            ++i;
            if (c == u'$' && i + 1 < replacement.size() && digit(replacement[i + 1])) {
                const int longer = 10 * number + replacement[i + 1].digitValue();
                if (longer < match.captures.size()) {
                    number = longer;
                    ++i;
                }
            }
            out += match.captures.value(number);
        } else if (c == u'\\' && (next == u'n' || next == u't' || next == u'\\')) {
            out += next == u'n' ? QChar(u'\n') : next == u't' ? QChar(u'\t') : next;
            ++i;
        } else if (c == u'$' && next == u'$') {
            out += c;
            ++i;
        } else {
            out += c;
        }
    }
    return out;
}

} // namespace kw::editor
