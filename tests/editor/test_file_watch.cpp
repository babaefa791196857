#include "editor/file_watch.h"
#include "engine/base/file.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace kw;
using namespace kw::editor;

namespace {

void put(const QString& path, const char* text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(text);
}

} // namespace

class TestFileWatch : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    int made_ = 0;

    QString fresh(const char* text) {
        const QString path = folder_.filePath(QStringLiteral("k%1.cu").arg(++made_));
        put(path, text);
        return path;
    }

private Q_SLOTS:
    void another_content_is_a_change() {
        const QString path = fresh("a");
        FileWatch watch;
        QSignalSpy states(&watch, &FileWatch::state_changed);
        watch.watch(path, "a");
        put(path, "b");
        QTRY_COMPARE(watch.state(), FileWatch::State::changed);
        put(path, "c"); // again
        QTRY_COMPARE(states.count(), 2);
        put(path, "a"); // and back
        QTRY_COMPARE(watch.state(), FileWatch::State::same);
        watch.accept();
        QCOMPARE(states.count(), 3);
    }

    void the_same_content_is_none() {
        const QString path = fresh("a");
        FileWatch watch;
        QSignalSpy states(&watch, &FileWatch::state_changed);
        watch.watch(path, "a");
        put(path, "a");
        QTest::qWait(300);
        QCOMPARE(states.count(), 0);
    }

    void what_changed_before_watching_began_is_seen() {
        const QString path = fresh("newer");
        FileWatch watch;
        watch.watch(path, "older");
        QTRY_COMPARE(watch.state(), FileWatch::State::changed);
    }

    void our_own_writes_are_not_reported() {
        const QString path = fresh("a");
        FileWatch watch;
        QSignalSpy states(&watch, &FileWatch::state_changed);
        watch.watch(path, "a");
        for (const char* text : {"b", "c", "d"}) {
            watch.expect(text);
            QVERIFY(write_file(path.toStdString(), text).has_value()); // by rename
            QTest::qWait(90);
        }
        QTest::qWait(200);
        QCOMPARE(states.count(), 0);
        put(path, "other"); // still watched, though it is another file by now
        QTRY_COMPARE(watch.state(), FileWatch::State::changed);
    }

    void replacing_by_rename_is_seen() {
        const QString path = fresh("a");
        FileWatch watch;
        watch.watch(path, "a");
        QTest::qWait(150);
        QVERIFY(write_file(path.toStdString(), "b").has_value());
        QTRY_COMPARE(watch.state(), FileWatch::State::changed);
        watch.accept();
        QCOMPARE(watch.state(), FileWatch::State::same);
        QVERIFY(write_file(path.toStdString(), "c").has_value());
        QTRY_COMPARE(watch.state(), FileWatch::State::changed);
    }

    void deleted_and_come_back() {
        const QString path = fresh("a");
        FileWatch watch;
        QSignalSpy states(&watch, &FileWatch::state_changed);
        watch.watch(path, "a");
        QVERIFY(QFile::remove(path));
        QTRY_COMPARE(watch.state(), FileWatch::State::deleted);
        put(path, "a");
        QTRY_COMPARE(watch.state(), FileWatch::State::same);
        QCOMPARE(states.count(), 2);
    }

    void a_watch_may_go_while_it_looks() {
        for (int i = 0; i < 20; ++i) {
            FileWatch watch;
            watch.watch(fresh("a"), "b");
            QTest::qWait(i % 2 ? 61 : 0);
        }
        QTest::qWait(100);
    }
};

QTEST_GUILESS_MAIN(TestFileWatch)
#include "test_file_watch.moc"
