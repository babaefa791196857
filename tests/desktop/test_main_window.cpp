#include "app/desktop/main_window.h"
#include "app/desktop/worker_session.h"
#include "editor/cuda_editor.h"
#include "editor/problem_list.h"
#include "engine/base/file.h"
#include "profiler_views/timeline/canvas.h"
#include "profiler_views/timeline/timeline_view.h"
#include "profiler_views/verdict/verdict_view.h"
#include "widgets/theme.h"

#include <QLabel>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>

using namespace kw;
using namespace kw::desktop;

namespace {

constexpr const char* kToml = R"(name = "scale"
title = "Scale a vector"
kernel = "scale.cu"
reference = "reference.cu"
[sizes]
n = 1000
[[tensor]]
name = "x"
type = "f32"
shape = ["n"]
role = "input"
fill = "normal"
[[tensor]]
name = "y"
type = "f32"
shape = ["n"]
role = "output"
)";

constexpr const char* kKernel = "//@ launch scale<<<ceil_div(n, 128), 128>>>(x, y, n)\n"
                                "__global__ void scale(const float* x, float* y, int n) {\n"
                                "    int i = blockIdx.x * 128 + threadIdx.x;\n"
                                "    if (i < n) y[i] = 2.0f * x[i];\n"
                                "}\n";

constexpr const char* kReference = "//@ launch slow<<<1, 1>>>(x, y, n)\n"
                                   "__global__ void slow(const float* x, float* y, int n) {\n"
                                   "    for (int i = 0; i < n; ++i) y[i] = 2.0f * x[i];\n"
                                   "}\n";

QString all_text(const QWidget& widget) {
    QStringList texts;
    for (const auto* label : widget.findChildren<QLabel*>()) texts << label->text();
    return texts.join(QLatin1Char('\n'));
}

/// A window on a fresh task folder, with a real worker behind it.
class Fixture {
public:
    Fixture() : worker({.arguments = {KW_WORKER_PROGRAM, "serve"}, .name = "the worker"}), window(worker) {
        write("task.toml", kToml);
        write("scale.cu", kKernel);
        write("reference.cu", kReference);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(window.open_task(folder()));
    }

    [[nodiscard]] std::filesystem::path folder() const { return directory.path().toStdString(); }
    void write(const char* name, const std::string& text) const { QVERIFY(write_file(folder() / name, text)); }
    [[nodiscard]] editor::CudaEditor& editor() { return *window.findChild<editor::CudaEditor*>(); }
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
    void initTestCase() { widgets::Theme::instance().apply(*qApp, widgets::Scheme::dark); }

    void a_trace_opens_in_the_timeline_and_the_task_stays() {
        Fixture f;
        f.write("run.json", R"([{"ph": "X", "name": "kernel", "pid": 0, "tid": 7, "ts": 1, "dur": 5}])");
        QSignalSpy opened(&f.window, &MainWindow::trace_opened);
        QVERIFY(f.window.open(f.folder() / "run.json"));
        QVERIFY(opened.wait());
        QVERIFY(opened[0][0].toBool());
        auto* timeline = f.window.findChild<profiler_views::TimelineView*>();
        QVERIFY(timeline && timeline->isVisible());
        QCOMPARE(timeline->canvas().scene().store->size(), 1u);
        QVERIFY(f.editor().text().contains(QStringLiteral("scale")));
        f.window.open_trace(f.folder() / "task.toml");
        QVERIFY(opened.wait());
        QVERIFY(!opened[1][0].toBool());
        QVERIFY(f.window.statusBar()->currentMessage().contains(QStringLiteral("not a trace")));
    }

    void a_trace_without_a_task_has_the_window_to_itself() {
        QTemporaryDir directory;
        const std::filesystem::path trace = directory.path().toStdString() + "/run.json";
        QVERIFY(write_file(trace, R"([{"ph": "X", "name": "kernel", "pid": 0, "tid": 7, "ts": 1, "dur": 5}])"));
        WorkerSession worker{{.arguments = {KW_WORKER_PROGRAM, "serve"}, .name = "the worker"}};
        MainWindow window{worker};
        window.show();
        QSignalSpy opened(&window, &MainWindow::trace_opened);
        QVERIFY(window.open(trace));
        QVERIFY(opened.wait());
        QVERIFY(!window.centralWidget()->isVisible());
        Fixture f; // writes a task
        QVERIFY(window.open_task(f.folder()));
        QVERIFY(window.centralWidget()->isVisible());
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
        QVERIFY(f.verdict().contains(QStringLiteral("before your edit")));
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
        f.replace("if (i < n) y[i]", "volatile float* p = y; while (p[0] != 1.5f) ; if (i < n) y[i]");
        QSignalSpy finished(&f.window, &MainWindow::run_finished);
        f.window.run();
        QTest::qWait(300);
        f.window.stop();
        QVERIFY(finished.wait(5'000));
        f.replace("while (p[0] != 1.5f) ;", "");
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
        QVERIFY(!f.window.open_task(f.folder()));
        QVERIFY(f.verdict().contains(QStringLiteral("task.toml:1")));
        QVERIFY(!f.window.open_task("/nowhere/at/all"));
    }

    void the_theme_can_be_switched() {
        Fixture f;
        const auto before = widgets::Theme::instance().tokens().scheme;
        QTest::keyClick(&f.window, Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(widgets::Theme::instance().tokens().scheme != before);
    }
};

QTEST_MAIN(TestMainWindow)
#include "test_main_window.moc"
