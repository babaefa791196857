#include "agent/trajectory/session_file.h"
#include "engine/base/file.h"
#include "tests/cli/task_folder.h"

#include <QtTest/QtTest>

namespace fs = std::filesystem;
using kw::Json;
using kw::test::run_kw;
using kw::test::TaskFolder;
using kw::trajectory::SessionFile;

/// `kw session import`, `export`, `rescore` and `kw agent run --driver replay` from outside.
class TrajectoryCommandsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { folder_ = std::make_unique<TaskFolder>(); }
    void a_trace_becomes_a_session_and_leaves_it();
    void what_is_wrong_is_told_data();
    void what_is_wrong_is_told();
    void a_replay_is_evaluated_here();
    void rescoring_writes_only_a_copy();

private:
    std::unique_ptr<TaskFolder> folder_;
    [[nodiscard]] std::string path(const char* name) const { return (folder_->path() / name).string(); }
    [[nodiscard]] std::string trace(const std::string& source) const;
};

std::string TrajectoryCommandsTest::trace(const std::string& source) const {
    const Json reply{{"step_id", 1},
                     {"source", "agent"},
                     {"message", "I write it."},
                     {"tool_calls", Json::array({{{"tool_call_id", "1"},
                                                  {"function_name", "write_file"},
                                                  {"arguments", {{"path", "/w/scale.cu"}, {"content", source}}}}})}};
    const Json lost{{"step_id", 2},
                    {"source", "agent"},
                    {"message", "A shell changes it."},
                    {"tool_calls",
                     Json::array({{{"tool_call_id", "2"},
                                   {"function_name", "edit"},
                                   {"arguments", {{"path", "/w/scale.cu"}, {"old_str", "none"}, {"new_str", ""}}}}})}};
    const Json json{{"schema_version", "ATIF-v1.7"},
                    {"agent", {{"name", "a"}, {"version", "1"}}},
                    {"steps", Json::array({reply, lost})}};
    if (!kw::write_file(path("trace.json"), json.dump())) qFatal("cannot write");
    return path("trace.json");
}

void TrajectoryCommandsTest::a_trace_becomes_a_session_and_leaves_it() {
    const auto done = run_kw({"session", "import", trace("text\n"), "-o", path("s.kwsession"), "--json"});
    QVERIFY2(done && done->status.success(), done ? done->errors.c_str() : "");
    const auto report = Json::parse(done->output);
    QCOMPARE(report.at("format"), Json("atif"));
    QCOMPARE(report.at("steps"), Json(2));
    QCOMPARE(report.at("sources"), Json(1));
    for (const char* form : {"csv", "jsonl", "atif", "chat", "kto", "dpo", "chrome", "html"}) {
        const auto exported = run_kw({"session", "export", path("s.kwsession"), "--format", form, "-o", path(form)});
        QVERIFY2(exported && exported->status.success(), form);
        QVERIFY2(fs::exists(path(form)), form);
    }
    const auto shown = run_kw({"session", "show", path("s.kwsession"), "--step", "1", "--source"});
    QVERIFY(shown && shown->output == "text\n");
}

void TrajectoryCommandsTest::what_is_wrong_is_told_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* says, const QStringList& arguments) {
        QTest::newRow(says) << arguments << QByteArray(says);
    };
    row("No such file", {"import", "@none", "-o", "@n.kwsession"});
    row("exists already", {"import", "@trace.json", "-o", "@s.kwsession"});
    row("not in {", {"import", "@trace.json", "--format", "odd", "-o", "@n.kwsession"});
    row("takes a name on one line", {"import", "@trace.json", "--task", "a\nb", "-o", "@n.kwsession"});
    row("without control characters", {"import", "@trace.json", "--task", "", "-o", "@n.kwsession"});
    row("cannot write", {"import", "@trace.json", "-o", "/nonexistent/n.kwsession"});
    row("there is no session", {"rescore", "@none"});
    row("was timed against a baseline", {"rescore", "@s.kwsession", "--baseline", "x"});
    row("--margin takes", {"rescore", "@s.kwsession", "--margin", "-1"});
    row("is not a reward rule", {"rescore", "@s.kwsession", "--rule", "@scale.cu"});
    row("it has name, margin", {"rescore", "@s.kwsession", "--rule", "@odd.json"});
    row("--min-reward is for", {"export", "@s.kwsession", "--min-reward", "1"});
    row("--pairs is for", {"export", "@s.kwsession", "--pairs", "task"});
}

void TrajectoryCommandsTest::what_is_wrong_is_told() {
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, says);
    QVERIFY(run_kw({"session", "import", trace("text\n"), "-o", path("s.kwsession")})->status.success());
    QVERIFY(kw::write_file(path("odd.json"), R"({"odd":1})"));
    std::vector<std::string> command{"session"};
    for (const auto& argument : arguments)
        command.push_back(argument.startsWith(QLatin1Char('@')) ? path(argument.mid(1).toUtf8().constData())
                                                                : argument.toStdString());
    const auto result = run_kw(command);
    QVERIFY(result.has_value());
    const auto all = result->output + result->errors;
    QVERIFY2(!result->status.success() && result->status.signal == 0, all.c_str());
    QVERIFY2(result->errors.find(says.toStdString()) != std::string::npos, all.c_str());
    QVERIFY2(result->errors.size() < 500, all.c_str());
    QVERIFY(!fs::exists(path("n.kwsession")));
}

void TrajectoryCommandsTest::a_replay_is_evaluated_here() {
    const auto compiles = run_kw({"eval", folder_->string(), "--device", "sim", "--stages", "compile"});
    QVERIFY(compiles);
    if (!compiles->status.success()) QSKIP("no compiler is here");
    const auto source = kw::read_file(path("scale.cu"), 1 << 20);
    QVERIFY(run_kw({"session", "import", trace(*source), "-o", path("old.kwsession")})->status.success());
    const auto done = run_kw({"agent", "run", folder_->string(), "--device", "sim", "--driver", "replay", "--session",
                              path("old.kwsession"), "-o", path("new.kwsession")});
    QVERIFY2(done && done->status.success(), done ? (done->output + done->errors).c_str() : "");
    QVERIFY2(done->output.find("step 2 of the recording had no source") != std::string::npos, done->output.c_str());
    const auto session = SessionFile::open(path("new.kwsession"), SessionFile::Access::read);
    QCOMPARE(session->steps()->size(), std::size_t{1});
    QCOMPARE(session->step(1)->source, *source);
    QVERIFY(session->steps()->front().correct.value_or(false));
    const auto itself = run_kw({"agent", "run", folder_->string(), "--device", "sim", "--driver", "replay", "--session",
                                path("old.kwsession"), "-o", path("old.kwsession")});
    QVERIFY(itself && itself->errors.find("twice") != std::string::npos);
    QVERIFY(SessionFile::create(path("other.kwsession"), {}, "other"));
    const auto other = run_kw({"agent", "run", folder_->string(), "--driver", "replay", "--session",
                               path("other.kwsession"), "-o", path("n.kwsession")});
    QVERIFY2(other->status.code == 2 && other->errors.find("of the task other, not of scale") != std::string::npos,
             other->errors.c_str());
    QVERIFY(!fs::exists(path("n.kwsession")));
    const auto nothing = run_kw({"agent", "run", folder_->string(), "--driver", "replay", "-o", path("n.kwsession")});
    QVERIFY(nothing && nothing->errors.find("--session FILE") != std::string::npos);
}

void TrajectoryCommandsTest::rescoring_writes_only_a_copy() {
    {
        auto session = SessionFile::create(path("s.kwsession"), {}, "t").value();
        kw::trajectory::Step step;
        step.summary.driver = "human";
        step.evaluation =
            Json{{"reward",
                  {{"value", 3},
                   {"because", "fast"},
                   {"speedups", Json::array({{{"baseline", "b.cu"}, {"speedup", 1.2}, {"lo", 1.1}, {"hi", 1.3}}})}}}};
        QVERIFY(session.add(step));
    }
    QVERIFY(kw::write_file(path("rule.json"), R"({"name":"strict","margin":0.15})"));
    const auto shown = run_kw(
        {"session", "rescore", path("s.kwsession"), "--rule", path("rule.json"), "--json", "-o", path("c.kwsession")});
    QVERIFY2(shown && shown->status.success(), shown ? shown->errors.c_str() : "");
    const auto json = Json::parse(shown->output);
    QCOMPARE(json.at("flips"), Json(1));
    QCOMPARE(json.at("steps")[0].at("after"), Json(1.0));
    QCOMPARE(*SessionFile::open(path("s.kwsession"), SessionFile::Access::read)->steps()->at(0).reward, 3.0);
    QCOMPARE(*SessionFile::open(path("c.kwsession"), SessionFile::Access::read)->steps()->at(0).reward, 1.0);
}

QTEST_GUILESS_MAIN(TrajectoryCommandsTest)
#include "test_trajectory_commands.moc"
