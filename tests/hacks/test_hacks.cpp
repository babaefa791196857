#include "engine/base/file.h"
#include "engine/pipeline/caching_compiler.h"
#include "engine/pipeline/evaluate.h"
#include "engine/pipeline/execute.h"

#include <QTest>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

using namespace kw;
using namespace kw::pipeline;

namespace fs = std::filesystem;

namespace {

class DirectExecutor : public Executor {
public:
    [[nodiscard]] Result<Json> execute(const Json& job, double, std::stop_token stop,
                                       const Progress& progress) override {
        return runner_.run(job, stop, progress);
    }
    [[nodiscard]] Result<Json> execute_profile(const Json& job, double, std::stop_token stop, const Progress& progress,
                                               const profile::Live& live) override {
        return runner_.run(job, stop, progress, live);
    }
    [[nodiscard]] Result<device::Info> describe(const std::string& id) override {
        auto device = open_device(id);
        if (!device) return std::unexpected(device.error());
        return (*device)->info();
    }

private:
    JobRunner runner_;
};

/// "sim", unless KW_HACKS_DEVICE names another.
std::string device_id() { return qEnvironmentVariable("KW_HACKS_DEVICE", QStringLiteral("sim")).toStdString(); }

std::string text_of(const fs::path& path) {
    auto text = read_file(path, std::size_t{1} << 20, Stage::usage);
    return text ? std::move(*text) : std::string{};
}

std::string findings_text(const Evaluation& evaluation) {
    std::string text;
    for (const auto& finding : evaluation.audit)
        text += fmt::format("{}{} {} [{}:{}] {}", text.empty() ? "" : "; ", to_string(finding.severity), finding.rule,
                            finding.where.file, finding.where.line, finding.evidence);
    return text;
}

} // namespace

class TestHacks : public QObject {
    Q_OBJECT

    std::unique_ptr<CachingCompiler> compiler_;
    DirectExecutor executor_;
    std::string table_;
    int hacks_ = 0, caught_ = 0, honest_ = 0, passed_ = 0;

    Result<Evaluation> evaluate(const fs::path& task, const fs::path& source) {
        auto files = task::read_folder(task);
        if (!files) return std::unexpected(files.error());
        Options options;
        options.device = device_id();
        options.seed = 7;
        options.sanitize = "none"; // it finds some of them, too; what the audit finds is asked here
        options.candidate = "candidate.cu";
        (*files)[options.candidate] = text_of(source);
        return pipeline::evaluate(*files, options, *compiler_, executor_, {}, [](std::string_view, double) {});
    }

    void note(const std::string& name, const Evaluation& evaluation) {
        const auto* refusal = audit::refusal(evaluation.audit);
        table_ += fmt::format("{:<28} {:>4}  {}\n", name, evaluation.reward ? evaluation.reward->value : 0,
                              refusal ? refusal->rule : "-");
    }

private Q_SLOTS:
    void initTestCase() {
        auto compiler = compile::open_compiler();
        if (!compiler) QSKIP(("NVRTC is not here: " + compiler.error().message).c_str());
        compiler_ = std::make_unique<CachingCompiler>(std::move(*compiler));
    }

    void corpus_data() {
        QTest::addColumn<QString>("task");
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("rule");
        QTest::addColumn<bool>("runs"); // on the simulator
        const auto entries = Json::parse(text_of(fs::path{KW_HACKS} / "corpus.json"));
        for (const auto& entry : entries) {
            const auto file = entry.at("file").get<std::string>();
            QTest::newRow(file.c_str()) << QString::fromStdString(entry.at("task").get<std::string>())
                                        << QString::fromStdString(file)
                                        << QString::fromStdString(entry.value("rule", ""))
                                        << entry.value("simulator", true);
        }
    }

    void corpus() {
        QFETCH(const QString, task);
        QFETCH(const QString, file);
        QFETCH(const QString, rule);
        QFETCH(const bool, runs);
        const fs::path root{KW_HACKS};
        const bool hack = !rule.isEmpty();
        ++(hack ? hacks_ : honest_);
        const auto result = evaluate(root / "tasks" / task.toStdString(), root / file.toStdString());
        QVERIFY2(result, result ? "" : describe(result.error()).c_str());
        note(file.toStdString(), *result);
        const auto found = findings_text(*result);
        QVERIFY2(result->compile.ok, result->compile.diagnostics.empty()
                                         ? "it does not compile"
                                         : result->compile.diagnostics.front().message.c_str());
        QVERIFY2(result->reward, found.c_str());
        // What only the audit can tell from honest work is what counts here. A GPU is given the full sizes in
        // verification already, at which some hacks are plainly wrong.
        QVERIFY2(!runs || (hack && device_id() != "sim") || !result->verify || result->verify->ok,
                 result->verify->because.c_str());
        if (!hack) {
            QVERIFY2(result->reward->value >= 1, found.c_str());
            ++passed_;
            return;
        }
        QCOMPARE(result->reward->value, -1.0);
        const bool right = std::ranges::any_of(result->audit, [&](const audit::Finding& finding) {
            return finding.severity == audit::Severity::refuse && finding.rule == rule.toStdString();
        });
        // A GPU's outputs are checked after timing, too, which finds some of them first.
        const bool wrong_when_timed = device_id() != "sim" && result->bench && result->bench->wrong;
        QVERIFY2(right || wrong_when_timed, found.c_str());
        ++caught_;
    }

    void bundled_data() {
        QTest::addColumn<QString>("task");
        QTest::addColumn<QString>("file");
        for (const char* kind : {"tasks", "lessons"})
            for (const auto& folder : fs::directory_iterator(fs::path{KW_RESOURCES} / kind)) {
                if (!folder.is_directory()) continue;
                const auto task = fs::path{KW_RESOURCES} / "tasks" / folder.path().filename();
                if (!fs::exists(task / "task.toml")) continue;
                for (const auto& file : fs::directory_iterator(folder.path()))
                    if (file.path().extension() == ".cu" && file.path().filename() != "reference.cu")
                        QTest::newRow((std::string{kind} + "/" + folder.path().filename().string() + "/"
                                       + file.path().filename().string())
                                          .c_str())
                            << QString::fromStdString(task.string()) << QString::fromStdString(file.path().string());
            }
    }

    /// Static rules on all that comes with the program: some of the lessons are wrong on purpose, none is a hack.
    void bundled() {
        QFETCH(const QString, task);
        QFETCH(const QString, file);
        auto files = task::read_folder(task.toStdString());
        QVERIFY(files);
        Options options;
        options.device = "sim";
        options.candidate = "candidate.cu";
        options.stages = {.verify = false, .bench = false, .profile = false, .audit = true};
        (*files)[options.candidate] = text_of(file.toStdString());
        const auto result =
            pipeline::evaluate(*files, options, *compiler_, executor_, {}, [](std::string_view, double) {});
        QVERIFY2(result, result ? "" : describe(result.error()).c_str());
        QVERIFY2(!audit::refusal(result->audit), findings_text(*result).c_str());
    }

    void cleanupTestCase() {
        fmt::print("{}{} of {} hacks refused by their rule, {} of {} honest candidates let through\n", table_, caught_,
                   hacks_, passed_, honest_);
    }
};

QTEST_GUILESS_MAIN(TestHacks)
#include "test_hacks.moc"
