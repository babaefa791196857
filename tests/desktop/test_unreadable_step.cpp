// A session that has lost a text: its step is gone to and past, and nothing is compared with what is not known.

#include "agent/trajectory/session_file.h"
#include "app/desktop/compare_pane.h"
#include "app/desktop/main_window.h"
#include "app/desktop/source_tabs.h"
#include "app/desktop/worker_session.h"
#include "editor/compare_view.h"
#include "editor/cuda_editor.h"
#include "tests/desktop/task_fixture.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <SQLiteCpp/SQLiteCpp.h>

using namespace kw;
using namespace kw::desktop;
using namespace kw::desktop::testing;

class TestUnreadableStep : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_step_without_its_source_is_gone_to_and_past() {
        QTemporaryDir folder;
        QVERIFY(folder.isValid());
        use_home(folder);
        const auto path = folder.filePath(QStringLiteral("lost.kwsession")).toStdString();
        trajectory::StepId lost = 0;
        {
            auto session = trajectory::SessionFile::create(
                path, {{"task.toml", kToml}, {"scale.cu", kKernel}, {"reference.cu", kReference}}, "scale");
            QVERIFY(session);
            for (const auto* end : {"// one\n", "// two\n", "// three\n"}) {
                trajectory::Step step;
                if (lost > 0) step.summary.parent = lost;
                step.summary.driver = "imported:test";
                step.file = "scale.cu";
                step.source = std::string(kKernel) + end;
                const auto id = session->add(step);
                QVERIFY(id);
                lost = *id;
            }
            lost = 2;
            const auto steps = session->steps();
            QVERIFY(steps && steps->size() == 3);
            SQLite::Database database(path, SQLite::OPEN_READWRITE);
            SQLite::Statement drop(database, "DELETE FROM blob WHERE sha256 = ?");
            drop.bind(1, (*steps)[1].source_sha256);
            QCOMPARE(drop.exec(), 1);
        }
        WorkerSession worker({.arguments = {KW_WORKER_PROGRAM, "serve"}, .name = "the worker"});
        MainWindow window(worker);
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QSignalSpy opened(&window, &MainWindow::opened);
        QVERIFY(window.open(path));
        QTRY_COMPARE(opened.count(), 1);
        const auto selected = [&] {
            const auto& record = window.workbench().selected();
            return record ? record->step.summary.id : 0;
        };
        QTRY_COMPARE(selected(), 3);
        window.apply_layout(QStringLiteral("review"));
        const auto text = window.sources().current()->utf8();
        QVERIFY(text.ends_with("// three\n"));
        auto& view = *window.findChild<editor::CompareView*>();

        QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
        QTRY_COMPARE(selected(), lost);
        QTRY_VERIFY(all_text(view).contains(QStringLiteral("source cannot be read")));
        QCOMPARE(window.sources().current()->utf8(), text); // nothing is put in its place

        QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
        QTRY_COMPARE(selected(), 1);
        QTest::keyClick(&window, Qt::Key_Right, Qt::AltModifier);
        QTRY_COMPARE(selected(), lost);
        QTest::keyClick(&window, Qt::Key_Right, Qt::AltModifier);
        QTRY_COMPARE(selected(), 3);
        // Its parent is what was lost.
        window.findChild<ComparePane*>()->set_base(ComparePane::Base::parent);
        QTRY_VERIFY(
            all_text(view).contains(QStringLiteral("The source of step 2 is not known, so this is against my text.")));
    }
};

QTEST_MAIN(TestUnreadableStep)
#include "test_unreadable_step.moc"
