#include "engine/base/json.h"
#include "tests/cli/task_folder.h"

#include <QtTest/QtTest>

#include <algorithm>

using kw::Json;
using kw::test::candidate;
using kw::test::run_kw;
using kw::test::TaskFolder;

/// The command line through the real programs.
class CliTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void answers_version_and_help();
    void refuses_bad_usage_data();
    void refuses_bad_usage();
    void evaluates();
    void prints_the_evaluation_as_json();
    void repeats_with_a_seed();
    void shows_what_is_wrong();
    void points_at_compile_errors();
    void takes_a_candidate_from_elsewhere();
    void tunes();
    void tunes_nothing_without_tunables();
    void disassembles();
    void lists_devices();
    void diagnoses();
    void works_through_any_worker_command();
    void reports_a_worker_that_is_none();

private:
    void need_compiler() const {
        if (!compiler_.empty()) QSKIP(compiler_.c_str());
    }
    std::string compiler_; ///< why there is none
};

static std::string one_line(const std::string& text) {
    return std::ranges::count(text, '\n') == 1 && text.ends_with('\n') ? "one line" : "not one line: " + text;
}

static void compare_status(const kw::Result<kw::RunResult>& result, int status) {
    QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
    QVERIFY2(result->status == (kw::ExitStatus{status, 0}),
             (to_string(result->status) + "\n" + result->output + result->errors).c_str());
    if (status != 0) QCOMPARE(one_line(result->errors), std::string("one line"));
}

static bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

#define VERIFY_CONTAINS(text, part)                                                                                    \
    QVERIFY2(contains(text, part), (std::string{"no '"} + (part) + "' in: " + (text)).c_str())

void CliTest::initTestCase() {
    const auto doctor = run_kw({"doctor", "--json"});
    QVERIFY(doctor);
    const auto report = Json::parse(doctor->output, nullptr, false);
    QVERIFY(report.is_object());
    for (const auto& check : report["checks"])
        if (!check["ok"].get<bool>()) compiler_ = "not run: " + check["detail"].get<std::string>();
}

void CliTest::answers_version_and_help() {
    const auto version = run_kw({"--version"});
    compare_status(version, 0);
    VERIFY_CONTAINS(version->output, "kw 0.");
    const auto help = run_kw({"eval", "--help"});
    compare_status(help, 0);
    VERIFY_CONTAINS(help->output, "--candidate");
}

void CliTest::refuses_bad_usage_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("expected");
    QTest::newRow("nothing") << QStringList{} << "kw --help";
    QTest::newRow("unknown command") << QStringList{"evaluate"} << "'evaluate'";
    QTest::newRow("unknown option") << QStringList{"eval", "--fast", "x"} << "kw eval --help";
    QTest::newRow("no task") << QStringList{"eval"} << "TASK";
    QTest::newRow("no such folder") << QStringList{"eval", "/nowhere/softmax"} << "/nowhere/softmax";
    QTest::newRow("folder without a task") << QStringList{"eval", "/usr"} << "task.toml";
    QTest::newRow("no such candidate") << QStringList{"eval", "TASK", "--candidate", "none.cu"} << "none.cu";
    QTest::newRow("trusted name") << QStringList{"eval", "TASK", "--candidate", "ELSEWHERE/reference.cu"}
                                  << "reference.cu";
    QTest::newRow("the reference") << QStringList{"eval", "TASK", "--candidate", "TASK/reference.cu"} << "reference.cu";
    QTest::newRow("negative GPU") << QStringList{"eval", "TASK", "--device", "cuda:-1"} << "cuda:-1";
    QTest::newRow("unknown stage") << QStringList{"eval", "TASK", "--stages", "compile,guess"} << "guess";
    QTest::newRow("unknown device") << QStringList{"eval", "TASK", "--device", "abacus"} << "abacus";
    QTest::newRow("unknown simulated GPU") << QStringList{"eval", "TASK", "--device", "sim:abacus"} << "abacus";
    QTest::newRow("set without a value") << QStringList{"eval", "TASK", "--set", "BLOCK"} << "NAME=VALUE";
    QTest::newRow("set to a word") << QStringList{"eval", "TASK", "--set", "BLOCK=big"} << "NAME=VALUE";
    QTest::newRow("negative seed") << QStringList{"eval", "TASK", "--seed", "-1"} << "seed";
    QTest::newRow("negative timeout") << QStringList{"eval", "TASK", "--timeout", "-5"} << "timeout";
    QTest::newRow("timeout of no time") << QStringList{"eval", "TASK", "--timeout", "0"} << "timeout";
    QTest::newRow("timeout past every clock") << QStringList{"eval", "TASK", "--timeout", "1e300"} << "1000000";
    QTest::newRow("unknown log level") << QStringList{"--log", "nonsense", "devices"} << "nonsense";
    QTest::newRow("unwritable output") << QStringList{"eval", "TASK", "-o", "/nowhere/e.json"} << "/nowhere/e.json";
    QTest::newRow("output into a folder") << QStringList{"eval", "TASK", "-o", "TASK"} << "folder";
    QTest::newRow("unknown worker") << QStringList{"--worker", "moon", "devices"} << "moon";
    QTest::newRow("option as a host") << QStringList{"--worker", "ssh:-oProxyCommand=x", "devices"} << "ssh:HOST";
    QTest::newRow("no budget") << QStringList{"tune", "TASK", "--budget", "0"} << "budget";
    QTest::newRow("tune an unknown name") << QStringList{"tune", "TASK", "--set", "BLOK=64"} << "did you mean 'BLOCK'";
    QTest::newRow("tune an unlisted value") << QStringList{"tune", "TASK", "--set", "BLOCK=7"} << "128 64 32";
}

void CliTest::refuses_bad_usage() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, expected);
    need_compiler();
    const TaskFolder task;
    const TaskFolder elsewhere;
    std::vector<std::string> words;
    for (auto& word : arguments)
        words.push_back(
            word.replace("TASK", task.string().c_str()).replace("ELSEWHERE", elsewhere.string().c_str()).toStdString());
    const auto result = run_kw(words);
    compare_status(result, 2);
    VERIFY_CONTAINS(result->errors, expected.toStdString());
}

void CliTest::evaluates() {
    need_compiler();
    const TaskFolder task;
    const auto result = run_kw({"eval", task.string(), "--device", "sim"});
    compare_status(result, 0);
    for (const auto* part : {"scale.cu", "BLOCK=128", "compile   ok", "verify    ok", "10 checks over 2 size sets",
                             "estimated", "against reference.cu", "reward"})
        VERIFY_CONTAINS(result->output, part);
    QVERIFY(!contains(result->output, "\x1b"));
    QCOMPARE(result->errors, std::string());
}

void CliTest::prints_the_evaluation_as_json() {
    need_compiler();
    const TaskFolder task;
    const auto file = (task.path() / "evaluation.json").string();
    const auto result =
        run_kw({"eval", task.string() + "/task.toml", "--device", "sim", "--json", "-o", file, "--set", "BLOCK=32"});
    compare_status(result, 0);
    const auto json = Json::parse(result->output, nullptr, false);
    QCOMPARE(json["task"].get<std::string>(), std::string("scale"));
    QCOMPARE(json["configuration"]["BLOCK"].get<int>(), 32);
    QCOMPARE(json["source_sha256"].get<std::string>().size(), std::size_t{64});
    QCOMPARE(json["device"]["kind"].get<std::string>(), std::string("sim"));
    QVERIFY(json["compile"]["ok"].get<bool>() && json["verify"]["ok"].get<bool>());
    QCOMPARE(json["verify"]["checks"].size(), std::size_t{10});
    QVERIFY(json["bench"]["estimated"].get<bool>());
    QVERIFY(json["bench"]["median_us"].get<double>() > 0);
    QVERIFY(json["reward"]["value"].get<double>() >= 1);
    std::ifstream written{file};
    QVERIFY(Json::parse(written, nullptr, false) == json);
}

void CliTest::repeats_with_a_seed() {
    need_compiler();
    const TaskFolder task;
    std::vector<std::string> seeds;
    for (int round = 0; round < 2; ++round) {
        const auto result =
            run_kw({"eval", task.string(), "--device", "sim", "--json", "--stages", "verify", "--seed", "42"});
        compare_status(result, 0);
        const auto json = Json::parse(result->output, nullptr, false);
        QVERIFY(!json.contains("bench"));
        seeds.push_back(json["verify"]["checks"][1]["seed"].dump());
    }
    QCOMPARE(seeds[0], seeds[1]);
}

void CliTest::shows_what_is_wrong() {
    need_compiler();
    const TaskFolder task;
    task.write("scale.cu", candidate("if (i < n) y[i] = i == 5 ? -1e9f : factor * x[i];"));
    const auto result = run_kw({"eval", task.string(), "--device", "sim"});
    compare_status(result, 1);
    for (const auto* part : {"verify    failed", "first at y[0, 5]: expected ", "actual -1", "reward    -1", "hint:"})
        VERIFY_CONTAINS(result->output, part);
    VERIFY_CONTAINS(result->errors, "scale.cu");
}

void CliTest::points_at_compile_errors() {
    need_compiler();
    const TaskFolder task;
    task.write("scale.cu", candidate("y[i] = undeclared;"));
    const auto result = run_kw({"eval", task.string(), "--device", "sim"});
    compare_status(result, 1);
    VERIFY_CONTAINS(result->output, "scale.cu:6:12: error: identifier \"undeclared\" is undefined\n     6 |     y[i] = "
                                    "undeclared;\n       |            ^");
    VERIFY_CONTAINS(result->errors, "scale.cu:6:12");
}

void CliTest::takes_a_candidate_from_elsewhere() {
    need_compiler();
    const TaskFolder task;
    const TaskFolder elsewhere;
    elsewhere.write("other.cu", candidate("if (i < n) y[i] = x[i] * factor;"));
    const auto result = run_kw({"eval", task.string(), "--device", "sim", "--stages", "verify", "--candidate",
                                elsewhere.string() + "/other.cu"});
    compare_status(result, 0);
    VERIFY_CONTAINS(result->output, "other.cu");
    QVERIFY(!std::filesystem::exists(task.path() / "other.cu"));
}

void CliTest::tunes() {
    need_compiler();
    const TaskFolder task;
    // 2048 threads are too many for a block, and 32 computes nonsense.
    auto source = candidate("if (i < n) y[i] = Block == 32 ? 0.0f : factor * x[i];");
    source.replace(source.find("128 64 32"), 9, "128 64 2048 32");
    task.write("scale.cu", source);
    const auto text = run_kw({"tune", task.string(), "--device", "sim"});
    compare_status(text, 0);
    VERIFY_CONTAINS(text->output, "best: BLOCK=");
    VERIFY_CONTAINS(text->output, "--set BLOCK=");
    const auto result = run_kw({"tune", task.string(), "--device", "sim", "--json"});
    compare_status(result, 0);
    const auto json = Json::parse(result->output, nullptr, false);
    QCOMPARE(json["tried"].get<int>(), 4);
    std::vector<bool> ok;
    for (const auto& trial : json["trials"]) ok.push_back(trial["ok"].get<bool>());
    QCOMPARE(ok, (std::vector<bool>{true, true, false, false}));
    const auto time = [&](std::size_t i) {
        return json["trials"][i]["evaluation"]["bench"]["median_us"].get<double>();
    };
    QVERIFY(time(0) <= time(1));

    const auto some = run_kw({"tune", task.string(), "--device", "sim", "--budget", "2", "--json"});
    compare_status(some, 0);
    QCOMPARE(Json::parse(some->output, nullptr, false)["tried"].get<int>(), 2);
}

void CliTest::tunes_nothing_without_tunables() {
    const TaskFolder task;
    task.write("plain.cu", kw::test::kReference);
    const auto result = run_kw({"tune", task.string(), "--candidate", "plain.cu"});
    compare_status(result, 2);
    VERIFY_CONTAINS(result->errors, "nothing to tune");
}

void CliTest::disassembles() {
    need_compiler();
    const TaskFolder task;
    const auto result = run_kw({"disasm", task.string(), "--device", "sim", "--kernel", "scale"});
    compare_status(result, 0);
    VERIFY_CONTAINS(result->output, "st.global");
    const auto unknown = run_kw({"disasm", task.string(), "--device", "sim", "--kernel", "skale"});
    compare_status(unknown, 2);
    VERIFY_CONTAINS(unknown->errors, "scale<128>");
    task.write("scale.cu", candidate("nonsense"));
    compare_status(run_kw({"disasm", task.string(), "--device", "sim"}), 1);
}

void CliTest::lists_devices() {
    const auto text = run_kw({"devices"});
    compare_status(text, 0);
    VERIFY_CONTAINS(text->output, "sim:");
    const auto json = run_kw({"devices", "--json"});
    compare_status(json, 0);
    QVERIFY(!Json::parse(json->output, nullptr, false)["devices"].empty());
}

void CliTest::diagnoses() {
    need_compiler();
    const auto result = run_kw({"doctor"});
    compare_status(result, 0);
    VERIFY_CONTAINS(result->output, "libnvrtc");
    VERIFY_CONTAINS(result->output, "kw-worker");
}

void CliTest::works_through_any_worker_command() {
    need_compiler();
    const TaskFolder task;
    const auto result = run_kw({"--worker", "command:env " + kw::test::program("kw-worker") + " serve", "eval",
                                task.string(), "--device", "sim", "--stages", "verify"});
    compare_status(result, 0);
}

void CliTest::reports_a_worker_that_is_none() {
    const auto missing = run_kw({"--worker", "command:/nowhere/kw-worker serve", "devices"});
    compare_status(missing, 3);
    VERIFY_CONTAINS(missing->errors, "/nowhere/kw-worker");
    const auto babbling = run_kw({"--worker", "command:echo hello", "devices"});
    compare_status(babbling, 3);
    const auto dying = run_kw({"--worker", "command:ls /nowhere/at/all", "devices"});
    compare_status(dying, 3);
    VERIFY_CONTAINS(dying->errors, "/nowhere/at/all");
}

QTEST_GUILESS_MAIN(CliTest)
#include "test_cli.moc"
