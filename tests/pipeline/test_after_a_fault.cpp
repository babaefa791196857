#include "engine/pipeline/evaluate.h"

#include <QtTest/QtTest>

using namespace kw;
using namespace kw::pipeline;

namespace {

constexpr const char* kTask = R"(
name = "scale"
kernel = "scale.cu"
reference = "scale.cu"
[sizes]
n = 1000
[[tensor]]
name = "y"
type = "f32"
shape = ["n"]
role = "output"
)";
constexpr const char* kSource = "//@ launch scale<<<1, 32>>>(y)\n__global__ void scale(float* y) {}\n";

/// Takes everything for the kernel of kSource, and remembers the deadline it was given.
class FakeCompiler final : public compile::Compiler {
public:
    [[nodiscard]] std::string version() const override { return "13.0"; }
    [[nodiscard]] std::vector<std::string> architectures() const override { return {"sm_90"}; }
    [[nodiscard]] Result<compile::Output> compile(const compile::Request& request, std::stop_token) override {
        timeout_s = request.timeout_s;
        compile::Kernel kernel;
        kernel.name = "scale";
        kernel.lowered = "_Z5scalePf";
        kernel.parameters = {
            {.type = "float*", .pointer = true, .offset = 0, .bytes = 8, .align = 8, .ptx_type = "u64"}};
        kernel.max_threads = 1024;
        compile::Output output;
        output.ok = true;
        output.kernels = {kernel};
        return output;
    }
    double timeout_s = 0;
};

/// A GPU whose kernels end as a test says.
class FakeExecutor final : public Executor {
public:
    Result<Json> verify = Json{};
    Result<Json> bench = Json{};
    std::optional<Recovery> recovery{};
    std::optional<device::Fault> found{};
    device::Kind kind = device::Kind::cuda;
    int located = 0;
    std::string recovered;
    std::string searched; ///< kind of the job that the place of a fault was looked for in
    device::FaultKind told = device::FaultKind::race;
    std::stop_source* interrupted = nullptr; ///< while it is looked for

    [[nodiscard]] Result<Json> execute(const Json& job, double, std::stop_token, const Progress&) override {
        return job.at("kind") == "bench" ? bench : verify;
    }
    [[nodiscard]] Result<Json> execute_profile(const Json&, double, std::stop_token, const Progress&,
                                               const profile::Live&) override {
        return Json{};
    }
    [[nodiscard]] Result<device::Info> describe(const std::string&) override {
        device::Info info;
        info.kind = kind;
        info.id = "cuda:0";
        info.arch = "sm_90";
        info.limits.memory_bytes = std::uint64_t{1} << 30;
        return info;
    }
    [[nodiscard]] std::optional<Recovery> recover(const std::string& device, std::stop_token) override {
        recovered = device;
        return recovery;
    }
    [[nodiscard]] std::optional<device::Fault> locate(const Json& job, device::FaultKind of_kind, std::stop_token,
                                                      const Progress&) override {
        ++located;
        searched = job.at("kind");
        told = of_kind;
        if (interrupted) interrupted->request_stop();
        return found;
    }
};

Json faulted(device::FaultKind kind, Where where = {}) {
    VerifyReport report;
    report.because = "scale failed";
    report.fault = device::Fault{.kind = kind,
                                 .message = report.because,
                                 .kernel = "_Z5scalePf",
                                 .where = std::move(where),
                                 .space = {},
                                 .allocation = {}};
    return to_json(report);
}

} // namespace

/// What evaluate() does once a job has cost its process.
class AfterAFaultTest : public QObject {
    Q_OBJECT

    FakeCompiler compiler_;

    Result<Evaluation> evaluate(FakeExecutor& executor, Options options = {}, bool bench = false,
                                std::stop_token stop = {}) {
        options.stages = {.verify = true, .bench = bench, .profile = false, .audit = false};
        options.device = "auto";
        return pipeline::evaluate({{"task.toml", kTask}, {"scale.cu", kSource}}, options, compiler_, executor,
                                  std::move(stop), [](std::string_view, double) {});
    }

private Q_SLOTS:
    void tells_recovery_and_place() {
        FakeExecutor executor;
        executor.verify = faulted(device::FaultKind::launch_failure);
        executor.recovery = Recovery{.milliseconds = 380};
        executor.found = device::Fault{.kind = device::FaultKind::out_of_bounds,
                                       .message = "write of 4 bytes",
                                       .kernel = "scale",
                                       .where = {"scale.cu", 2, 0},
                                       .space = {},
                                       .allocation = {}};
        const auto result = evaluate(executor);
        QVERIFY2(result, result ? "" : describe(result.error()).c_str());
        QCOMPARE(executor.recovered, std::string("cuda:0"));
        QCOMPARE(result->recovery->milliseconds, 380.0);
        QCOMPARE(result->verify->fault->where, (Where{"scale.cu", 2, 0}));
        QCOMPARE(result->verify->fault->kind, device::FaultKind::out_of_bounds);
        QCOMPARE(result->verify->fault->kernel, std::string("_Z5scalePf"));
        QCOMPARE(result->verify->because, std::string("write of 4 bytes"));
        QCOMPARE(result->reward->value, -1.0);
        const auto again = evaluation_from_json(to_json(*result));
        QVERIFY(again);
        QCOMPARE(again->recovery->milliseconds, 380.0);
    }

    void keeps_the_drivers_word_where_nothing_is_found() {
        FakeExecutor executor;
        executor.verify = faulted(device::FaultKind::misaligned);
        executor.recovery = Recovery{.milliseconds = 20000, .problem = "the GPU has gone"};
        const auto result = evaluate(executor);
        QVERIFY(result);
        QCOMPARE(executor.located, 1);
        QCOMPARE(result->verify->because, std::string("scale failed"));
        QCOMPARE(evaluation_from_json(to_json(*result))->recovery->problem, std::string("the GPU has gone"));
    }

    void looks_for_no_place_where_there_is_none_to_find_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("placed");
        QTest::addColumn<bool>("lost");
        QTest::addColumn<bool>("simulated");
        const auto row = [](const char* name, device::FaultKind kind, bool placed, bool lost, bool simulated) {
            QTest::newRow(name) << static_cast<int>(kind) << placed << lost << simulated;
        };
        row("it is known", device::FaultKind::out_of_bounds, true, true, false);
        row("a refused launch", device::FaultKind::launch_failure, false, false, false);
        row("the simulator", device::FaultKind::out_of_bounds, false, true, true);
    }
    void looks_for_no_place_where_there_is_none_to_find() {
        QFETCH(int, kind);
        QFETCH(bool, placed);
        QFETCH(bool, lost);
        QFETCH(bool, simulated);
        FakeExecutor executor;
        executor.verify = faulted(static_cast<device::FaultKind>(kind), placed ? Where{"scale.cu", 2, 0} : Where{});
        if (lost) executor.recovery = Recovery{.milliseconds = 1};
        if (simulated) executor.kind = device::Kind::sim;
        QVERIFY(evaluate(executor));
        QCOMPARE(executor.located, 0);
    }

    void looks_for_the_place_of_a_fault_while_timed() {
        FakeExecutor executor;
        executor.verify = to_json(VerifyReport{.ok = true, .checks = {}, .because = {}, .output = {}});
        BenchReport report;
        report.wrong = true;
        report.fault = device::Fault{.kind = device::FaultKind::out_of_bounds,
                                     .message = "scale accessed memory outside",
                                     .kernel = "_Z5scalePf",
                                     .space = {},
                                     .allocation = {}};
        report.problem = "after timing, " + report.fault->message;
        executor.bench = to_json(report);
        executor.recovery = Recovery{.milliseconds = 1};
        executor.found = report.fault;
        executor.found->message = "write past the end of y";
        executor.found->where = {"scale.cu", 2, 0};
        const auto result = evaluate(executor, {}, true);
        QVERIFY2(result, result ? "" : describe(result.error()).c_str());
        QCOMPARE(executor.searched, std::string("bench"));
        QCOMPARE(executor.told, device::FaultKind::out_of_bounds);
        QCOMPARE(result->bench->fault->where, (Where{"scale.cu", 2, 0}));
        QCOMPARE(result->bench->problem, std::string("after timing, write past the end of y"));
        QCOMPARE(result->reward->because, result->bench->problem);
    }

    void says_that_a_kernel_did_not_end_and_where_it_was() {
        FakeExecutor executor;
        executor.verify = fail(Stage::device, ErrorCode::timeout, "too long");
        executor.recovery = Recovery{.milliseconds = 1};
        executor.found = device::Fault{.kind = device::FaultKind::deadlock,
                                       .message = "every warp waits",
                                       .kernel = "scale",
                                       .where = {"scale.cu", 2, 0},
                                       .space = {},
                                       .allocation = {}};
        Options options;
        options.verify_timeout_s = 3;
        const auto result = evaluate(executor, options);
        QVERIFY(result);
        QCOMPARE(executor.told, device::FaultKind::endless_loop);
        QCOMPARE(result->verify->because,
                 std::string("verification did not finish within 3 s and was stopped; every warp waits"));
        QCOMPARE(result->verify->fault->where.line, 2);
    }

    void can_be_cancelled_while_it_looks() {
        std::stop_source stop;
        FakeExecutor executor;
        executor.verify = faulted(device::FaultKind::misaligned);
        executor.recovery = Recovery{.milliseconds = 1};
        executor.interrupted = &stop;
        const auto result = evaluate(executor, {}, false, stop.get_token());
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::cancelled);
    }

    void says_that_it_can_go_on_after_a_crash() {
        FakeExecutor executor;
        executor.verify = fail(Stage::device, ErrorCode::crashed, "the process that runs kernels ended unexpectedly");
        executor.recovery = Recovery{.milliseconds = 412};
        const auto result = evaluate(executor);
        QVERIFY(!result);
        QCOMPARE(result.error().message,
                 std::string("the process that runs kernels ended unexpectedly; another was ready "
                             "after 412 ms"));
    }

    void passes_the_deadline_on() {
        FakeExecutor executor;
        executor.verify = to_json(VerifyReport{.ok = true, .checks = {}, .because = {}, .output = {}});
        Options options;
        options.compile_timeout_s = 7;
        QVERIFY(evaluate(executor, options));
        QCOMPARE(compiler_.timeout_s, 7.0);
        const auto arrived = options_from_json(to_json(options));
        QVERIFY(arrived);
        QCOMPARE(arrived->compile_timeout_s, 7.0);
        QVERIFY(!options_from_json(Json{{"compile_timeout_s", 0}}));
    }
};

QTEST_APPLESS_MAIN(AfterAFaultTest)
#include "test_after_a_fault.moc"
