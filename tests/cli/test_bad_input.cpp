#include "engine/base/json.h"
#include "tests/cli/task_folder.h"

#include <QtTest/QtTest>

#include <sys/stat.h>

#include <algorithm>
#include <chrono>

using kw::test::candidate;
using kw::test::run_kw;
using kw::test::TaskFolder;

/// Whatever the input, `kw eval` says in one sentence what and where, ends with the right status, and leaves the folder
/// as it was.
class BadInputTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void candidates_data();
    void candidates();
    void tasks_data();
    void tasks();
    void huge_candidate();
    void huge_candidate_from_elsewhere();
    void read_only_folder();

private:
    std::string compiler_;
};

static std::string changed(std::string_view text, std::string_view from, std::string_view to) {
    std::string result{text};
    result.replace(result.find(from), from.size(), to);
    return result;
}

static void check(const kw::Result<kw::RunResult>& result, int status, const std::string& place) {
    QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
    const auto all = to_string(result->status) + "\n" + result->output + result->errors;
    QVERIFY2(result->status == (kw::ExitStatus{status, 0}), all.c_str());
    QVERIFY2(std::ranges::count(result->errors, '\n') == 1, all.c_str());
    QVERIFY2(result->errors.size() < 600, all.c_str());
    QVERIFY2(result->errors.find(place) != std::string::npos, all.c_str());
}

void BadInputTest::initTestCase() {
    const auto doctor = run_kw({"doctor", "--json"});
    QVERIFY(doctor);
    const auto report = kw::Json::parse(doctor->output, nullptr, false);
    QVERIFY(report.is_object());
    for (const auto& item : report["checks"])
        if (!item["ok"].get<bool>()) compiler_ = "not run: " + item["detail"].get<std::string>();
}

void BadInputTest::candidates_data() {
    QTest::addColumn<QByteArray>("source");
    QTest::addColumn<QByteArray>("place");
    const auto row = [](const char* name, const std::string& source, const char* place) {
        QTest::newRow(name) << QByteArray::fromStdString(source) << QByteArray(place);
    };
    const auto right = candidate(kw::test::kRight);
    row("unknown tensor", changed(right, "(x, y,", "(x, q,"), "scale.cu:2:");
    row("grid of 0", changed(right, "<<<ceil_div(rows * cols, BLOCK)", "<<<rows - rows"), "scale.cu:2:");
    row("block of 0", changed(right, ", BLOCK>>>", ", 0>>>"), "scale.cu:2:");
    row("block over the limit", changed(right, ", BLOCK>>>", ", 2048>>>"), "scale.cu:2:");
    row("grid over the limit", changed(right, "<<<ceil_div(rows * cols, BLOCK)", "<<<dim3(1, 70000)"), "scale.cu:2:");
    row("shared memory over the limit", changed(right, ", BLOCK>>>", ", BLOCK, 1000000>>>"), "scale.cu:2:");
    row("overflow in a launch", changed(right, "<<<ceil_div(rows * cols, BLOCK)", "<<<rows * 9223372036854775807"),
        "scale.cu:2:");
    row("no such kernel", changed(right, "launch scale<", "launch skale<"), "scale.cu:");
    row("overloaded kernel",
        right + "__global__ void twice(int*) {}\n__global__ void twice(float*) {}\n//@ launch twice<<<1, 1>>>(y)\n",
        "scale.cu:");
    row("argument type", changed(right, "float* y", "double* y"), "scale.cu:2:");
    row("argument count", changed(right, ", factor, rows * cols)", ", factor)"), "scale.cu:2:");
    row("template that does not instantiate",
        changed(candidate("static_assert(Block < 100, \"too big\");"), "64 32", "256"), "scale.cu:6:");
    row("include outside", "#include \"/etc/passwd\"\n" + right, "scale.cu:1:");
    row("include outside, relative", "#include \"../../../etc/passwd\"\n" + right, "scale.cu:1:");
    row("endless", candidate("while (true) { if (x[i % n] == 1234.5f) break; }"), "scale.cu");
    row("out of bounds", candidate("y[i + n] = 1;"), "scale.cu:6:");
    row("assert", "#include <cassert>\n" + candidate("assert(i < 10);"), "scale.cu:7:");
    row("empty file", "", "scale.cu");
    row("bytes of zero", std::string(100, '\0'), "scale.cu");
    row("brackets without end", candidate(std::string(100'000, '(')), "scale.cu:");
}

void BadInputTest::candidates() {
    QFETCH(QByteArray, source);
    QFETCH(QByteArray, place);
    if (!compiler_.empty()) QSKIP(compiler_.c_str());
    const TaskFolder task;
    task.write("scale.cu", source.toStdString());
    check(run_kw({"eval", task.string(), "--device", "sim", "--timeout", "5"}), 1, place.toStdString());
}

void BadInputTest::tasks_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("place");
    const auto row = [](const char* name, const char* file, const std::string& text, const char* place) {
        QTest::newRow(name) << QByteArray(file) << QByteArray::fromStdString(text) << QByteArray(place);
    };
    const auto task = kw::test::kTask;
    row("malformed TOML", "task.toml", changed(task, "rows = 7", "rows = = 7"), "task.toml:7:");
    row("empty task.toml", "task.toml", "", "task.toml");
    row("unknown key", "task.toml", changed(task, "fill = ", "fil = "), "task.toml:");
    row("unknown type", "task.toml", changed(task, "type = \"f32\"", "type = \"f23\""), "task.toml:");
    row("unknown size", "task.toml", changed(task, "\"cols\"]", "\"colums\"]"), "task.toml:");
    row("negative size", "task.toml", changed(task, "rows = 7", "rows = -7"), "task.toml:");
    row("size past 2^63", "task.toml", changed(task, "rows = 7", "rows = 99999999999999999999"), "task.toml:");
    row("shape past 2^63", "task.toml",
        changed(task, "rows = 7\ncols = 300", "rows = 9000000000000000\ncols = 9000000000000000"), "");
    row("more memory than there is", "task.toml",
        changed(task, "rows = 7\ncols = 300", "rows = 30000000\ncols = 300000"), "");
    row("no reference", "task.toml", changed(task, "\"reference.cu\"", "\"missing.cu\""), "task.toml:");
    row("reference that does not compile", "reference.cu", changed(kw::test::kReference, "y[i] =", "z[i] ="),
        "reference.cu");
    row("Latin-1 in the candidate", "scale.cu", "// gr\xfc\xdf\n" + candidate(kw::test::kRight), "scale.cu:1:");
    row("Latin-1 in task.toml", "task.toml", "# gr\xfc\xdf\n" + std::string{task}, "task.toml:1:");
}

void BadInputTest::tasks() {
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, place);
    if (!compiler_.empty()) QSKIP(compiler_.c_str());
    const TaskFolder task;
    task.write(file.toStdString(), text.toStdString());
    check(run_kw({"eval", task.string(), "--device", "sim", "--timeout", "5"}), 2, place.toStdString());
}

void BadInputTest::huge_candidate() {
    const TaskFolder task;
    task.write("scale.cu", candidate(kw::test::kRight) + std::string(50'000'000, '\n'));
    const auto start = std::chrono::steady_clock::now();
    check(run_kw({"eval", task.string(), "--device", "sim"}), 2, "scale.cu");
    QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::seconds{5});
}

void BadInputTest::huge_candidate_from_elsewhere() {
    const TaskFolder task;
    const TaskFolder elsewhere;
    elsewhere.write("huge.cu", std::string(50'000'000, '\n'));
    check(run_kw({"eval", task.string(), "--candidate", elsewhere.string() + "/huge.cu"}), 2, "huge.cu");
}

void BadInputTest::read_only_folder() {
    if (!compiler_.empty()) QSKIP(compiler_.c_str());
    const TaskFolder task;
    ::chmod(task.string().c_str(), 0555);
    const auto result = run_kw({"eval", task.string(), "--device", "sim", "--stages", "verify"});
    ::chmod(task.string().c_str(), 0755);
    QVERIFY(result);
    QVERIFY2(result->status.success(), (result->output + result->errors).c_str());
    QCOMPARE(std::distance(std::filesystem::directory_iterator{task.path()}, {}), std::ptrdiff_t{3});
}

QTEST_GUILESS_MAIN(BadInputTest)
#include "test_bad_input.moc"
