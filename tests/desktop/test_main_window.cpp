#include "agent/review/lesson_view.h"
#include "app/desktop/device_chooser.h"
#include "app/desktop/main_window.h"
#include "app/desktop/source_tabs.h"
#include "app/desktop/worker_session.h"
#include "editor/cuda_editor.h"
#include "editor/editor_pane.h"
#include "editor/problem_list.h"
#include "engine/base/file.h"
#include "profiler_views/timeline/canvas.h"
#include "profiler_views/timeline/timeline_view.h"
#include "profiler_views/verdict/verdict_view.h"
#include "tests/desktop/task_fixture.h"
#include "widgets/theme.h"

#include <QAbstractSpinBox>
#include <QAccessible>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolBar>

#include <csignal>
#include <memory>

using namespace kw;
using namespace kw::desktop;
using namespace kw::desktop::testing;

namespace {

/// A window on a fresh task folder, with a real worker behind it.
class Fixture {
public:
    Fixture() : worker({.arguments = {KW_WORKER_PROGRAM, "serve"}, .name = "the worker"}), window(worker) {
        QVERIFY(write_task(folder()));
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(window.open(folder()));
    }

    [[nodiscard]] std::filesystem::path folder() const { return directory.path().toStdString(); }
    void write(const char* name, const std::string& text) const { QVERIFY(write_file(folder() / name, text)); }
    [[nodiscard]] editor::CudaEditor& editor() { return *window.sources().current(); }
    [[nodiscard]] editor::ProblemList& problems() { return *window.findChild<editor::ProblemList*>(); }
    [[nodiscard]] QString verdict() { return all_text(*window.findChild<profiler_views::VerdictView*>()); }
    void replace(const char* from, const char* to) {
        QString text = editor().text();
        QVERIFY(text.contains(QLatin1String(from)));
        editor().setText(text.replace(QLatin1String(from), QLatin1String(to)));
    }
    bool run() {
        QSignalSpy finished(&window, &MainWindow::run_finished);
        QTest::keyClick(&window, Qt::Key_R, Qt::ControlModifier);
        return finished.wait(30'000);
    }

    QTemporaryDir directory;
    WorkerSession worker;
    MainWindow window;
};

} // namespace

class TestMainWindow : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        QVERIFY(home_.isValid());
        use_home(home_);
        widgets::Theme::instance().apply(*qApp, widgets::Scheme::dark);
    }

    void a_trace_opens_in_the_timeline_and_the_task_stays() {
        Fixture f;
        f.write("run.json", R"([{"ph": "X", "name": "kernel", "pid": 0, "tid": 7, "ts": 1, "dur": 5}])");
        QSignalSpy opened(&f.window, &MainWindow::opened);
        QVERIFY(opened.wait()); // the session
        QVERIFY(f.window.open(f.folder() / "run.json"));
        QVERIFY(opened.wait());
        QVERIFY(opened[1][0].toBool());
        auto* timeline = f.window.findChild<profiler_views::TimelineView*>();
        QVERIFY(timeline && timeline->isVisible());
        QCOMPARE(timeline->canvas().scene().store->size(), 1u);
        QVERIFY(f.editor().text().contains(QStringLiteral("scale")));
        f.write("bad.json", "name = 1");
        QVERIFY(f.window.open(f.folder() / "bad.json"));
        QVERIFY(opened.wait());
        QVERIFY(!opened[2][0].toBool());
        QVERIFY(f.window.statusBar()->currentMessage().contains(QStringLiteral("not a trace")));
    }

    void a_trace_without_a_task_has_the_window_to_itself() {
        QTemporaryDir directory;
        const std::filesystem::path trace = directory.path().toStdString() + "/run.json";
        QVERIFY(write_file(trace, R"([{"ph": "X", "name": "kernel", "pid": 0, "tid": 7, "ts": 1, "dur": 5}])"));
        WorkerSession worker{{.arguments = {KW_WORKER_PROGRAM, "serve"}, .name = "the worker"}};
        MainWindow window{worker};
        window.show();
        QSignalSpy opened(&window, &MainWindow::opened);
        QVERIFY(window.open(trace));
        QVERIFY(opened.wait());
        QVERIFY(!window.centralWidget()->isVisible());
        for (const char* id : {"steps", "code", "verdict"})
            QVERIFY2(!window.findChild<QDockWidget*>(QLatin1String(id))->isVisible(), id);
        Fixture f; // writes a task
        QVERIFY(window.open(f.folder()));
        QVERIFY(window.centralWidget()->isVisible());
        QVERIFY(window.findChild<QDockWidget*>(QStringLiteral("verdict"))->isVisible());
    }

    void diagnostics_follow_the_typing() {
        Fixture f;
        f.replace("2.0f * x[i]", "missing * x[i]");
        QTRY_COMPARE_WITH_TIMEOUT(f.problems().error_count(), 1, 15'000);
        f.replace("missing", "2.0f");
        QTRY_COMPARE_WITH_TIMEOUT(f.problems().error_count(), 0, 15'000);
    }

    void a_run_brings_a_verdict_and_an_edit_outdates_it() {
        Fixture f;
        QVERIFY(f.run());
        QVERIFY2(f.verdict().contains(QStringLiteral("Correct")), qPrintable(f.verdict()));
        QVERIFY(f.verdict().contains(QStringLiteral("estimate")));
        QVERIFY(f.window.statusBar()->currentMessage().contains(QStringLiteral("5/5 checks")));
        f.replace("2.0f", "3.0f");
        QTRY_VERIFY(f.verdict().contains(QStringLiteral("before your edit")));
        // What is run is what is in the editor, saved or not.
        QVERIFY(f.run());
        QVERIFY(f.verdict().contains(QStringLiteral("Wrong result")));
    }

    void a_fault_is_listed_as_a_problem() {
        Fixture f;
        f.replace("if (i < n) ", "");
        QVERIFY(f.run());
        QVERIFY(f.verdict().contains(QStringLiteral("Faults")));
        QVERIFY(f.problems().error_count() >= 1);
    }

    void stop_ends_a_run_that_would_not() {
        Fixture f;
        f.replace("if (i < n) y[i]", "volatile const float* p = x; while (p[0] != 12345.0f) ; if (i < n) y[i]");
        QSignalSpy finished(&f.window, &MainWindow::run_finished);
        f.window.run();
        QTest::qWait(300);
        f.window.stop();
        QVERIFY(finished.wait(5'000));
        f.replace("while (p[0] != 12345.0f) ;", "");
        QVERIFY(f.run());
        QVERIFY(f.verdict().contains(QStringLiteral("Correct")));
    }

    void saving_writes_the_file() {
        Fixture f;
        f.replace("2.0f * x[i]", "x[i] * 2.0f");
        QVERIFY(f.window.isWindowModified());
        QTest::keyClick(&f.window, Qt::Key_S, Qt::ControlModifier);
        QVERIFY(!f.window.isWindowModified());
        QVERIFY(read_file(f.folder() / "scale.cu", 1 << 20)->find("x[i] * 2.0f") != std::string::npos);
    }

    void a_bad_task_is_told_in_place() {
        Fixture f;
        f.write("task.toml", "name = ");
        QVERIFY(!f.window.open(f.folder()));
        QVERIFY(f.verdict().contains(QStringLiteral("task.toml:1")));
        QVERIFY(!f.window.open("/nowhere/at/all"));
    }

    void the_theme_can_be_switched() {
        Fixture f;
        QSignalSpy looks(&f.window, &MainWindow::look_changed);
        QTest::keyClick(&f.window, Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(looks.count(), 1);
        QCOMPARE(looks[0][0].toString(), QStringLiteral("light"));
    }

    void each_run_is_a_step_that_can_be_gone_back_to() {
        Fixture f;
        QVERIFY(f.run());
        f.replace("2.0f", "3.0f");
        QVERIFY(f.run());
        QCOMPARE(f.window.workbench().steps().size(), 2u);
        QCOMPARE(f.window.workbench().steps()[1].parent, std::optional<trajectory::StepId>{1});
        QTest::keyClick(&f.window, Qt::Key_Left, Qt::AltModifier);
        QTRY_VERIFY(f.verdict().contains(QStringLiteral("Correct")));
        QTRY_VERIFY(f.verdict().contains(QStringLiteral("before your edit")));
        QTest::keyClick(&f.window, Qt::Key_Return, Qt::AltModifier);
        QTRY_VERIFY(f.editor().text().contains(QStringLiteral("2.0f * x")));
        QTRY_VERIFY(!f.verdict().contains(QStringLiteral("before your edit")));
        QTest::keyClick(&f.editor(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(f.editor().text().contains(QStringLiteral("3.0f * x")));
    }

    void the_window_follows_the_step() {
        Fixture f;
        f.replace("2.0f", "missing");
        QVERIFY(f.run());
        QVERIFY(f.verdict().contains(QStringLiteral("Does not compile")));
        f.replace("missing", "2.0f");
        QVERIFY(f.run());
        f.replace("2.0f", "3.0f");
        QVERIFY(f.run());
        const auto* label = f.window.findChild<QToolBar*>()->findChild<QLabel*>();
        QCOMPARE(label->text(), QStringLiteral("step 3 of 3"));
        // The first wrong one: its problems are listed, though the text is another and is not marked.
        QTest::keyClick(&f.window, Qt::Key_Down, Qt::AltModifier);
        QTRY_COMPARE(label->text(), QStringLiteral("step 1 of 3"));
        QVERIFY(f.verdict().contains(QStringLiteral("Does not compile")));
        QCOMPARE(f.problems().error_count(), 1);
        QVERIFY(f.window.findChild<QDockWidget*>(QStringLiteral("problems"))
                    ->windowTitle()
                    .contains(QStringLiteral("step 1")));
        QVERIFY(all_text(f.window.sources()).contains(QStringLiteral("Step 1 is looked at")));
        QVERIFY(f.editor().text().contains(QStringLiteral("3.0f")));
        // What is run now was made from the text's step, not from the one that is looked at.
        f.replace("3.0f", "4.0f");
        QVERIFY(f.run());
        QCOMPARE(f.window.workbench().steps()[3].parent, std::optional<trajectory::StepId>{3});
        QTest::keyClick(&f.window, Qt::Key_Up, Qt::AltModifier);
        QTRY_COMPARE(label->text(), QStringLiteral("step 2 of 4"));
        QTest::keyClick(&f.window, Qt::Key_Return, Qt::AltModifier);
        QTRY_VERIFY(f.editor().text().contains(QStringLiteral("2.0f * x")));
        QVERIFY(f.run());
        QCOMPARE(f.window.workbench().steps()[4].parent, std::optional<trajectory::StepId>{2});
    }

    void a_presentation_is_larger_and_ends_as_it_began() {
        Fixture f;
        QSignalSpy looks(&f.window, &MainWindow::look_changed);
        QTest::keyClick(&f.window, Qt::Key_F5);
        QCOMPARE(looks.count(), 1);
        QVERIFY(looks[0][1].toDouble() >= 1.5);
        QVERIFY(!f.window.statusBar()->isVisible());
        f.editor().setFocus();
        QTest::keyClick(&f.editor(), Qt::Key_Escape);
        QCOMPARE(looks.count(), 2);
        QCOMPARE(looks[1][1].toDouble(), Settings().text_scale());
        QVERIFY(f.window.statusBar()->isVisible());
        QTest::keyClick(&f.window, Qt::Key_F5);
        QTest::keyClick(&f.window, Qt::Key_F5);
        QVERIFY(f.window.statusBar()->isVisible());
    }

    void a_session_opens_without_its_folder() {
        Fixture f;
        QVERIFY(f.run());
        const auto session = f.window.workbench().session();
        WorkerSession worker{{.arguments = {KW_WORKER_PROGRAM, "serve"}, .name = "the worker"}};
        MainWindow window{worker};
        window.show();
        QSignalSpy opened(&window, &MainWindow::opened);
        QVERIFY(window.open(session));
        QVERIFY(opened.wait());
        QVERIFY(opened[0][0].toBool());
        QVERIFY(window.sources().text("scale.cu").find("2.0f * x") != std::string::npos);
        QTRY_VERIFY(all_text(*window.findChild<profiler_views::VerdictView*>()).contains(QStringLiteral("Correct")));
    }

    void what_is_no_session_is_told() {
        Fixture f;
        f.write("bad.kwsession", "not a database");
        QSignalSpy opened(&f.window, &MainWindow::opened);
        QVERIFY(f.window.open(f.folder() / "bad.kwsession"));
        QVERIFY(opened.wait());
        if (opened.count() == 1 && opened[0][0].toBool()) QVERIFY(opened.wait()); // the task's own session
        QVERIFY(!opened.last()[0].toBool());
        QVERIFY(f.window.statusBar()->currentMessage().contains(QStringLiteral("bad.kwsession")));
    }

    void a_session_that_cannot_be_opened_costs_nothing_that_is_open() {
        Fixture f;
        QVERIFY(f.run());
        QTest::keyClicks(&f.editor(), QStringLiteral("// kept "));
        f.window.sources().current()->setModified(false); // or it would be asked about
        f.write("bad.kwsession", "not a database");
        QSignalSpy opened(&f.window, &MainWindow::opened);
        QVERIFY(f.window.open(f.folder() / "bad.kwsession"));
        QVERIFY(opened.wait());
        QVERIFY(f.window.workbench().task());
        QCOMPARE(f.window.workbench().steps().size(), 1u);
        QVERIFY(f.editor().text().contains(QStringLiteral("// kept")));
        f.window.sources().current()->setModified(true);
        QVERIFY(f.window.save());
        QVERIFY(read_file(f.folder() / "scale.cu", 1 << 20)->find("// kept") != std::string::npos);
    }

    void another_machine_ends_a_run() {
        Fixture f;
        f.replace("if (i < n) y[i]", "volatile const float* p = x; while (p[0] != 12345.0f) ; if (i < n) y[i]");
        QSignalSpy finished(&f.window, &MainWindow::run_finished);
        f.window.run();
        QTest::qWait(200);
        f.worker.connect_to({.arguments = {KW_WORKER_PROGRAM, "serve"}, .name = "another worker"});
        QCOMPARE(finished.count(), 1);
        QVERIFY(!f.window.workbench().running());
        f.replace("while (p[0] != 12345.0f) ;", "");
        QVERIFY(f.run());
    }

    void a_step_comes_from_the_one_that_was_looked_at_when_its_run_began() {
        Fixture f;
        QVERIFY(f.run());
        f.replace("2.0f", "2.5f");
        QVERIFY(f.run());
        QSignalSpy finished(&f.window, &MainWindow::run_finished);
        f.window.run();
        f.window.workbench().select(1);
        QVERIFY(finished.wait(30'000));
        QCOMPARE(f.window.workbench().steps().back().parent, std::optional<trajectory::StepId>{2});
    }

    void a_deleted_file_can_be_saved_again() {
        Fixture f;
        QVERIFY(std::filesystem::remove(f.folder() / "scale.cu"));
        QTRY_VERIFY_WITH_TIMEOUT(f.window.isWindowModified(), 5'000);
        QTest::keyClick(&f.window, Qt::Key_S, Qt::ControlModifier);
        QCOMPARE(*read_file(f.folder() / "scale.cu", 1 << 20), std::string(kKernel));
        QVERIFY(!f.window.isWindowModified());
    }

    void a_worker_that_hears_nothing_is_given_up_after_stop() {
        Fixture f;
        f.replace("if (i < n) y[i]", "volatile const float* p = x; while (p[0] != 12345.0f) ; if (i < n) y[i]");
        QSignalSpy finished(&f.window, &MainWindow::run_finished);
        f.window.run();
        QTest::qWait(500);
        QVERIFY(f.worker.process() > 0 && ::kill(f.worker.process(), SIGSTOP) == 0);
        f.window.stop();
        QVERIFY(finished.wait(WorkerSession::kPatienceMs + 3'000));
        f.replace("while (p[0] != 12345.0f) ;", "");
        QVERIFY(f.run());
        QVERIFY(f.verdict().contains(QStringLiteral("Correct")));
    }

    void a_changed_reference_begins_another_session() {
        Fixture f;
        QVERIFY(f.run());
        const auto before = f.window.workbench().session();
        f.write("reference.cu", std::string("// another\n") + kReference);
        QVERIFY(f.run());
        QTRY_VERIFY(!f.window.workbench().session().empty());
        QVERIFY(f.window.workbench().session() != before);
        QCOMPARE(f.window.workbench().steps().size(), 1u);
    }

    void a_task_may_be_called_anything() {
        Fixture f;
        f.write("task.toml", QString::fromLatin1(kToml)
                                 .replace(QStringLiteral("\"scale\""), QStringLiteral("\"../../x/\\u0000y\""))
                                 .toStdString());
        if (!f.window.open(f.folder())) return; // refused is right too
        QVERIFY(f.run());
        QTRY_VERIFY(!f.window.workbench().session().empty());
        QCOMPARE(f.window.workbench().session().parent_path().filename().string(), std::string("sessions"));
    }

    void typed_text_is_offered_after_a_crash() {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString();
        QVERIFY(write_task(path));
        {
            WorkerSession worker{{.arguments = {KW_WORKER_PROGRAM, "serve"}, .name = "the worker"}};
            MainWindow window{worker};
            window.show();
            QVERIFY(window.open(path));
            window.sources().current()->setFocus();
            QTest::keyClicks(window.sources().current(), QStringLiteral("// never saved"));
            QTest::qWait(Workbench::kDraftMs + 600);
            // Gone without a word, as after a crash: closing would ask.
        }
        Settings settings;
        QVERIFY(settings.unsaved().contains(folder.path()));
        WorkerSession worker{{.arguments = {KW_WORKER_PROGRAM, "serve"}, .name = "the worker"}};
        MainWindow window{worker};
        window.show();
        QVERIFY(window.open(path));
        auto* pane = window.sources().pane("scale.cu");
        QTRY_VERIFY(pane->has_notice(QStringLiteral("draft")));
        QVERIFY(window.sources().text("scale.cu").find("never saved") == std::string::npos);
        Q_EMIT pane->notice_action(QStringLiteral("draft"), 0);
        QVERIFY(window.sources().text("scale.cu").find("never saved") != std::string::npos);
    }

    void windows_on_one_task_keep_their_texts_apart() {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString();
        QVERIFY(write_task(path));
        WorkerSession worker{{.arguments = {KW_WORKER_PROGRAM, "serve"}, .name = "the worker"}};
        const auto type = [](MainWindow& window, const char* text) {
            window.sources().current()->setFocus();
            QTest::keyClicks(window.sources().current(), QLatin1String(text));
            QTest::qWait(Workbench::kDraftMs + 600);
        };
        auto first = std::make_unique<MainWindow>(worker);
        first->show();
        QVERIFY(first->open(path));
        type(*first, "// of the first");
        {
            MainWindow second{worker};
            second.show();
            QSignalSpy opened(&second, &MainWindow::opened);
            QVERIFY(second.open(path));
            QVERIFY(opened.wait());
            auto* pane = second.sources().pane("scale.cu");
            QVERIFY(!pane->has_notice(QStringLiteral("draft"))); // the first is alive and has it
            type(second, "// of the second");
            QVERIFY(second.save());
            auto* front = first->sources().pane("scale.cu");
            QTRY_VERIFY(front->has_notice(QStringLiteral("file.changed")));
            QVERIFY(second.close());
        }
        first.reset(); // as after a crash
        MainWindow third{worker};
        third.show();
        QVERIFY(third.open(path));
        auto* pane = third.sources().pane("scale.cu");
        QTRY_VERIFY(pane->has_notice(QStringLiteral("draft")));
        Q_EMIT pane->notice_action(QStringLiteral("draft"), 0);
        QVERIFY(third.sources().text("scale.cu").find("of the first") != std::string::npos);
        QVERIFY(third.sources().text("scale.cu").find("of the second") == std::string::npos);
    }

    void a_kernel_in_another_encoding_opens_runs_and_is_saved_in_it() {
        Fixture f;
        f.write("scale.cu", std::string("// caf\xE9\n") + kKernel);
        QVERIFY(f.window.open(f.folder()));
        QVERIFY(f.window.sources().text("scale.cu").starts_with("// caf\xC3\xA9\n"));
        QVERIFY(f.run());
        QVERIFY2(f.verdict().contains(QStringLiteral("Correct")), qPrintable(f.verdict()));
        QTest::keyClicks(f.window.sources().current(), QStringLiteral("// mine "));
        QVERIFY(f.window.save());
        const auto written = read_file(f.folder() / "scale.cu", 1 << 20);
        QVERIFY(written && written->starts_with("// mine // caf\xE9\n"));
    }

    void a_worker_that_cannot_be_is_told_and_nothing_runs() {
        QTemporaryDir folder;
        QVERIFY(write_task(folder.path().toStdString()));
        WorkerSession worker{rpc::WorkerCommand{}};
        worker.refuse(rpc::worker_command("telnet:old").error());
        MainWindow window{worker};
        window.show();
        QVERIFY(window.open(folder.path().toStdString()));
        auto* chooser = window.findChild<DeviceChooser*>();
        QTRY_VERIFY(chooser->text().contains(QStringLiteral("no answer")));
        QVERIFY(chooser->accessibleDescription().contains(QStringLiteral("telnet:old")));
        auto* problems = window.findChild<editor::ProblemList*>();
        QTRY_VERIFY(all_text(*problems).contains(QStringLiteral("Not checked")));
        QVERIFY(all_text(*problems).contains(QStringLiteral("telnet:old")));
        QSignalSpy finished(&window, &MainWindow::run_finished);
        window.run();
        QVERIFY(finished.wait());
        QVERIFY(window.workbench().steps().empty());
    }

    void waiting_for_a_worker_is_told_and_can_be_ended() {
        QTemporaryDir folder;
        QVERIFY(write_task(folder.path().toStdString()));
        WorkerSession worker{{.arguments = {"sleep", "100"}, .name = "the worker on gpu7", .remote = true}};
        MainWindow window{worker};
        window.show();
        auto* chooser = window.findChild<DeviceChooser*>();
        QTRY_VERIFY(chooser->text().contains(QStringLiteral("waiting")));
        Q_EMIT chooser->wait_cancelled();
        QTRY_VERIFY(chooser->text().contains(QStringLiteral("no answer")));
        QVERIFY(window.statusBar()->currentMessage().contains(QStringLiteral("cancelled")));
    }

    void a_trace_without_events_says_so() {
        Fixture f;
        f.write("empty.json", "[]");
        QSignalSpy opened(&f.window, &MainWindow::opened);
        QVERIFY(opened.wait()); // the session
        QVERIFY(f.window.open(f.folder() / "empty.json"));
        QVERIFY(opened.wait());
        QVERIFY(opened[1][0].toBool());
        QVERIFY(f.window.statusBar()->currentMessage().contains(QStringLiteral("no events")));
        QVERIFY(all_text(*f.window.findChild<profiler_views::TimelineView*>()).contains(QStringLiteral("no events")));
    }

    void a_failure_is_gone_when_the_next_run_starts() {
        Fixture f;
        f.replace("2.0f", "3.0f");
        QVERIFY(f.run());
        QVERIFY(f.verdict().contains(QStringLiteral("Wrong result")));
        f.replace("3.0f", "2.0f");
        QSignalSpy finished(&f.window, &MainWindow::run_finished);
        f.window.run();
        QVERIFY2(!f.verdict().contains(QStringLiteral("Wrong result")), qPrintable(f.verdict()));
        QVERIFY(finished.wait(30'000));
        QVERIFY(f.verdict().contains(QStringLiteral("Correct")));
    }

    void every_pane_can_be_brought_up_and_layouts_are_remembered() {
        Fixture f;
        for (auto* pane : f.window.docks().panes()) {
            pane->reveal();
            QVERIFY2(pane->isVisible() && pane->widget(), qPrintable(pane->objectName()));
        }
        f.window.apply_layout(QStringLiteral("edit"));
        QVERIFY(!f.window.findChild<QDockWidget*>(QStringLiteral("steps"))->isVisible());
        f.window.apply_layout(QStringLiteral("review"));
        QVERIFY(f.window.findChild<QDockWidget*>(QStringLiteral("steps"))->isVisible());
        f.window.findChild<QDockWidget*>(QStringLiteral("steps"))->hide();
        f.window.apply_layout(QStringLiteral("profile"));
        f.window.apply_layout(QStringLiteral("review"));
        QVERIFY(!f.window.findChild<QDockWidget*>(QStringLiteral("steps"))->isVisible());
    }

    void a_record_without_a_task_is_looked_at_and_made_a_task() {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath(QStringLiteral("traced.kwsession")).toStdString();
        {
            auto session = trajectory::SessionFile::create(path, {}, "somebody's / trace");
            QVERIFY(session.has_value());
            trajectory::Step step;
            step.summary.driver = "imported:swe-agent";
            step.file = "scale.cu";
            step.source = "__global__ void scale(float* x, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "  if (i < n) x[i] *= 2;\n}\n";
            const auto first = session->add(step);
            QVERIFY(first.has_value());
            step.source = "// again\n" + step.source;
            step.summary.parent = *first;
            QVERIFY(session->add(step).has_value());
        }
        Fixture f;
        QVERIFY(f.window.open(path));
        QTRY_VERIFY(f.window.workbench().session() == path && f.window.workbench().selected());
        QVERIFY(f.window.sources().text("scale.cu").starts_with("// again"));
        const auto action = [&](const char* name) { return f.window.findChild<QAction*>(QLatin1String(name)); };
        QVERIFY(!action("run")->isEnabled());
        QVERIFY(f.window.sources().pane("scale.cu")->has_notice(QStringLiteral("trace")));
        Q_EMIT f.window.sources().pane("scale.cu")->notice_action(QStringLiteral("trace"), 0);
        QTRY_VERIFY(!f.window.workbench().folder().empty());
        QCOMPARE(f.window.workbench().task()->name, std::string("somebody_s_trace"));
        QVERIFY(f.window.sources().text("kernel.cu").find("// again") != std::string::npos);
        QVERIFY(f.window.workbench().files().at("reference.cu").find("// again") == std::string::npos);
        QTRY_VERIFY(action("run")->isEnabled());
        QVERIFY(f.run());
        QVERIFY(f.window.workbench().selected());
        QCOMPARE(f.window.workbench().selected()->step.summary.correct, std::optional{true});
    }

    void a_lesson_hides_what_comes_until_it_was_answered() {
        Fixture f;
        QVERIFY(f.run());
        f.replace("scale", "scale"); // the same, run again
        QVERIFY(f.run());
        QTRY_COMPARE(f.window.workbench().steps().size(), std::size_t{2});
        f.window.findChild<QAction*>(QStringLiteral("start_lesson"))->trigger();
        auto* lesson = f.window.findChild<review::LessonView*>();
        QVERIFY(lesson);
        QCOMPARE(f.window.workbench().steps().size(), std::size_t{1});
        QTRY_VERIFY(lesson->asking());
        QCOMPARE(f.window.workbench().selected()->step.summary.id, 1);
        for (auto* choice : lesson->findChildren<QRadioButton*>())
            if (choice->text().startsWith(QStringLiteral("about the same"))) choice->click();
        const auto button = [&](const char* text) {
            for (auto* each : lesson->findChildren<QPushButton*>())
                if (each->isVisible() && each->text().startsWith(QLatin1String(text))) return each;
            return static_cast<QPushButton*>(nullptr);
        };
        (button("Reveal") ? button("Reveal") : button("Show it"))->click();
        QTRY_COMPARE(f.window.workbench().selected()->step.summary.id, 2);
        QVERIFY(!lesson->asking());
        QVERIFY(lesson->score().second <= 1);
        button("Next")->click();
        QTRY_VERIFY(button("Start"));
        QCOMPARE(f.window.workbench().steps().size(), std::size_t{2});

        // What somebody writes is asked instead, and kept in the session.
        button("Write")->click();
        auto* draft = lesson->findChildren<QPlainTextEdit*>().back();
        draft->setPlainText(QStringLiteral("Why?\n* so\n- else"));
        button("Keep")->click();
        button("Start")->click();
        QTRY_VERIFY(lesson->asking());
        const auto choices = lesson->findChildren<QRadioButton*>();
        QCOMPARE(choices.size(), 2);
        choices[0]->click();
        button("Reveal")->click();
        QCOMPARE(lesson->score(), std::pair(1, 1));
        const auto session =
            trajectory::SessionFile::open(f.window.workbench().session(), trajectory::SessionFile::Access::read);
        QVERIFY(session.has_value());
        QTRY_VERIFY(session->meta("lesson").value_or("").find("Why?") != std::string::npos);
    }

    void a_small_window_holds_text_of_twice_the_size() {
        Fixture f;
        QVERIFY(f.run());
        f.window.apply_layout(QStringLiteral("edit"));
        f.window.docks().reset();
        auto& theme = widgets::Theme::instance();
        theme.set_text_scale(2);
        theme.apply(*qApp, widgets::Scheme::dark);
        f.window.resize(1280, 800);
        QTest::qWait(100);
        const auto* bar = f.window.findChild<QToolBar*>();
        const int needed = bar->sizeHint().width(), had = bar->width();
        theme.set_text_scale(1);
        theme.apply(*qApp, widgets::Scheme::dark);
        QVERIFY2(needed <= had, qPrintable(QStringLiteral("%1 of %2").arg(needed).arg(had)));
        QCOMPARE(had, 1280);
        // With room for it, all is there again.
        f.window.resize(1900, 900);
        QTest::qWait(100);
        QVERIFY(f.window.findChild<QAction*>(QStringLiteral("layout_edit"))->isVisible());
        QVERIFY(all_text(*bar).contains(QStringLiteral("step 1 of 1")));
    }

    void every_control_has_a_name() {
        Fixture f;
        for (auto* pane : f.window.docks().panes()) pane->reveal();
        QStringList nameless;
        for (const auto* widget : f.window.findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus) continue;
            // A spin box answers for the line inside it: a screen reader is given the box alone.
            if (qobject_cast<const QAbstractSpinBox*>(widget->parentWidget())) continue;
            auto* face = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
            if (face && face->text(QAccessible::Name).isEmpty())
                nameless << QString::fromLatin1(widget->metaObject()->className()) + QLatin1Char(' ')
                                + widget->objectName();
        }
        nameless.removeDuplicates();
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QStringLiteral(", "))));
    }

private:
    QTemporaryDir home_;
};

QTEST_MAIN(TestMainWindow)
#include "test_main_window.moc"
