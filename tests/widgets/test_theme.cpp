#include "widgets/icons.h"
#include "widgets/style_sheet.h"
#include "widgets/theme.h"

#include <QSignalSpy>
#include <QTest>

using namespace kw::widgets;

class TestTheme : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void contrast_has_known_values() {
        QCOMPARE(contrast(Qt::black, Qt::white), 21.0);
        QCOMPARE(contrast(Qt::white, Qt::white), 1.0);
    }

    void text_is_readable_data() {
        QTest::addColumn<int>("scheme");
        QTest::newRow("dark") << static_cast<int>(Scheme::dark);
        QTest::newRow("light") << static_cast<int>(Scheme::light);
    }
    void text_is_readable() {
        QFETCH(int, scheme);
        const auto& t = Theme::tokens_of(static_cast<Scheme>(scheme));
        for (const auto& paper : {t.surface0, t.surface1}) {
            for (const auto& ink :
                 {t.text1, t.text2, t.text3, t.accent, t.good, t.bad, t.warn, t.info, t.code_keyword, t.code_cuda,
                  t.code_number, t.code_string, t.code_comment, t.code_directive, t.code_preprocessor})
                QVERIFY2(
                    contrast(ink, paper) >= 4.5,
                    qPrintable(QStringLiteral("%1 on %2: %3").arg(ink.name(), paper.name()).arg(contrast(ink, paper))));
        }
        // Code stays readable where a difference is behind it, a series where it is drawn on a plot.
        for (const auto& paper : {t.added_line, t.removed_line, t.added_word, t.removed_word})
            QVERIFY2(contrast(t.text1, paper) >= 4.5, qPrintable(paper.name()));
        for (const auto& series : t.data) QVERIFY2(contrast(series, t.surface1) >= 3, qPrintable(series.name()));
        QVERIFY(contrast(t.on_accent, t.accent) >= 4.5);
        QVERIFY(contrast(t.text1, t.selection) >= 4.5);
        QVERIFY(contrast(t.text1, t.surface2) >= 4.5);
        QVERIFY(contrast(t.text1, t.surface3) >= 4.5);
    }

    void style_sheet_has_no_unreplaced_token() {
        for (const auto scheme : {Scheme::dark, Scheme::light})
            QVERIFY(!style_sheet(Theme::tokens_of(scheme)).contains(QLatin1Char('$')));
    }

    void text_scales_with_what_holds_it() {
        const QString sheet = style_sheet(Theme::tokens_of(Scheme::dark), 2);
        QVERIFY(sheet.contains(QStringLiteral("min-height: 52px")));
        QVERIFY(sheet.contains(QStringLiteral("font-size: 36px")));
        QVERIFY(!sheet.contains(QStringLiteral("min-height: 26px")));
    }

    void applying_tells_and_brings_the_fonts() {
        QSignalSpy changed(&Theme::instance(), &Theme::changed);
        Theme::instance().apply(*qApp, Scheme::light);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(Theme::instance().tokens().scheme, Scheme::light);
        QCOMPARE(QFontInfo(Theme::instance().interface_font()).family(), QStringLiteral("Inter"));
        QVERIFY(QFontInfo(Theme::instance().code_font()).fixedPitch());
    }

    void every_icon_draws_something() {
        for (const char* name :
             {"run",     "stop",    "save",        "theme",          "error",         "warning",  "good",   "idle",
              "profile", "compile", "open",        "trace",          "search",        "settings", "device", "previous",
              "next",    "best",    "layout_edit", "layout_profile", "layout_review", "close",    "check"}) {
            const QImage image = icon(QLatin1String(name)).pixmap(20, 20).toImage();
            bool drawn = false;
            for (int y = 0; y < image.height() && !drawn; ++y)
                for (int x = 0; x < image.width() && !drawn; ++x) drawn = qAlpha(image.pixel(x, y)) > 128;
            QVERIFY2(drawn, name);
        }
    }
};

QTEST_MAIN(TestTheme)
#include "test_theme.moc"
