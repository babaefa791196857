// A review from end to end in a real window, by keys and mouse alone: a session is opened, stepped through, compared,
// taken in part, run, branched by an agent and exported, and the files that were written are opened.

#include "agent/trajectory/session_file.h"
#include "app/desktop/agent_pane.h"
#include "app/desktop/compare_pane.h"
#include "app/desktop/main_window.h"
#include "app/desktop/source_tabs.h"
#include "editor/compare_view.h"
#include "editor/cuda_editor.h"
#include "engine/base/json.h"
#include "profiler_views/verdict/verdict_view.h"
#include "tests/desktop/task_fixture.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QFileDialog>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QTimer>

using namespace kw;
using namespace kw::desktop;
using namespace kw::desktop::testing;

namespace {

constexpr int kWait = 40'000;

std::string kernel(const char* note, const char* index, const char* product, const char* end) {
    return std::string("//@ tune BLOCK = 128 64 256\n"
                       "//@ launch scale<BLOCK><<<ceil_div(n, BLOCK), BLOCK>>>(x, y, n)\n")
           + note + "\ntemplate<int Block> __global__ void scale(const float* x, float* y, int n) {\n    " + index
           + "\n    if (i >= n) return;\n    " + product + "\n}\n" + end + "\n";
}

} // namespace

class TestReviewWalkthrough : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        QVERIFY(home_.isValid() && folder_.isValid());
        use_home(home_);
        widgets::Theme::instance().apply(*qApp, widgets::Scheme::light);
        const task::Files files{{"task.toml", kToml}, {"scale.cu", first_}, {"reference.cu", kReference}};
        auto session = trajectory::SessionFile::create(path_.toStdString(), files, "scale");
        QVERIFY(session);
        for (const auto& source : {first_, second_}) {
            trajectory::Step step;
            if (source == second_) step.summary.parent = 1;
            step.summary.driver = "imported:test";
            step.summary.title = source == first_ ? "as it came" : "four changes";
            step.file = "scale.cu";
            step.source = source;
            QVERIFY(session->add(step));
        }
        worker_ = std::make_unique<WorkerSession>(
            rpc::WorkerCommand{.arguments = {KW_WORKER_PROGRAM, "serve"}, .name = "the worker"});
        window_ = std::make_unique<MainWindow>(*worker_);
        window_->resize(1600, 1000);
        window_->show();
        QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
        QVERIFY(activate());
    }
    void cleanupTestCase() {
        window_.reset();
        worker_.reset();
    }

    void a_session_opens_at_its_last_step() {
        QSignalSpy opened(window_.get(), &MainWindow::opened);
        answer_file_dialog(path_);
        press(Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, kWait);
        QVERIFY(opened.front().front().toBool());
        QVERIFY(activate());
        QTRY_COMPARE(selected(), 2);
        press(Qt::Key_3, Qt::AltModifier);
        QTRY_COMPARE(window_->docks().current(), QStringLiteral("review"));
        QCOMPARE(editor().utf8(), second_);
    }

    void steps_are_gone_through_by_keys() {
        press(Qt::Key_E, Qt::ControlModifier);
        QTRY_VERIFY(editor().hasFocus());
        press(Qt::Key_Left, Qt::AltModifier);
        QTRY_COMPARE(selected(), 1);
        QTRY_COMPARE(editor().utf8(), first_); // the text follows until somebody edits
        press(Qt::Key_End, Qt::ControlModifier);
        QTest::keyClicks(&editor(), QStringLiteral("// mine"));
        press(Qt::Key_Right, Qt::AltModifier);
        QTRY_COMPARE(selected(), 2);
        QCOMPARE(editor().utf8(), first_ + "// mine");
    }

    void two_changes_are_taken_and_one_is_turned_down() {
        press(Qt::Key_1, Qt::ControlModifier | Qt::AltModifier);
        QCOMPARE(editor().utf8(), first_ + "// mine"); // a key that chooses is not typed
        QTRY_COMPARE(view().comparison().hunks.size(), std::size_t{4});
        for (int i = 0; view().current() != &view().comparison().hunks.front() && i < 4; ++i) press(Qt::Key_F7);
        QCOMPARE(view().current(), &view().comparison().hunks.front());
        press(Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(view().comparison().hunks.size(), std::size_t{3});
        QVERIFY(editor().utf8().contains("// written by an agent\n"));
        // The next by the button of its card.
        auto* accept = view().findChild<QPushButton*>(QStringLiteral("compare.accept"));
        QTRY_VERIFY(accept->isVisible());
        QTest::mouseClick(accept, Qt::LeftButton);
        QTRY_COMPARE(view().comparison().hunks.size(), std::size_t{2});
        QCOMPARE(editor().utf8(), taken_);
        press(Qt::Key_E, Qt::ControlModifier);
        press(Qt::Key_Backspace, Qt::ControlModifier | Qt::AltModifier);
        auto* reason = view().findChild<QLineEdit*>(QStringLiteral("compare.reason"));
        QTRY_VERIFY(reason->hasFocus());
        QTest::keyClicks(reason, QStringLiteral("says no more than before"));
        QTest::keyClick(reason, Qt::Key_Return);
        QTRY_COMPARE(decisions().size(), std::size_t{3});
        const auto told = decisions();
        QCOMPARE(told[0].action, std::string("accepted"));
        QCOMPARE(told[1].action, std::string("accepted"));
        QCOMPARE(told[2].action, std::string("rejected"));
        QCOMPARE(told[2].reason, std::string("says no more than before"));
        QCOMPARE(told[2].step, trajectory::StepId{2});
    }

    void undo_and_redo_are_told_too() {
        press(Qt::Key_E, Qt::ControlModifier);
        press(Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(decisions().size(), std::size_t{4});
        QCOMPARE(decisions().back().action, std::string("undone"));
        press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(decisions().size(), std::size_t{5});
        QCOMPARE(decisions().back().action, std::string("accepted"));
        QCOMPARE(editor().utf8(), taken_);
    }

    void what_came_of_it_is_run() {
        QSignalSpy finished(window_.get(), &MainWindow::run_finished);
        press(Qt::Key_R, Qt::ControlModifier);
        QVERIFY(finished.wait(kWait));
        if (window_->workbench().steps().size() < 3) QSKIP("NVRTC is needed to compile candidates");
        QTRY_COMPARE(selected(), 3);
        QVERIFY2(all_text(*window_->findChild<profiler_views::VerdictView*>()).contains(QStringLiteral("Correct")),
                 qPrintable(all_text(*window_->findChild<profiler_views::VerdictView*>())));
    }

    void an_agent_goes_on_from_it() {
        if (window_->workbench().steps().size() < 3) QSKIP("NVRTC is needed to compile candidates");
        press(Qt::Key_B, Qt::ControlModifier | Qt::AltModifier);
        auto* driver = window_->findChild<QComboBox*>(QStringLiteral("agent_driver"));
        QTRY_VERIFY(driver && driver->isVisible());
        driver->setFocus();
        QTest::keyClicks(driver, QStringLiteral("Tuner"));
        QCOMPARE(driver->currentData().toString(), QStringLiteral("tuner"));
        auto* steps = window_->findChild<QSpinBox*>(QStringLiteral("agent_steps"));
        steps->setFocus();
        steps->selectAll();
        QTest::keyClicks(steps, QStringLiteral("2"));
        QSignalSpy ended(&window_->findChild<AgentPane*>()->agent(), &AgentSession::ended);
        press(Qt::Key_R, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(ended.wait(kWait));
        QTRY_COMPARE(window_->workbench().steps().size(), std::size_t{5});
        for (const auto& step : window_->workbench().steps())
            if (step.id > 3)
                QVERIFY(step.driver == "tuner" && step.correct.value_or(false) && step.parent.value_or(0) >= 3);
        QTRY_COMPARE(selected(), 5);
        QCOMPARE(editor().utf8(), taken_); // an agent writes steps, not my text
    }

    void the_session_is_exported_and_the_files_hold_it() {
        if (window_->workbench().steps().size() < 5) QSKIP("NVRTC is needed to compile candidates");
        press(Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
        QPointer<QDialog> dialog;
        QTRY_VERIFY((dialog = window_->findChild<QDialog*>()) && dialog->isVisible());
        const auto csv = lines_in(save(*dialog, QStringLiteral(".csv"), QStringLiteral("s.csv")));
        QCOMPARE(csv.size(), 6);
        QVERIFY(csv.front().startsWith("step,"));
        QVERIFY(csv.back().contains("tuner"));

        const auto rows = lines_in(save(*dialog, QStringLiteral("sources and evaluations"), QStringLiteral("s.jsonl")));
        QCOMPARE(rows.size(), 5);
        const auto third = Json::parse(rows[2].toStdString());
        QCOMPARE(third.at("source").get<std::string>(), taken_);
        QCOMPARE(third.at("driver").get<std::string>(), std::string("human"));
        QVERIFY(third.at("reward").get<double>() >= 1);

        const auto html = save(*dialog, QStringLiteral(".html"), QStringLiteral("s.html"));
        QVERIFY(html.contains("written by an agent") && html.contains("</html>"));
        QVERIFY(!html.contains("<script") && !html.contains("src=\"http"));
        QTest::keyClick(dialog.data(), Qt::Key_Escape);
        QTRY_VERIFY(!dialog);
    }

private:
    [[nodiscard]] static QList<QByteArray> lines_in(const QByteArray& text) {
        auto lines = text.split('\n');
        lines.removeAll(QByteArray());
        return lines;
    }
    [[nodiscard]] editor::CudaEditor& editor() { return *window_->sources().current(); }
    [[nodiscard]] editor::CompareView& view() { return *window_->findChild<ComparePane*>()->view(); }
    [[nodiscard]] int selected() {
        const auto& record = window_->workbench().selected();
        return record ? static_cast<int>(record->step.summary.id) : 0;
    }
    [[nodiscard]] std::vector<trajectory::Decision> decisions() {
        return trajectory::SessionFile::open(path_.toStdString(), trajectory::SessionFile::Access::read)
            ->decisions()
            .value();
    }
    /// As a window manager would.
    [[nodiscard]] bool activate() {
        window_->activateWindow();
        return QTest::qWaitForWindowActive(window_.get());
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QWidget* to = QApplication::focusWidget();
        QTest::keyClick(to ? to : window_.get(), key, modifiers);
    }
    /// The next dialog that asks for a file gets this name typed.
    void answer_file_dialog(const QString& name) {
        auto* timer = new QTimer(this);
        connect(timer, &QTimer::timeout, this, [timer, name] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            auto* edit = dialog ? dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit")) : nullptr;
            if (!edit) return;
            timer->stop();
            timer->deleteLater();
            edit->setText(name); // typed, a list of completions would take the keys
            QTest::keyClick(edit, Qt::Key_Return);
        });
        timer->start(50);
    }
    /// The form whose button says `word`, saved under a name by its button; what is in the file.
    QByteArray save(QDialog& dialog, const QString& word, const QString& name) {
        for (auto* form : dialog.findChildren<QRadioButton*>())
            if (form->text().contains(word)) QTest::mouseClick(form, Qt::LeftButton, {}, QPoint(8, form->height() / 2));
        const auto path = folder_.filePath(name);
        QFile file(path);
        QPushButton* button = nullptr;
        for (auto* each : dialog.findChildren<QPushButton*>())
            if (each->text() == QStringLiteral("Save…")) button = each;
        const auto idle = [&] { return button && button->isEnabled(); };
        if (!QTest::qWaitFor(idle, kWait)) return {};
        answer_file_dialog(path);
        QTest::mouseClick(button, Qt::LeftButton);
        const auto written = [&] { return idle() && all_text(dialog).contains(name) && file.exists(); };
        if (!QTest::qWaitFor(written, kWait) || !file.open(QIODevice::ReadOnly)) return {};
        return file.readAll();
    }

    const std::string first_ =
        kernel("// as it came", "int i = blockIdx.x * Block + threadIdx.x;", "y[i] = 2.0f * x[i];", "// the end");
    const std::string second_ = kernel("// written by an agent", "const int i = Block * blockIdx.x + threadIdx.x;",
                                       "y[i] = x[i] + x[i];", "// the very end");
    /// The first two changes, and what was typed.
    const std::string taken_ = kernel("// written by an agent", "const int i = Block * blockIdx.x + threadIdx.x;",
                                      "y[i] = 2.0f * x[i];", "// the end")
                               + "// mine";
    QTemporaryDir home_, folder_;
    const QString path_ = folder_.filePath(QStringLiteral("a.kwsession"));
    std::unique_ptr<WorkerSession> worker_;
    std::unique_ptr<MainWindow> window_;
};

QTEST_MAIN(TestReviewWalkthrough)
#include "test_review_walkthrough.moc"
