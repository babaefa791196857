#include "editor/search.h"

#include <QElapsedTimer>
#include <QTest>

using namespace kw::editor;

namespace {

std::vector<std::pair<int, int>> places(const QString& text, const SearchOptions& options) {
    std::vector<std::pair<int, int>> out;
    for (const auto& match : find_all(text, options).matches) out.emplace_back(match.begin, match.end);
    return out;
}
using Places = std::vector<std::pair<int, int>>;

SearchOptions pattern(const char* text, bool regex = false, bool match_case = false, bool word = false) {
    return {QString::fromUtf8(text), regex, match_case, word};
}

} // namespace

class TestSearch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void options_narrow_what_is_found() {
        const QString text = QStringLiteral("sum Sum summand sum");
        QCOMPARE(places(text, pattern("sum")), (Places{{0, 3}, {4, 7}, {8, 11}, {16, 19}}));
        QCOMPARE(places(text, pattern("sum", false, true)), (Places{{0, 3}, {8, 11}, {16, 19}}));
        QCOMPARE(places(text, pattern("sum", false, true, true)), (Places{{0, 3}, {16, 19}}));
        QCOMPARE(places(text, pattern("")), Places{});
        QCOMPARE(places(QStringLiteral("a.b axb"), pattern("a.b")), (Places{{0, 3}}));
        QCOMPARE(places(QStringLiteral("a.b axb"), pattern("a.b", true)), (Places{{0, 3}, {4, 7}}));
        QCOMPARE(places(QStringLiteral("//@ x"), pattern("//@", false, false, true)), (Places{{0, 3}}));
    }

    void places_are_bytes() {
        const QString text = QString::fromUtf8("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80x\xC3\xA4");
        QCOMPARE(places(text, pattern("x")), (Places{{9, 10}}));
        QCOMPARE(places(text, pattern("\xC3\xA4")), (Places{{0, 2}, {10, 12}}));
        QCOMPARE(places(text, pattern("\xF0\x9F\x98\x80")), (Places{{5, 9}}));
    }

    void lines_have_ends() {
        const QString text = QStringLiteral("a\nb\nab\n");
        QCOMPARE(places(text, pattern("^a", true)), (Places{{0, 1}, {4, 5}}));
        QCOMPARE(places(text, pattern("b$", true)), (Places{{2, 3}, {5, 6}}));
        QCOMPARE(places(text, pattern("x*", true)), Places{}); // nothing empty
    }

    void a_bad_pattern_is_told() {
        const auto result = find_all(QStringLiteral("a"), pattern("a(", true));
        QVERIFY(result.matches.empty());
        QVERIFY(result.problem.contains(QStringLiteral("not valid")));
        QVERIFY(find_all(QStringLiteral("a("), pattern("a(")).problem.isEmpty());
        QVERIFY(find_all(QString(200'000, QLatin1Char('a')), pattern("a")).stopped);
        // Catastrophic backtracking ends.
        QElapsedTimer timer;
        timer.start();
        (void)find_all(QString(40, QLatin1Char('a')) + QLatin1Char('b'), pattern("(a+)+c", true));
        QVERIFY(timer.elapsed() < 5000);
    }

    void a_costly_pattern_is_given_up() {
        QElapsedTimer timer;
        timer.start();
        for (const int length : {13, 14, 40}) {
            QString text;
            while (text.size() < 1'000'000) text += QString(length, QLatin1Char('a')) + QStringLiteral("b\n");
            const auto result = find_all(text, pattern("(a+)+$", true));
            QVERIFY(result.matches.empty());
            QVERIFY(result.problem.contains(QStringLiteral("too long")));
        }
        QVERIFY2(timer.elapsed() < 6000, qPrintable(QString::number(timer.elapsed())));
    }

    void long_texts_are_searched_as_a_whole() {
        QString text;
        while (text.size() < 100'000) text += QStringLiteral("first\n  second %1\n").arg(text.size());
        const auto count = text.count(QStringLiteral("first"));
        QCOMPARE(qsizetype(find_all(text, pattern("first\\n\\s+second \\d+$", true)).matches.size()), count);
        QCOMPARE(qsizetype(find_all(text, pattern("(?<=first\\n)  second", true)).matches.size()), count);
        QCOMPARE(qsizetype(find_all(text, pattern("\\Afirst", true)).matches.size()), qsizetype{1});
        const auto lines = find_all(text, pattern("^.*$", true)).matches;
        QCOMPARE(qsizetype(lines.size()), 2 * count);
        for (std::size_t i = 1; i < lines.size(); ++i) QCOMPARE(lines[i].begin, lines[i - 1].end + 1);
        // One line that has no end.
        const QString line =
            QString(50'000, QLatin1Char('x')) + QStringLiteral("needle") + QString(50'000, QLatin1Char('y'));
        QCOMPARE(places(line, pattern("needle")), (Places{{50'000, 50'006}}));
        QCOMPARE(qsizetype(find_all(line, pattern("$", true)).matches.size()), qsizetype{0});
        for (int at = 8000; at < 8400; at += 7) {
            const QString cut =
                QString(at, QLatin1Char('x')) + QStringLiteral("needle") + QString(50'000, QLatin1Char('y'));
            QCOMPARE(places(cut, pattern("needle")), (Places{{at, at + 6}}));
        }
    }

    void replacements_take_captures() {
        const auto match = find_all(QStringLiteral("float x;"), pattern("(\\w+) (\\w)", true)).matches.at(0);
        const auto to = [&](const char* text) { return replacement_of(match, QString::fromUtf8(text), true); };
        QCOMPARE(to("$2 $1"), QStringLiteral("x float"));
        QCOMPARE(to("\\2[\\0]"), QStringLiteral("x[float x]"));
        QCOMPARE(to("a\\nb\\tc\\\\$$1"), QStringLiteral("a\nb\tc\\$1"));
        QCOMPARE(to("$3$10|"), QStringLiteral("float0|"));
        QCOMPARE(to("$"), QStringLiteral("$"));
        QCOMPARE(replacement_of(match, QStringLiteral("$1"), false), QStringLiteral("$1"));
    }
};

QTEST_APPLESS_MAIN(TestSearch)
#include "test_search.moc"
