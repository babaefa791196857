#include "engine/base/file.h"
#include "engine/report/commands.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <filesystem>
#include <limits>
#include <memory>

namespace fs = std::filesystem;
namespace report = kw::report;

class CommandsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void a_candidate_takes_the_kernels_place_data();
    void a_candidate_takes_the_kernels_place();
    void a_candidate_takes_no_other_place_data();
    void a_candidate_takes_no_other_place();
    void files_of_the_task_are_candidates();
    void timeouts_data();
    void timeouts();

private:
    void write(const std::string& name, std::string_view text) const {
        const auto path = root() / name;
        fs::create_directories(path.parent_path());
        QVERIFY(kw::write_file(path, text));
    }
    [[nodiscard]] fs::path root() const { return fs::path{folder_->path().toStdString()}; }
    kw::Result<kw::task::Files> read(const std::string& candidate) {
        options_ = {};
        report::EvalArguments arguments;
        arguments.task = (root() / "task").string();
        arguments.candidate = (root() / candidate).string();
        return report::read_task(arguments, options_);
    }

    std::unique_ptr<QTemporaryDir> folder_;
    kw::pipeline::Options options_;
};

void CommandsTest::init() {
    folder_ = std::make_unique<QTemporaryDir>();
    write("task/task.toml", R"(name = "scale"
kernel = "src/scale.cu"
reference = "reference.cu"
baselines = ["baseline.cu"]
[[tensor]]
name = "y"
type = "f32"
shape = [4]
role = "output"
)");
    for (const auto* name : {"src/scale.cu", "reference.cu", "baseline.cu", "common.cuh"})
        write("task/" + std::string{name}, "// the task's\n");
}

void CommandsTest::a_candidate_takes_the_kernels_place_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("name");
    QTest::newRow("by the kernel's name") << "scale.cu" << "src/scale.cu";
    QTest::newRow("beside it") << "other.cu" << "other.cu";
}

void CommandsTest::a_candidate_takes_the_kernels_place() {
    QFETCH(QString, file);
    QFETCH(QString, name);
    write("elsewhere/" + file.toStdString(), "// mine\n");
    const auto files = read("elsewhere/" + file.toStdString());
    QVERIFY2(files, files ? "" : files.error().message.c_str());
    QCOMPARE(QString::fromStdString(options_.candidate), name);
    QCOMPARE(files->at(name.toStdString()), std::string("// mine\n"));
    QCOMPARE(files->at("common.cuh"), std::string("// the task's\n"));
}

void CommandsTest::a_candidate_takes_no_other_place_data() {
    QTest::addColumn<QString>("name");
    for (const auto* name : {"common.cuh", "reference.cu", "baseline.cu", "task.toml"}) QTest::newRow(name) << name;
}

void CommandsTest::a_candidate_takes_no_other_place() {
    QFETCH(QString, name);
    write("elsewhere/" + name.toStdString(), "// mine\n");
    const auto files = read("elsewhere/" + name.toStdString());
    QVERIFY(!files);
    QCOMPARE(files.error().stage, kw::Stage::usage);
    QVERIFY2(files.error().message.contains("src/scale.cu"), files.error().message.c_str());
}

void CommandsTest::files_of_the_task_are_candidates() {
    const auto files = read("task/baseline.cu");
    QVERIFY(files);
    QCOMPARE(options_.candidate, std::string("baseline.cu"));
}

void CommandsTest::timeouts_data() {
    QTest::addColumn<double>("seconds");
    QTest::addColumn<bool>("good");
    QTest::newRow("half a second") << 0.5 << true;
    QTest::newRow("the longest") << 1e6 << true;
    QTest::newRow("zero") << 0.0 << false;
    QTest::newRow("negative") << -1.0 << false;
    QTest::newRow("past every clock") << 1e300 << false;
    QTest::newRow("infinite") << std::numeric_limits<double>::infinity() << false;
    QTest::newRow("not a number") << std::numeric_limits<double>::quiet_NaN() << false;
}

void CommandsTest::timeouts() {
    QFETCH(double, seconds);
    QFETCH(bool, good);
    report::EvalArguments arguments;
    arguments.timeout_s = seconds;
    const auto options = report::to_options(arguments);
    QCOMPARE(options.has_value(), good);
    if (good) QCOMPARE(options->bench_timeout_s, seconds);
    auto json = kw::pipeline::to_json(kw::pipeline::Options{});
    json["verify_timeout_s"] = seconds;
    QCOMPARE(kw::pipeline::options_from_json(json).has_value(), good);
}

QTEST_APPLESS_MAIN(CommandsTest)
#include "test_commands.moc"
