#include "engine/base/json.h"
#include "tests/cli/task_folder.h"

#include <QtTest/QtTest>

#include <string>

using kw::Json;
using kw::test::candidate;
using kw::test::run_kw;
using kw::test::TaskFolder;

/// `kw outputs` through the real programs, on the simulator.
class OutputsCliTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void refuses_bad_usage_data();
    void refuses_bad_usage();
    void repeats_a_check_of_an_evaluation();
    void prints_text();
    void says_nothing_of_what_does_not_compile();

private:
    void need_compiler() const {
        if (!compiler_.empty()) QSKIP(compiler_.c_str());
    }
    std::string compiler_;
};

static std::string all_of(const kw::Result<kw::RunResult>& result) {
    return result ? to_string(result->status) + "\n" + result->output + result->errors : result.error().message;
}

#define COMPARE_STATUS(result, code)                                                                                   \
    QVERIFY2((result).has_value() && (result)->status == (kw::ExitStatus{code, 0}), all_of(result).c_str())
#define VERIFY_CONTAINS(text, part)                                                                                    \
    QVERIFY2((text).find(part) != std::string::npos, (std::string{"no '"} + (part) + "' in: " + (text)).c_str())

constexpr std::string_view kOneWrong = "if (i < n) y[i] = i == 37 ? 0.0f / (x[i] - x[i]) : factor * x[i];";

void OutputsCliTest::initTestCase() {
    const auto doctor = run_kw({"doctor", "--json"});
    QVERIFY(doctor);
    const auto report = Json::parse(doctor->output, nullptr, false);
    QVERIFY(report.is_object());
    for (const auto& check : report["checks"])
        if (!check["ok"].get<bool>()) compiler_ = "not run: " + check["detail"].get<std::string>();
}

void OutputsCliTest::refuses_bad_usage_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, QStringList arguments, const char* expected) {
        QTest::newRow(name) << arguments << QString::fromLatin1(expected);
    };
    row("region", {"--region", "0:4"}, "is no region");
    row("region with a rest", {"--region", "0:4,0:4x"}, "is no region");
    row("negative region", {"--region", "-1:4,0:4"}, "is no region");
    row("step", {"--step", "0"}, "--step");
    row("odd step", {"--step", "3"}, "power of two");
    row("negative case", {"--case", "-1"}, "from 0");
    row("negative element", {"--element", "-1"}, "from 0");
    row("no tolerance", {"--atol", "nan"}, "takes a number from 0");
    row("negative tolerance", {"--rtol", "-1"}, "takes a number from 0");
    row("seed", {"--seed", "many"}, "seed");
    row("case", {"--case", "9"}, "no case 9");
}

void OutputsCliTest::refuses_bad_usage() {
    need_compiler();
    QFETCH(QStringList, arguments);
    QFETCH(QString, expected);
    const TaskFolder folder;
    std::vector<std::string> command{"outputs", folder.string(), "--device", "sim"};
    for (const auto& argument : arguments) command.push_back(argument.toStdString());
    const auto result = run_kw(command);
    COMPARE_STATUS(result, 2);
    VERIFY_CONTAINS(result->errors, expected.toStdString());
}

void OutputsCliTest::repeats_a_check_of_an_evaluation() {
    need_compiler();
    const TaskFolder folder;
    folder.write("scale.cu", candidate(kOneWrong));
    const auto evaluated = run_kw({"eval", folder.string(), "--device", "sim", "--stages", "compile,verify", "--json"});
    COMPARE_STATUS(evaluated, 1);
    const auto check = Json::parse(evaluated->output)["verify"]["checks"][2];
    const auto result = run_kw({"outputs", folder.string(), "--device", "sim", "--seed", check["seed"].dump(),
                                "--region", "0:1,36:39", "--rtol", "1", "--element", "37", "--json"});
    COMPARE_STATUS(result, 1);
    const auto report = Json::parse(result->output, nullptr, false);
    QVERIFY(report.is_object());
    QCOMPARE(report["seed"], check["seed"]);
    const auto& comparison = report["tensors"][0]["comparison"];
    QCOMPARE(comparison["mismatches"], Json(1));
    QCOMPARE(comparison["first_mismatch"]["expected"], check["first_mismatch"]["expected"]);
    QCOMPARE(report["elements"].size(), std::size_t{3});
    QCOMPARE(report["elements"][1]["coordinates"], Json({0, 37}));
    QCOMPARE(report["elements"][1]["expected"], check["first_mismatch"]["expected_text"]);
    // NaN passes under no tolerance.
    QCOMPARE(report["tolerance"]["mismatches"], Json(1));
    QCOMPARE(report["histogram"]["never"], Json(1));
    QCOMPARE(report["writers"]["writes"][0]["thread"], Json({37, 0, 0}));
    QCOMPARE(report["writers"]["origin"]["where"]["line"], Json(6));
}

void OutputsCliTest::prints_text() {
    need_compiler();
    const TaskFolder folder;
    const auto right = run_kw({"outputs", folder.string(), "--device", "sim", "--case", "1", "--region", "0:2,0:2"});
    COMPARE_STATUS(right, 0);
    VERIFY_CONTAINS(right->output, "y f32[3, 33]: all 99 elements are right");
    VERIFY_CONTAINS(right->output, "[1, 1]");
    const auto cells = run_kw({"outputs", folder.string(), "--device", "sim", "--region", "0:7,0:300", "--step", "16"});
    COMPARE_STATUS(cells, 0);
    VERIFY_CONTAINS(cells->output, "1 × 19 cells");
    folder.write("scale.cu", candidate(kOneWrong));
    const auto wrong = run_kw({"outputs", folder.string(), "--device", "sim", "--element", "37"});
    COMPARE_STATUS(wrong, 1);
    VERIFY_CONTAINS(wrong->output, "the first is [0, 37]");
    VERIFY_CONTAINS(wrong->output, "block (0, 0, 0) thread (37, 0, 0) at scale.cu:6");
    VERIFY_CONTAINS(wrong->output, "gave NaN at scale.cu:6");
}

void OutputsCliTest::says_nothing_of_what_does_not_compile() {
    need_compiler();
    const TaskFolder folder;
    folder.write("scale.cu", candidate("nonsense"));
    const auto result = run_kw({"outputs", folder.string(), "--device", "sim", "--json"});
    COMPARE_STATUS(result, 1);
    VERIFY_CONTAINS(result->errors, "scale.cu:6");
    QVERIFY(Json::parse(result->output)["tensors"].empty());
}

QTEST_GUILESS_MAIN(OutputsCliTest)
#include "test_outputs_command.moc"
