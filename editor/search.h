#pragma once

#include <QString>
#include <QStringList>

#include <vector>

/// Finding and replacing in a text, apart from any widget.
namespace kw::editor {

struct SearchOptions {
    QString pattern;
    bool regular_expression = false; ///< Perl's, as QRegularExpression has them; ^ and $ match at lines
    bool match_case = false;
    bool whole_word = false;
};

struct Match {
    int begin = 0; ///< bytes in UTF-8, as editors count
    int end = 0;
    QStringList captures{}; ///< the whole match first; only for regular expressions
    bool operator==(const Match&) const = default;
};

struct SearchResult {
    std::vector<Match> matches;
    QString problem;      ///< why the pattern cannot be used, one sentence; empty: it can
    bool stopped = false; ///< there are more than kMostMatches
};

inline constexpr std::size_t kMostMatches = 50'000;

/// Every match that is not empty, in order. An empty pattern matches nothing. A pattern that takes longer than a user
/// waits is a problem like any other.
[[nodiscard]] SearchResult find_all(const QString& text, const SearchOptions& options);

/// What a match is replaced by: in regular expressions $0 to $99 and \0 to \9 stand for captures, \n and \t for
/// themselves, $$ and \\ for one of them.
[[nodiscard]] QString replacement_of(const Match& match, const QString& replacement, bool regular_expression);

} // namespace kw::editor
