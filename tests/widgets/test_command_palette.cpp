#include "widgets/command_palette.h"
#include "widgets/theme.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QLineEdit>
#include <QListView>
#include <QSignalSpy>
#include <QTest>

using namespace kw::widgets;

namespace {

struct Fixture {
    Fixture() : palette(&window) {
        window.resize(900, 600);
        run.setShortcut(QKeySequence(Qt::CTRL | Qt::Key_R));
        window.show();
        tester = std::make_unique<QAbstractItemModelTester>(list().model());
        palette.open({&run, &profile, &stop, &separator});
    }
    [[nodiscard]] QLineEdit& input() const { return *palette.findChild<QLineEdit*>(); }
    [[nodiscard]] QListView& list() const { return *palette.findChild<QListView*>(); }
    [[nodiscard]] QString row(int n) const { return list().model()->index(n, 0).data().toString(); }

    QWidget window;
    QAction run{QStringLiteral("Run the &kernel")}, profile{QStringLiteral("Profile the kernel")},
        stop{QStringLiteral("Stop")}, separator;
    CommandPalette palette;
    std::unique_ptr<QAbstractItemModelTester> tester;
};

} // namespace

class TestCommandPalette : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { Theme::instance().apply(*qApp, Scheme::dark); }

    void scores_prefer_words_and_runs() {
        QVERIFY(!fuzzy_score(QStringLiteral("xyz"), QStringLiteral("Run")));
        const auto exact = fuzzy_score(QStringLiteral("run"), QStringLiteral("Run the kernel"));
        const auto scattered = fuzzy_score(QStringLiteral("run"), QStringLiteral("Restore unsaved notes"));
        QVERIFY(exact && scattered && *exact > *scattered);
        QVERIFY(fuzzy_score(QStringLiteral("rk"), QStringLiteral("Run the kernel")));
    }

    void everything_is_listed_without_mnemonics() {
        Fixture f;
        QCOMPARE(f.list().model()->rowCount(), 3);
        QCOMPARE(f.row(0), QStringLiteral("Run the kernel"));
    }

    void typing_narrows_and_return_does_it() {
        Fixture f;
        QSignalSpy triggered(&f.profile, &QAction::triggered);
        QTest::keyClicks(&f.input(), QStringLiteral("prof"));
        QCOMPARE(f.list().model()->rowCount(), 1);
        QTest::keyClick(&f.input(), Qt::Key_Return);
        QCOMPARE(triggered.count(), 1);
        QVERIFY(!f.palette.isVisible());
    }

    void a_disabled_action_is_shown_and_not_done() {
        Fixture f;
        f.stop.setEnabled(false);
        QSignalSpy triggered(&f.stop, &QAction::triggered);
        QTest::keyClick(&f.input(), Qt::Key_Up); // around the end
        QCOMPARE(f.list().currentIndex().row(), 2);
        QTest::keyClick(&f.input(), Qt::Key_Return);
        QCOMPARE(triggered.count(), 0);
        QVERIFY(f.palette.isVisible());
    }

    void escape_leaves() {
        Fixture f;
        QTest::keyClick(&f.input(), Qt::Key_Escape);
        QVERIFY(!f.palette.isVisible());
    }

    void an_action_that_goes_away_meanwhile_does_no_harm() {
        Fixture f;
        auto* gone = new QAction(QStringLiteral("Soon gone"));
        f.palette.open({gone, &f.run});
        delete gone;
        QTest::keyClick(&f.input(), Qt::Key_Return);
        QVERIFY(f.palette.isVisible());
    }
};

QTEST_MAIN(TestCommandPalette)
#include "test_command_palette.moc"
