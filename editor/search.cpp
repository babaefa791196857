#include "editor/search.h"

#include <QCoreApplication>
#include <QRegularExpression>

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
    const QRegularExpression expression(pattern, flags | QRegularExpression::UseUnicodePropertiesOption);
    qsizetype counted = 0;
    int bytes = 0;
    for (auto all = expression.globalMatch(text); all.hasNext();) {
        const auto match = all.next();
        if (match.capturedLength() == 0) continue;
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
