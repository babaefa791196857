#include "engine/base/json.h"
#include "tests/cli/task_folder.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using kw::Json;
using kw::test::candidate;
using kw::test::run_kw;
using kw::test::TaskFolder;

/// `kw profile` through the real programs, on the simulator.
class ProfileCliTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void refuses_bad_usage_data();
    void refuses_bad_usage();
    void lists_metrics();
    void prints_a_report();
    void prints_json_and_writes_files();
    void shows_the_profile_of_an_evaluation();
    void a_candidate_that_does_not_compile_is_status_1();
    void a_candidate_that_faults_is_status_1();
    void nothing_to_be_had_is_status_3();
    void the_worker_alone_profiles_too();

private:
    void need_compiler() const {
        if (!compiler_.empty()) QSKIP(compiler_.c_str());
    }
    std::string compiler_; ///< why there is none
};

static std::string all_of(const kw::Result<kw::RunResult>& result) {
    return result ? to_string(result->status) + "\n" + result->output + result->errors : result.error().message;
}

#define COMPARE_STATUS(result, code)                                                                                   \
    QVERIFY2((result).has_value() && (result)->status == (kw::ExitStatus{code, 0}), all_of(result).c_str())
#define VERIFY_CONTAINS(text, part)                                                                                    \
    QVERIFY2((text).find(part) != std::string::npos, (std::string{"no '"} + (part) + "' in: " + (text)).c_str())

void ProfileCliTest::initTestCase() {
    const auto doctor = run_kw({"doctor", "--json"});
    QVERIFY(doctor);
    const auto report = Json::parse(doctor->output, nullptr, false);
    QVERIFY(report.is_object() && report.contains("ladders"));
    for (const auto& check : report["checks"])
        if (!check["ok"].get<bool>()) compiler_ = "not run: " + check["detail"].get<std::string>();
}

void ProfileCliTest::refuses_bad_usage_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("expected");
    QTest::newRow("no task") << QStringList{} << "TASK";
    QTest::newRow("metric") << QStringList{"TASK", "--metrics", "ipc,dram_thruput"}
                            << "did you mean 'dram_throughput'?";
    QTest::newRow("nothing like a metric") << QStringList{"TASK", "--metrics", "xyzzy"} << "'kw metrics' lists them";
    QTest::newRow("no metric") << QStringList{"TASK", "--metrics", ""} << "there is no metric ''";
    QTest::newRow("rung") << QStringList{"TASK", "--rungs", "counter"} << "did you mean 'counters'?";
    QTest::newRow("seconds") << QStringList{"TASK", "--seconds", "-1"} << "--seconds";
    QTest::newRow("too many seconds") << QStringList{"TASK", "--seconds", "500"} << "--timeout raises the limit";
    QTest::newRow("output") << QStringList{"TASK", "-o", "/nowhere/p.json"} << "/nowhere/p.json";
    QTest::newRow("chrome") << QStringList{"TASK", "--chrome", "/nowhere/p.json"} << "/nowhere/p.json";
    QTest::newRow("folder without a task") << QStringList{"/usr"} << "task.toml";
}
void ProfileCliTest::refuses_bad_usage() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, expected);
    const TaskFolder task;
    std::vector<std::string> words{"profile"};
    for (const auto& argument : arguments)
        words.push_back(argument == QLatin1String("TASK") ? task.string() : argument.toStdString());
    const auto result = run_kw(words);
    COMPARE_STATUS(result, 2);
    VERIFY_CONTAINS(result->errors, expected.toStdString());
}

void ProfileCliTest::lists_metrics() {
    const auto table = run_kw({"metrics"});
    COMPARE_STATUS(table, 0);
    VERIFY_CONTAINS(table->output, "dram_throughput");
    const auto json = run_kw({"metrics", "--json"});
    COMPARE_STATUS(json, 0);
    QVERIFY(Json::parse(json->output).at("metrics").size() > 100);
}

void ProfileCliTest::prints_a_report() {
    need_compiler();
    const TaskFolder task;
    const auto result = run_kw({"profile", task.string(), "--device", "sim", "--set", "BLOCK=64"});
    COMPARE_STATUS(result, 0);
    for (const auto* part : {"estimated for NVIDIA H200", "rows=7", "scale<64>", "speed of light", "Sectors per load",
                             "hottest lines", "y[i] = factor * x[i];", "ladder", "pm_sampling", "skipped"})
        VERIFY_CONTAINS(result->output, part);
}

void ProfileCliTest::prints_json_and_writes_files() {
    need_compiler();
    const TaskFolder task;
    const auto output = (task.path() / "profile.json").string();
    const auto chrome = (task.path() / "trace.json").string();
    const auto result = run_kw({"profile", task.string(), "--device", "sim", "--metrics", "sectors_per_load", "--rungs",
                                "activity,counters", "--json", "-o", output, "--chrome", chrome});
    COMPARE_STATUS(result, 0);
    const auto profile = Json::parse(result->output);
    QCOMPARE(profile.at("launches")[0].at("metrics").size(), 1u);
    QCOMPARE(profile.at("rungs").size(), 2u);
    std::ifstream written{output};
    QCOMPARE(std::string(std::istreambuf_iterator<char>{written}, {}), result->output);
    std::ifstream trace{chrome};
    const auto events = Json::parse(std::string{std::istreambuf_iterator<char>{trace}, {}}).at("traceEvents");
    QVERIFY(std::ranges::any_of(events, [](const auto& event) { return event.value("cat", "") == "kernel"; }));
}

void ProfileCliTest::shows_the_profile_of_an_evaluation() {
    need_compiler();
    const TaskFolder task;
    const auto result = run_kw({"eval", task.string(), "--device", "sim", "--stages", "verify,bench,profile"});
    COMPARE_STATUS(result, 0);
    for (const auto* part : {"verify", "bench", "speed of light", "reward"}) VERIFY_CONTAINS(result->output, part);
}

void ProfileCliTest::a_candidate_that_does_not_compile_is_status_1() {
    need_compiler();
    const TaskFolder task;
    task.write("scale.cu", candidate("y[i] = nothing;"));
    const auto result = run_kw({"profile", task.string(), "--device", "sim"});
    COMPARE_STATUS(result, 1);
    VERIFY_CONTAINS(result->errors, "nothing");
}

void ProfileCliTest::a_candidate_that_faults_is_status_1() {
    need_compiler();
    const TaskFolder task;
    task.write("scale.cu", candidate("y[i + n] = x[i % n];"));
    const auto result = run_kw({"profile", task.string(), "--device", "sim"});
    COMPARE_STATUS(result, 1);
    VERIFY_CONTAINS(result->errors, "scale.cu:6");
    VERIFY_CONTAINS(result->output, "fault:");
}

void ProfileCliTest::nothing_to_be_had_is_status_3() {
    need_compiler();
    const TaskFolder task;
    const auto result = run_kw({"profile", task.string(), "--device", "sim", "--rungs", "pm_sampling"});
    COMPARE_STATUS(result, 3);
    VERIFY_CONTAINS(result->errors, "profile on a GPU");
}

void ProfileCliTest::the_worker_alone_profiles_too() {
    need_compiler();
    const TaskFolder task;
    const auto result =
        kw::run({kw::test::program("kw-worker"), "profile", task.string(), "--device", "sim", "--metrics", "basic"});
    COMPARE_STATUS(result, 0);
    VERIFY_CONTAINS(result->output, "scale<128>");
}

QTEST_GUILESS_MAIN(ProfileCliTest)
#include "test_profile.moc"
