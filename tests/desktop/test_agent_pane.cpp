#include "agent/review/agent_branches.h"
#include "agent/review/agent_entries.h"
#include "agent/review/agent_fold.h"
#include "agent/review/agent_view.h"
#include "app/desktop/agent_form.h"
#include "app/desktop/agent_pane.h"
#include "app/desktop/main_window.h"
#include "app/desktop/settings.h"
#include "app/desktop/worker_session.h"
#include "tests/agent/llm_server.h"
#include "tests/desktop/task_fixture.h"
#include "widgets/theme.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QElapsedTimer>
#include <QFile>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTest>
#include <QToolButton>

#include <SQLiteCpp/Database.h>

#include <csignal>

using namespace kw;
using namespace kw::desktop;
using namespace kw::desktop::testing;
using review::AgentView;
using test::ScriptedServer;
using trajectory::SessionFile;
using State = AgentSession::State;

namespace {

constexpr int kWait = 40'000;

const std::string kTuned = std::string{"//@ tune BLOCK = 128 64 256 32\n"
                                       "//@ launch scale<BLOCK><<<ceil_div(n, BLOCK), BLOCK>>>(x, y, n)\n"
                                       "template<int Block> __global__ void scale(const float* x, float* y, int n) {\n"
                                       "    int i = blockIdx.x * Block + threadIdx.x;\n"
                                       "    if (i < n) y[i] = 2.0f * x[i];\n"
                                       "}\n"};

/// A window with the pane in front, on a fresh task whose session is open.
class Fixture {
public:
    Fixture() : worker({.arguments = {KW_WORKER_PROGRAM, "serve"}, .name = "the worker"}), window(worker) {
        Settings().set_agent_form({}); // what another test chose is not of this one
        QVERIFY(write_task(folder()));
        QVERIFY(write_file(folder() / "scale.cu", kTuned));
        window.resize(1280, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(window.open(folder()));
        QTRY_VERIFY(!window.workbench().session().empty());
        QVERIFY(window.docks().reveal(QStringLiteral("agent")));
        pane = window.findChild<AgentPane*>();
        QVERIFY(pane);
    }

    [[nodiscard]] std::filesystem::path folder() const { return directory.path().toStdString(); }
    template<class Widget> [[nodiscard]] Widget& find(const char* name) {
        auto* found = window.findChild<Widget*>(QLatin1String(name));
        if (!found) qFatal("there is no %s", name);
        return *found;
    }
    void choose(const char* driver, int steps) {
        find<QComboBox>("agent_driver")
            .setCurrentIndex(find<QComboBox>("agent_driver").findData(QLatin1String(driver)));
        find<QSpinBox>("agent_steps").setValue(steps);
    }
    /// A button of the pane that does what an action does.
    void click(const char* action) {
        auto* wanted = window.findChild<QAction*>(QLatin1String(action));
        for (auto* button : pane->pane()->findChildren<QToolButton*>())
            if (button->defaultAction() == wanted) {
                QTest::mouseClick(button, Qt::LeftButton);
                return;
            }
        QFAIL("there is no such button");
    }
    [[nodiscard]] AgentSession& agent() { return pane->agent(); }
    [[nodiscard]] std::size_t steps() { return window.workbench().steps().size(); }
    [[nodiscard]] SessionFile session() {
        return SessionFile::open(window.workbench().session(), SessionFile::Access::write).value();
    }
    [[nodiscard]] QString text() { return all_text(*pane->pane()); }

    QTemporaryDir directory;
    WorkerSession worker;
    MainWindow window;
    AgentPane* pane = nullptr;
};

trajectory::StepSummary summary(trajectory::StepId id, std::optional<trajectory::StepId> parent, double reward,
                                std::int64_t tokens) {
    trajectory::StepSummary made;
    made.id = id;
    made.parent = parent;
    made.driver = "llm:m";
    made.reward = reward;
    made.usage.prompt_tokens = tokens;
    return made;
}

} // namespace

class TestAgentPane : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        QVERIFY(home_.isValid());
        use_home(home_);
        qunsetenv("KW_API_KEY");
        widgets::Theme::instance().apply(*qApp, widgets::Scheme::dark);
        Fixture f;
        QSignalSpy finished(&f.window, &MainWindow::run_finished);
        f.window.run();
        QVERIFY(finished.wait(kWait));
        if (f.steps() == 0) QSKIP("NVRTC is needed to compile candidates");
    }

    void a_tuner_runs_and_its_steps_are_the_sessions() {
        Fixture f;
        QVERIFY(f.text().contains(QStringLiteral("No agent has been here")));
        f.choose("tuner", 3);
        QSignalSpy ended(&f.agent(), &AgentSession::ended);
        f.click("agent_start");
        QVERIFY(f.agent().busy());
        QTRY_VERIFY_WITH_TIMEOUT(f.agent().worker_process() > 0, kWait);
        QVERIFY(f.agent().worker_process() != f.worker.process());
        QVERIFY(ended.wait(kWait));
        QTRY_COMPARE(f.steps(), std::size_t{3});
        const auto kept = f.session().steps();
        QCOMPARE(kept->size(), std::size_t{3});
        QCOMPARE(kept->front().driver, std::string{"tuner"});
        // The newest step is followed, here and everywhere else.
        QTRY_COMPARE(f.window.workbench().selected()->step.summary.id, trajectory::StepId{3});
        QTRY_VERIFY(f.text().contains(QStringLiteral("Step 3 · tuner")));
        QVERIFY(f.text().contains(QStringLiteral("the budget of steps is used up")));
    }

    void each_step_waits_for_approval() {
        Fixture f;
        f.choose("tuner", 4);
        QTest::mouseClick(&f.find<QCheckBox>("agent_approve_each"), Qt::LeftButton, {}, QPoint(8, 8));
        QVERIFY(f.find<QCheckBox>("agent_approve_each").isChecked());
        f.click("agent_start");
        QTRY_COMPARE_WITH_TIMEOUT(f.agent().state(), State::awaiting, kWait);
        QVERIFY(f.text().contains(QStringLiteral("waits for your approval")));
        QTest::qWait(500);
        QTRY_COMPARE(f.steps(), std::size_t{1});
        QCOMPARE(f.session().steps()->size(), std::size_t{1});
        f.click("agent_approve");
        QTRY_COMPARE_WITH_TIMEOUT(f.steps(), std::size_t{2}, kWait);
        QTRY_COMPARE_WITH_TIMEOUT(f.agent().state(), State::awaiting, kWait);
        QSignalSpy ended(&f.agent(), &AgentSession::ended);
        f.click("agent_stop");
        QVERIFY(ended.count() > 0 || ended.wait(kWait));
        QCOMPARE(f.agent().state(), State::idle);
        QCOMPARE(f.session().steps()->size(), std::size_t{2});
    }

    void a_run_pauses_and_goes_on() {
        Fixture f;
        f.choose("tuner", 4);
        f.click("agent_start");
        f.click("agent_pause");
        QTRY_COMPARE_WITH_TIMEOUT(f.agent().state(), State::paused, kWait);
        const auto steps = f.session().steps()->size();
        QTest::qWait(400);
        QCOMPARE(f.session().steps()->size(), steps);
        QSignalSpy ended(&f.agent(), &AgentSession::ended);
        f.click("agent_pause");
        QVERIFY(ended.wait(kWait));
        QTRY_COMPARE(f.steps(), std::size_t{4});
    }

    void a_branch_begins_from_the_selected_step() {
        Fixture f;
        f.choose("tuner", 2);
        QSignalSpy ended(&f.agent(), &AgentSession::ended);
        f.click("agent_start");
        QVERIFY(ended.wait(kWait));
        QTRY_COMPARE(f.steps(), std::size_t{2});
        f.window.workbench().select(1);
        QTRY_COMPARE(f.window.workbench().selected()->step.summary.id, trajectory::StepId{1});
        f.choose("advisor", 1);
        f.window.findChild<QAction*>(QStringLiteral("agent_branch"))->trigger();
        QCOMPARE(f.find<QComboBox>("agent_origin").currentData().toString(), QStringLiteral("step"));
        f.click("agent_start");
        QVERIFY(ended.wait(kWait));
        QTRY_COMPARE(f.steps(), std::size_t{3});
        const auto step = f.session().step(3);
        QCOMPARE(step->summary.driver, std::string{"advisor"});
        QCOMPARE(step->summary.parent.value_or(0), trajectory::StepId{1});
        // Somebody who looks at an older step is left there.
        QCOMPARE(f.window.workbench().selected()->step.summary.id, trajectory::StepId{1});
        f.find<QSpinBox>("agent_other").setValue(3);
        QTest::mouseClick(&f.find<QToolButton>("agent_compare"), Qt::LeftButton);
        QVERIFY(f.window.findChild<review::BranchTable*>()->isVisible());
    }

    void another_task_stops_it_and_gets_none_of_its_steps() {
        Fixture f;
        f.choose("tuner", 4);
        f.click("agent_start");
        QTRY_VERIFY_WITH_TIMEOUT(f.steps() > 0, kWait);
        const auto before = f.window.workbench().session();
        QTemporaryDir other;
        QVERIFY(write_task(other.path().toStdString()));
        QVERIFY(f.window.open(other.path().toStdString()));
        QTRY_COMPARE_WITH_TIMEOUT(f.agent().state(), State::idle, kWait);
        QTRY_VERIFY(!f.window.workbench().session().empty());
        QVERIFY(f.window.workbench().session() != before);
        QTest::qWait(200);
        QCOMPARE(f.steps(), std::size_t{0});
        QCOMPARE(f.session().steps()->size(), std::size_t{0});
        QVERIFY(!SessionFile::open(before, SessionFile::Access::read)->steps().value().empty());
    }

    void what_is_missing_is_told_in_place() {
        Fixture f;
        f.choose("llm", 1);
        f.click("agent_start");
        QVERIFY(!f.agent().busy());
        QVERIFY(f.text().contains(QStringLiteral("Name the model")));
        f.choose("lesson", 1);
        f.click("agent_start");
        QVERIFY(f.text().contains(QStringLiteral("There is no lesson of the task scale")));
        QCOMPARE(f.steps(), std::size_t{0});
    }

    void what_was_chosen_is_remembered_but_for_what_may_be_secret() {
        Fixture f;
        f.choose("llm", 7);
        f.find<QLineEdit>("agent_base_url").setText(QStringLiteral("http://localhost:1/v1"));
        f.find<QLineEdit>("agent_model").setText(QStringLiteral("m"));
        f.find<QDoubleSpinBox>("agent_temperature").setValue(0.5);
        f.find<QLineEdit>("agent_proxy").setText(QStringLiteral("http://me:secret@proxy:1"));
        f.find<QLineEdit>("agent_ca_file").setText(QStringLiteral("/ca.pem"));
        f.find<QPlainTextEdit>("agent_headers").setPlainText(QStringLiteral("Authorization: secret\n\n X-A: b "));
        auto& form = *f.window.findChild<AgentForm*>();
        const auto chosen = form.options();
        QCOMPARE(chosen.model.temperature.value_or(0), 0.5);
        QCOMPARE(chosen.model.server.headers, (std::vector<std::string>{"Authorization: secret", "X-A: b"}));
        QCOMPARE(chosen.model.server.proxy, std::string("http://me:secret@proxy:1"));
        QSignalSpy ended(&f.agent(), &AgentSession::ended);
        f.click("agent_start");
        QVERIFY(ended.wait(kWait));
        QFile kept(QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation)
                   + QStringLiteral("/settings.ini"));
        QVERIFY(kept.open(QIODevice::ReadOnly));
        const auto text = kept.readAll();
        QVERIFY(text.contains("localhost") && !text.contains("secret"));
        AgentForm next;
        next.set_fields(Settings().agent_form());
        const auto again = next.options();
        QCOMPARE(again.driver, std::string("llm"));
        QCOMPARE(again.model.name, std::string("m"));
        QCOMPARE(again.model.server.base_url, chosen.model.server.base_url);
        QCOMPARE(again.model.server.ca_file, std::string("/ca.pem"));
        QCOMPARE(again.model.temperature.value_or(0), 0.5);
        QCOMPARE(again.budget.steps.value_or(0), std::size_t{7});
        QVERIFY(again.model.server.headers.empty() && again.model.server.proxy.empty());
    }

    void a_session_that_another_program_holds_is_waited_for() {
        Fixture f;
        QTest::qWait(200);
        SQLite::Database other{f.window.workbench().session().string(), SQLite::OPEN_READWRITE, 5000};
        other.exec("BEGIN IMMEDIATE");
        f.choose("tuner", 2);
        QSignalSpy ended(&f.agent(), &AgentSession::ended);
        f.click("agent_start");
        QTRY_VERIFY2_WITH_TIMEOUT(f.text().contains(QStringLiteral("another program is writing the session")),
                                  qPrintable(f.text()), kWait);
        QCOMPARE(ended.count(), 0);
        QCOMPARE(f.session().steps()->size(), std::size_t{0});
        other.exec("ROLLBACK");
        // What was found out meanwhile is not lost, and nothing is tried twice.
        QVERIFY(ended.wait(kWait));
        QTRY_COMPARE(f.steps(), std::size_t{2});
        QCOMPARE(f.session().steps()->size(), std::size_t{2});
        QVERIFY(!f.text().contains(QStringLiteral("another program")));
    }

    void a_run_waits_for_the_session_as_well() {
        Fixture f;
        SQLite::Database other{f.window.workbench().session().string(), SQLite::OPEN_READWRITE, 5000};
        other.exec("BEGIN IMMEDIATE");
        QSignalSpy finished(&f.window, &MainWindow::run_finished);
        QSignalSpy waits(&f.window.workbench(), &Workbench::step_waits);
        f.window.run();
        QVERIFY(waits.wait(kWait));
        QVERIFY(f.window.statusBar()->currentMessage().contains(QStringLiteral("another program is writing it")));
        QCOMPARE(finished.count(), 0);
        other.exec("ROLLBACK");
        QVERIFY(finished.wait(kWait));
        QCOMPARE(f.session().steps()->size(), std::size_t{1});
    }

    void steps_of_another_program_appear() {
        Fixture f;
        auto other = f.session();
        for (int i = 0; i < 3; ++i) {
            trajectory::Step step;
            step.summary.driver = "tuner";
            step.file = "scale.cu";
            step.source = kTuned + std::string(static_cast<std::size_t>(i), '\n');
            QVERIFY(other.add(step));
        }
        QTRY_COMPARE_WITH_TIMEOUT(f.steps(), std::size_t{3}, 2000);
        QTRY_VERIFY(f.window.workbench().selected());
        QCOMPARE(f.window.workbench().selected()->step.summary.id, trajectory::StepId{3});
        // Whoever looks at another step goes on doing so.
        f.window.workbench().select(1);
        QTRY_COMPARE(f.window.workbench().selected()->step.summary.id, trajectory::StepId{1});
        QVERIFY(other.set_evaluation(2, Json{{"reward", {{"value", 2}}}}));
        QVERIFY(other.add(other.step(3).value()));
        QTRY_COMPARE_WITH_TIMEOUT(f.steps(), std::size_t{4}, 2000);
        QCOMPARE(f.window.workbench().steps()[1].reward.value_or(0), 2.0);
        QCOMPARE(f.window.workbench().selected()->step.summary.id, trajectory::StepId{1});
    }

    void a_worker_that_dies_costs_a_step_at_most() {
        Fixture f;
        f.choose("tuner", 4);
        QSignalSpy ended(&f.agent(), &AgentSession::ended);
        f.click("agent_start");
        QTRY_VERIFY_WITH_TIMEOUT(f.agent().worker_process() > 0, kWait);
        ::kill(f.agent().worker_process(), SIGKILL);
        QVERIFY(ended.wait(kWait));
        const auto kept = f.session().steps();
        QVERIFY(kept.has_value());
        for (const auto& step : *kept) QVERIFY(f.session().step(step.id).has_value());
        QTRY_COMPARE(f.steps(), kept->size());
        // The window's own worker has noticed nothing.
        QSignalSpy finished(&f.window, &MainWindow::run_finished);
        f.window.run();
        QVERIFY(finished.wait(kWait));
        QCOMPARE(f.steps(), kept->size() + 1);
    }

    void a_model_hears_what_was_said_and_decided() {
        if (!test::has_python()) QSKIP("python3 is needed for the scripted server");
        Fixture f;
        QSignalSpy finished(&f.window, &MainWindow::run_finished);
        f.window.run();
        QVERIFY(finished.wait(kWait));
        QVERIFY(f.session().decide({.step = 1, .hunk = "", .action = "rejected", .reason = "too clever by half"}));
        const auto attempt = test::chat_reply("Wider blocks help.", {{"edit", {{"content", kTuned + "// 2\n"}}},
                                                                     {"verify", {{"summary", "a second one"}}}});
        const ScriptedServer server{
            Json::array({{{"body", attempt}}, {{"body", test::chat_reply("Done.")}}, {{"status", 500}}})};
        f.choose("llm", 1);
        f.find<QLineEdit>("agent_base_url").setText(QString::fromStdString(server.url()));
        f.find<QLineEdit>("agent_model").setText(QStringLiteral("m-1"));
        f.find<QPlainTextEdit>("agent_message").setPlainText(QStringLiteral("think of warps"));
        QSignalSpy drafted(&f.agent(), &AgentSession::drafted);
        QSignalSpy ended(&f.agent(), &AgentSession::ended);
        f.click("agent_start");
        QVERIFY(ended.wait(kWait));
        QTRY_COMPARE(f.steps(), std::size_t{2});
        QCOMPARE(f.session().step(2)->summary.parent.value_or(0), trajectory::StepId{1});
        const auto log = server.raw_log();
        QVERIFY(log.find("think of warps") != std::string::npos);
        QVERIFY(log.find("too clever by half") != std::string::npos);
        QVERIFY(drafted.count() > 0);
        auto* view = f.window.findChild<AgentView*>();
        QTRY_VERIFY(f.text().contains(QStringLiteral("Step 2 · llm:m-1")));
        QVERIFY(f.text().contains(QStringLiteral("100 tokens read, 10 written · at a price that is not known")));
        QStringList titles;
        for (const auto* fold : view->folds()) titles << fold->title();
        QVERIFY2(titles.contains(QStringLiteral("✓ edit")) && titles.contains(QStringLiteral("✓ verify")),
                 qPrintable(titles.join(QLatin1Char(','))));
    }

    void a_server_that_is_not_there_is_told() {
        Fixture f;
        f.choose("llm", 1);
        f.find<QLineEdit>("agent_base_url").setText(QStringLiteral("nonsense"));
        f.find<QLineEdit>("agent_model").setText(QStringLiteral("m"));
        QSignalSpy ended(&f.agent(), &AgentSession::ended);
        f.click("agent_start");
        QVERIFY(ended.wait(kWait));
        QVERIFY2(f.text().contains(QStringLiteral("base URL")), qPrintable(f.text()));
        QCOMPARE(f.session().steps()->size(), std::size_t{0});
    }

    void a_window_closes_while_an_agent_works() {
        QElapsedTimer clock;
        {
            Fixture f;
            f.choose("tuner", 4);
            f.click("agent_start");
            QTest::qWait(50);
            clock.start();
        }
        QVERIFY2(clock.elapsed() < AgentSession::kPatienceMs, qPrintable(QString::number(clock.elapsed())));
    }

    void long_thoughts_and_many_calls_stay_fluid() {
        trajectory::Step step;
        step.summary.id = 7;
        step.summary.driver = "imported:codex";
        step.messages = {{"assistant", "", std::string(100'000, 'x')}};
        for (int i = 0; i < 3000; ++i) step.tool_calls.push_back({.id = "c", .name = "bash", .result = "ok"});
        AgentView view;
        view.resize(400, 800);
        view.show();
        QElapsedTimer clock;
        clock.start();
        for (int i = 0; i < 20; ++i) view.show_step(step);
        QVERIFY2(clock.elapsed() < 20 * 100, qPrintable(QString::number(clock.elapsed() / 20.0)));
        QCOMPARE(view.folds().size(), AgentView::kFirstFolds);
        QVERIFY(!view.folds()[0]->open());
        clock.restart();
        view.folds()[0]->set_open(true);
        QVERIFY(clock.elapsed() < 500);
        QCOMPARE(view.folds()[0]->shown_text().size(), 100'000);
        for (int i = 1; i <= 200; ++i)
            view.show_draft({.activity = {}, .thought = QString(500 * i, u'y'), .text = {}, .source = {}});
        QVERIFY2(clock.elapsed() < 4000, qPrintable(QString::number(clock.elapsed())));
    }

    void an_imported_step_shows_what_it_has() {
        trajectory::Step step;
        step.summary.id = 3;
        step.summary.driver = "imported:swe-agent";
        step.thought = "look around <b>first</b>";
        step.tool_calls = {{.id = "", .name = "bash", .arguments = {{"command", "ls"}}, .result = "a.cu", .ok = false}};
        const auto entries = review::agent_entries(step);
        QCOMPARE(entries.size(), std::size_t{2});
        QCOMPARE(entries[0].text, QStringLiteral("look around <b>first</b>"));
        QCOMPARE(entries[1].summary, QStringLiteral("ls"));
        QVERIFY(entries[1].note.isEmpty() && !entries[1].ok);
        QVERIFY(review::usage_text(step.summary.usage).isEmpty());
        AgentView view;
        view.show_step(step);
        const auto text = all_text(view);
        QVERIFY(!text.contains(QStringLiteral("reward")) && !text.contains(QStringLiteral("tokens")));
    }

    void branches_are_compared_from_where_they_part() {
        const std::vector<trajectory::StepSummary> steps{summary(1, {}, 1, 10), summary(2, 1, 2, 100),
                                                         summary(3, 1, 3, 1000), summary(4, 2, 2, 200),
                                                         summary(5, {}, 1, 1)};
        QCOMPARE(review::common_step(steps, 4, 3).value_or(0), trajectory::StepId{1});
        QCOMPARE(review::common_step(steps, 4, 2).value_or(0), trajectory::StepId{2});
        QVERIFY(!review::common_step(steps, 4, 5));
        const auto rows = review::compare_branches(steps, 4, 3);
        const auto row = [&](const char* what) {
            return *std::ranges::find(rows, QString::fromLatin1(what), &review::BranchRow::what);
        };
        QCOMPARE(row("Reward").better, 1);
        QCOMPARE(row("Tokens on the way").left, QStringLiteral("300"));
        QCOMPARE(row("Steps since step 1").left, QStringLiteral("2"));
        QCOMPARE(row("Time").right, QStringLiteral("–"));
        QVERIFY(review::compare_branches(steps, 4, 99).empty());
    }

private:
    QTemporaryDir home_;
};

QTEST_MAIN(TestAgentPane)
#include "test_agent_pane.moc"
