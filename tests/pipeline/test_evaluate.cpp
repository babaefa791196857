#include "engine/pipeline/caching_compiler.h"
#include "engine/pipeline/evaluate.h"
#include "engine/pipeline/execute.h"
#include "engine/pipeline/plan_runner.h"
#include "engine/profile/report.h"

#include <QTest>

#include <algorithm>

using namespace kw;
using namespace kw::pipeline;

namespace {

constexpr const char* kTask = R"(
name = "scale"
kernel = "scale.cu"
reference = "reference.cu"
baselines = ["reference.cu"]
[sizes]
n = 4096
[[case]]
n = 1
[[case]]
n = 1001
[[tensor]]
name = "x"
type = "f32"
shape = ["n"]
role = "input"
fill = "normal"
[[tensor]]
name = "y"
type = "f32"
shape = ["n"]
role = "output"
[tolerance]
atol = 1e-6
rtol = 1e-6
)";

constexpr const char* kReference = R"(//@ launch scale_slow<<<1, 1>>>(x, y, n)
__global__ void scale_slow(const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] = 3.0f * x[i]; }
)";

std::string candidate(const std::string& body) {
    return "//@ tune BLOCK = 128 256\n"
           "//@ launch scale<BLOCK><<<ceil_div(n, BLOCK), BLOCK>>>(x, y, n)\n"
           "template<int B> __global__ void scale(const float* __restrict__ x, float* y, int n) {\n"
           "    int i = blockIdx.x * B + threadIdx.x;\n"
           "    "
           + body + "\n}\n";
}

/// A float array of version 1.0: NumPy's format specification.
std::string npy(const std::vector<float>& values) {
    std::string header =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",), }";
    header.resize(117, ' ');
    header += '\n';
    std::string bytes("\x93NUMPY\x01\x00\x76\x00", 10);
    bytes += header;
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    return bytes;
}

/// Gives the same answer to every job of one kind, and runs the others.
class ScriptedExecutor : public Executor {
public:
    ScriptedExecutor(Executor& real, std::string kind, Result<Json> answer)
        : real_(real), kind_(std::move(kind)), answer_(std::move(answer)) {}
    [[nodiscard]] Result<Json> execute(const Json& job, double timeout_s, std::stop_token stop,
                                       const Progress& progress) override {
        if (job.at("kind") == kind_) return answer_;
        return real_.execute(job, timeout_s, stop, progress);
    }
    [[nodiscard]] Result<Json> execute_profile(const Json& job, double timeout_s, std::stop_token stop,
                                               const Progress& progress, const profile::Live& live) override {
        if (job.at("kind") == kind_) return answer_;
        return real_.execute_profile(job, timeout_s, stop, progress, live);
    }
    [[nodiscard]] Result<device::Info> describe(const std::string& id) override { return real_.describe(id); }

private:
    Executor& real_;
    std::string kind_;
    Result<Json> answer_;
};

class DirectExecutor : public Executor {
public:
    [[nodiscard]] Result<Json> execute(const Json& job, double, std::stop_token stop,
                                       const Progress& progress) override {
        return runner_.run(Json::parse(job.dump()), stop, progress);
    }
    [[nodiscard]] Result<Json> execute_profile(const Json& job, double, std::stop_token stop, const Progress& progress,
                                               const profile::Live& live) override {
        return runner_.run(Json::parse(job.dump()), stop, progress, live);
    }
    [[nodiscard]] Result<device::Info> describe(const std::string& id) override {
        auto device = open_device(id);
        if (!device) return std::unexpected(device.error());
        return (*device)->info();
    }

private:
    JobRunner runner_;
};

} // namespace

class TestEvaluate : public QObject {
    Q_OBJECT

    std::unique_ptr<CachingCompiler> compiler_;
    DirectExecutor executor_;

    Result<Evaluation> evaluate_with(Executor& executor, const std::string& source) {
        const task::Files files{{"task.toml", kTask}, {"scale.cu", source}, {"reference.cu", kReference}};
        return pipeline::evaluate(files, {}, *compiler_, executor, {}, [](std::string_view, double) {});
    }

    Result<Evaluation> evaluate(const std::string& source, Options options = {}, const std::string& toml = kTask,
                                const std::string& reference = kReference) {
        const task::Files files{{"task.toml", toml}, {"scale.cu", source}, {"reference.cu", reference}};
        return pipeline::evaluate(files, options, *compiler_, executor_, {}, [](std::string_view, double) {});
    }

private Q_SLOTS:
    void initTestCase() {
        auto compiler = compile::open_compiler();
        if (!compiler) QSKIP(("NVRTC is not here: " + compiler.error().message).c_str());
        compiler_ = std::make_unique<CachingCompiler>(std::move(*compiler));
    }

    void a_right_and_faster_kernel_earns_three() {
        const auto result = evaluate(candidate("if (i < n) y[i] = 3.0f * x[i];"));
        QVERIFY2(result, result ? "" : describe(result.error()).c_str());
        QVERIFY(result->ok());
        QCOMPARE(result->verify->checks.size(), std::size_t{15}); // 3 size sets × 5 seeds
        QVERIFY(result->bench->estimated);
        QVERIFY(result->bench->time.median_us > 0);
        QVERIFY(result->bench->baselines.front().ratio > 1.05);
        QCOMPARE(result->reward->value, 3.0);
        QCOMPARE(result->configuration.at("BLOCK"), std::int64_t{128});
    }

    void a_fault_while_timed_is_the_candidates() {
        // Verified at n = 512, timed at n = 4096.
        const auto result = evaluate(candidate("if (i < n) y[n == 4096 ? i + n : i] = 3.0f * x[i];"), {},
                                     std::string(kTask) + "[sim.sizes]\nn = 512\n");
        QVERIFY2(result, result ? "" : describe(result.error()).c_str());
        QVERIFY(result->verify->ok);
        QVERIFY(!result->ok());
        QVERIFY(result->bench->wrong && result->bench->fault);
        QCOMPARE(result->bench->fault->kind, device::FaultKind::out_of_bounds);
        QCOMPARE(result->bench->fault->where.line, 5);
        QCOMPARE(result->reward->value, -1.0);
        QCOMPARE(result->reward->because, result->bench->problem);
    }

    void not_ending_while_timed_is_the_candidates() {
        ScriptedExecutor executor(executor_, "bench", fail(Stage::bench, ErrorCode::timeout, "took too long"));
        const auto result = evaluate_with(executor, candidate("if (i < n) y[i] = 3.0f * x[i];"));
        QVERIFY(result && !result->ok());
        QCOMPARE(result->bench->fault->kind, device::FaultKind::endless_loop);
        QCOMPARE(result->reward->value, -1.0);
    }

    void a_strange_answer_is_an_error() {
        ScriptedExecutor executor(executor_, "verify", Json{{"ok", "perhaps"}});
        const auto result = evaluate_with(executor, candidate("if (i < n) y[i] = 3.0f * x[i];"));
        QVERIFY(!result);
        QCOMPARE(exit_code(result.error()), 3);
    }

    void a_baseline_that_faults_is_the_tasks() {
        std::string toml = kTask;
        toml.replace(toml.find("[\"reference.cu\"]"), 16, "[\"scale.cu\"]");
        toml.replace(toml.find("kernel = \"scale.cu\""), 19, "kernel = \"reference.cu\"");
        const auto result = evaluate(candidate("if (i < n) y[n == 4096 ? i + n : i] = 3.0f * x[i];"), {}, toml);
        QVERIFY(!result);
        QCOMPARE(exit_code(result.error()), 2);
        QVERIFY(result.error().message.find("baseline scale.cu") != std::string::npos);
    }

    void the_timed_case_is_timed() {
        std::string toml = kTask;
        toml.replace(toml.find("n = 1001"), 8, "n = 1001\ntimed = true");
        const auto result = evaluate(candidate("if (i < n) y[i] = 3.0f * x[i];"), {}, toml);
        QVERIFY(result && result->ok());
        QCOMPARE(result->bench->sizes, (task::Sizes{{"n", 1001}}));
    }

    void a_task_of_given_outputs_needs_no_reference() {
        const std::vector<float> in{1, 2, 3, 4}, out{3, 6, 9, 12};
        const std::string toml = "name = \"scale\"\nkernel = \"scale.cu\"\n[sizes]\nn = 4\n"
                                 "[[tensor]]\nname = \"x\"\ntype = \"f32\"\nshape = [\"n\"]\nrole = \"input\"\n"
                                 "file = \"x.npy\"\n"
                                 "[[tensor]]\nname = \"y\"\ntype = \"f32\"\nshape = [\"n\"]\nrole = \"output\"\n"
                                 "expected = \"y.npy\"\n";
        const auto with = [&](const std::string& body) {
            const task::Files files{
                {"task.toml", toml}, {"scale.cu", candidate(body)}, {"x.npy", npy(in)}, {"y.npy", npy(out)}};
            return pipeline::evaluate(files, {}, *compiler_, executor_, {}, [](std::string_view, double) {});
        };
        const auto right = with("if (i < n) y[i] = 3.0f * x[i];");
        QVERIFY2(right, right ? "" : describe(right.error()).c_str());
        QVERIFY(right->ok());
        QVERIFY(right->bench->baselines.empty());
        QCOMPARE(right->reward->value, 1.0);
        QVERIFY(right->reward->because.find("no baseline") != std::string::npos);
        const auto wrong = with("if (i < n) y[i] = 2.0f * x[i];");
        QVERIFY(wrong && !wrong->ok());
        QCOMPARE(wrong->reward->value, -1.0);
    }

    void a_launch_that_cannot_start_is_the_candidates() {
        const std::string kernel = "__global__ void k(const float* x, float* y, int n) { y[0] = x[0]; }\n";
        const auto result = evaluate("// grid\n//@ launch k<<<1000000, 256>>>(x, y, n) cooperative\n" + kernel);
        QVERIFY2(result, result ? "" : describe(result.error()).c_str());
        QVERIFY(!result->ok());
        QVERIFY(result->verify->fault);
        QCOMPARE(result->verify->fault->kind, device::FaultKind::launch_failure);
        QCOMPARE(result->verify->fault->where.file, std::string("scale.cu"));
        QCOMPARE(result->verify->fault->where.line, 2);
        QVERIFY(result->verify->because.find("cooperative") != std::string::npos);
        QCOMPARE(result->reward->value, -1.0);
    }

    void what_a_kernel_prints_is_bounded() {
        std::string text(std::size_t{1} << 19, 'a');
        append_output(text, "b");
        QCOMPARE(text.back(), 'b');
        append_output(text, std::string(((std::size_t{1} << 19) - 2), 'c') + "\xC3\xA4");
        QVERIFY(text.size() < (std::size_t{1} << 20) + 64);
        QVERIFY(text.ends_with("c\n[the rest of the output is left out]\n"));
        const auto size = text.size();
        append_output(text, "more");
        QCOMPARE(text.size(), size);
    }

    void a_wrong_value_is_found_and_located() {
        const auto result = evaluate(candidate("if (i < n) y[i] = i == 1000 ? 0.5f : 3.0f * x[i];"));
        QVERIFY(result);
        QVERIFY(!result->ok());
        QCOMPARE(result->reward->value, -1.0);
        QVERIFY(!result->bench);
        QVERIFY(result->verify->because.find("y[1000]") != std::string::npos);
    }

    void an_element_never_written_is_found() {
        const auto result = evaluate(candidate("if (i < n - 1) y[i] = 3.0f * x[i];"));
        QVERIFY(result && !result->ok());
        QVERIFY(result->verify->checks.front().comparison.nan > 0);
    }

    void out_of_bounds_names_line_block_and_thread() {
        const auto result = evaluate(candidate("y[i] = 3.0f;"));
        QVERIFY(result && !result->ok());
        const auto& fault = result->verify->fault;
        QVERIFY(fault);
        QCOMPARE(fault->kind, device::FaultKind::out_of_bounds);
        QCOMPARE(fault->where.file, std::string("scale.cu"));
        QCOMPARE(fault->where.line, 5);
        QVERIFY(fault->block && fault->thread);
    }

    void a_modified_input_is_found() {
        const auto result = evaluate(candidate("if (i < n) { y[i] = 3.0f * x[i]; const_cast<float*>(x)[i] = 0; }"));
        QVERIFY(result && !result->ok());
        QVERIFY(result->verify->because.find("modified its input x") != std::string::npos);
    }

    void a_kernel_that_never_ends_is_stopped() {
        const auto result =
            evaluate(candidate("volatile float* p = y; if (i == 0) for (p[0] = 0; p[0] != 12345.0f;) ;"));
        QVERIFY2(result, result ? "" : describe(result.error()).c_str());
        QVERIFY(!result->ok());
        QCOMPARE(result->verify->fault->kind, device::FaultKind::endless_loop);
        QCOMPARE(result->reward->value, -1.0);
    }

    void what_does_not_compile_is_a_verdict() {
        const auto result = evaluate(candidate("y[i] = missing;"));
        QVERIFY(result);
        QVERIFY(!result->compile.ok);
        QCOMPARE(result->compile.diagnostics.front().line, 5);
        QCOMPARE(result->reward->value, -1.0);
        QVERIFY(!result->verify);
    }

    void directive_faults_of_the_candidate_are_diagnostics_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("expected");
        const QString kernel = QStringLiteral("__global__ void k(const float* x, float* y, int n) {}\n");
        QTest::newRow("unknown tensor") << "//@ launch k<<<1, 32>>>(x, z, n)\n" + kernel << "z";
        QTest::newRow("no launch") << kernel << "launch";
        QTest::newRow("empty file") << QString() << "launch";
        QTest::newRow("block of 0") << "//@ launch k<<<1, n - n>>>(x, y, n)\n" + kernel << "block";
        QTest::newRow("block too large") << "//@ launch k<<<1, 2048>>>(x, y, n)\n" + kernel << "1024";
        QTest::newRow("wrong type") << "//@ launch k<<<1, 32>>>(x, n, n)\n" + kernel << "float*";
        QTest::newRow("wrong count") << "//@ launch k<<<1, 32>>>(x, y)\n" + kernel << "parameters";
        QTest::newRow("unknown kernel") << "//@ launch q<<<1, 32>>>(x, y, n)\n" + kernel << "q";
        QTest::newRow("outside include") << "#include \"/etc/hostname\"\n//@ launch k<<<1, 32>>>(x, y, n)\n" + kernel
                                         << "/etc/hostname";
        QTest::newRow("registers") << "//@ launch k<<<1, 1024>>>(x, y, n)\n"
                                      "__global__ void k(const float* x, float* y, int n) {\n"
                                      "    float a[100];\n"
                                      "    #pragma unroll\n"
                                      "    for (int i = 0; i < 100; ++i) a[i] = x[i * n];\n"
                                      "    __syncthreads();\n"
                                      "    float s = 0;\n"
                                      "    #pragma unroll\n"
                                      "    for (int i = 0; i < 100; ++i) s = s * a[99 - i] + a[i];\n"
                                      "    y[0] = s;\n}\n"
                                   << "registers";
        QTest::newRow("launch bounds") << "//@ launch k<<<1, 256>>>(x, y, n)\n__global__ void __launch_bounds__(128) "
                                          "k(const float* x, float* y, int n) {}\n"
                                       << "__launch_bounds__";
    }
    void directive_faults_of_the_candidate_are_diagnostics() {
        QFETCH(QString, source);
        QFETCH(QString, expected);
        const auto result = evaluate(source.toStdString());
        QVERIFY2(result, result ? "" : describe(result.error()).c_str());
        QVERIFY(!result->compile.ok);
        QCOMPARE(result->reward->value, -1.0);
        const auto& diagnostic = result->compile.diagnostics.front();
        QVERIFY2(diagnostic.message.find(expected.toStdString()) != std::string::npos, diagnostic.message.c_str());
        QCOMPARE(diagnostic.file, std::string("scale.cu"));
    }

    void faults_of_the_task_are_errors() {
        const std::string good = candidate("if (i < n) y[i] = 3.0f * x[i];");
        const auto broken_reference = evaluate(good, {}, kTask, "//@ launch scale_slow<<<1, 1>>>(x, y, n)\nint;;;(\n");
        QVERIFY(!broken_reference);
        QCOMPARE(exit_code(broken_reference.error()), 2);
        QVERIFY(broken_reference.error().message.find("reference.cu") != std::string::npos);

        std::string lenient = kTask;
        lenient.replace(lenient.find("atol = 1e-6"), 11, "atol = 1e+6");
        const auto passes_zeros = evaluate(good, {}, lenient);
        QVERIFY(!passes_zeros);
        QCOMPARE(exit_code(passes_zeros.error()), 2);
    }

    void a_reference_that_writes_its_input_is_an_error() {
        const auto result = evaluate(candidate("if (i < n) y[i] = 3.0f * x[i];"), {}, kTask,
                                     "//@ launch slow<<<1, 1>>>(x, y, n)\n"
                                     "__global__ void slow(float* x, float* y, int n) {\n"
                                     "    for (int i = 0; i < n; ++i) { y[i] = 3.0f * x[i]; x[i] = 0; }\n}\n");
        QVERIFY(!result);
        QCOMPARE(exit_code(result.error()), 2);
        QVERIFY(result.error().message.find("modifies its input x") != std::string::npos);
    }

    void a_wrong_baseline_is_an_error() {
        std::string toml = kTask;
        toml.replace(toml.find("[\"reference.cu\"]"), 16, "[\"fast.cu\"]");
        const task::Files files{
            {"task.toml", toml},
            {"scale.cu", candidate("if (i < n) y[i] = 3.0f * x[i];")},
            {"reference.cu", kReference},
            {"fast.cu", "//@ launch fast<<<1, 32>>>(y)\n__global__ void fast(float* y) { y[0] = 1; }\n"}};
        const auto result = pipeline::evaluate(files, {}, *compiler_, executor_, {}, [](std::string_view, double) {});
        QVERIFY(!result);
        QCOMPARE(exit_code(result.error()), 2);
        QVERIFY(result.error().message.find("baseline fast.cu is wrong") != std::string::npos);
    }

    void too_much_memory_is_refused_before_anything_runs() {
        std::string huge = kTask;
        huge.replace(huge.find("n = 4096"), 8, "n = 4000000000");
        const auto result =
            evaluate(candidate("if (i < n) y[i] = 3.0f * x[i];"), {.memory_limit_bytes = 1u << 30}, huge);
        QVERIFY(!result);
        QCOMPARE(exit_code(result.error()), 2);
        QVERIFY(result.error().message.find("GB") != std::string::npos);
    }

    void tunables_can_be_set() {
        const std::string good = candidate("if (i < n) y[i] = 3.0f * x[i];");
        const auto result = evaluate(good, {.configuration = {{"BLOCK", 256}}});
        QVERIFY(result && result->ok());
        QCOMPARE(result->compile.kernels.front().name, std::string("scale<256>"));
        const auto unknown = evaluate(good, {.configuration = {{"BLOK", 256}}});
        QVERIFY(!unknown);
        QCOMPARE(exit_code(unknown.error()), 2);
    }

    void a_fixed_seed_repeats_exactly() {
        const std::string wrong = candidate("if (i < n) y[i] = 3.00001f * x[i];");
        const auto first = evaluate(wrong, {.seed = 7});
        const auto second = evaluate(wrong, {.seed = 7});
        QVERIFY(first && second && !first->ok());
        QCOMPARE(first->verify->because, second->verify->because);
        QCOMPARE(first->verify->seed, std::uint64_t{7});
        const auto drawn = evaluate(wrong);
        QVERIFY(drawn);
        const auto again = evaluate(wrong, {.seed = drawn->verify->seed});
        QVERIFY(again);
        QCOMPARE(again->verify->because, drawn->verify->because);
        const auto other = evaluate(wrong, {.seed = 8});
        QVERIFY(other && other->verify->because != first->verify->because);
    }

    void the_reference_is_compiled_once() {
        const auto hits = compiler_->hits();
        QVERIFY(evaluate(candidate("if (i < n) y[i] = x[i] * 3.0f;")));
        QVERIFY(compiler_->hits() > hits);
    }

    void profile_lists_counters_by_line() {
        const auto result =
            evaluate(candidate("if (i < n) y[i] = 3.0f * x[i];"),
                     {.stages = {.verify = false, .bench = false, .profile = true}, .profiling = {.set = "full"}});
        QVERIFY2(result, result ? "" : describe(result.error()).c_str());
        QVERIFY(result->profile);
        const auto report = profile::report_from_json(*result->profile);
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QVERIFY(report->estimated && !report->fault);
        QCOMPARE(report->sizes.at("n"), 4096);
        const auto& launch = report->launches.at(0);
        QCOMPARE(launch.kernel, std::string("scale<128>"));
        QCOMPARE(launch.metrics.at("global_store_sectors"), 4096 * 4 / 32.0);
        QCOMPARE(launch.metrics.at("sectors_per_load"), 4.0);
        QCOMPARE(launch.metrics.at("flops_fp32"), 4096.0);
        QVERIFY(launch.metrics.at("duration_us") > 0);
        QVERIFY(!launch.limited_by.empty());
        const auto line = std::ranges::find_if(
            launch.lines, [](const auto& each) { return each.values.contains("global_store_sectors"); });
        QVERIFY(line != launch.lines.end());
        QCOMPARE(line->file, std::string("scale.cu"));
        QCOMPARE(report->activities.size(), 1u);
        QCOMPARE(report->rungs.size(), 4u);
        QVERIFY(!result->bench && !result->reward);
    }

    void a_profile_that_fails_is_no_verdict_data() {
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("reason");
        QTest::newRow("timeout") << static_cast<int>(ErrorCode::timeout)
                                 << "profiling did not finish within 120 s and was stopped";
        QTest::newRow("crash") << static_cast<int>(ErrorCode::crashed) << "it broke";
    }
    void a_profile_that_fails_is_no_verdict() {
        QFETCH(int, code);
        QFETCH(QString, reason);
        ScriptedExecutor executor(executor_, "profile", fail(Stage::device, static_cast<ErrorCode>(code), "it broke"));
        const task::Files files{{"task.toml", kTask},
                                {"scale.cu", candidate("if (i < n) y[i] = 3.0f * x[i];")},
                                {"reference.cu", kReference}};
        const auto result = pipeline::evaluate(files, {.stages = {.verify = true, .bench = true, .profile = true}},
                                               *compiler_, executor, {}, [](std::string_view, double) {});
        QVERIFY2(result, result ? "" : describe(result.error()).c_str());
        QVERIFY(result->ok());
        QVERIFY(result->reward->value >= 1);
        const auto report = profile::report_from_json(*result->profile);
        QVERIFY(report);
        QCOMPARE(report->rungs.size(), 4u);
        for (const auto& rung : report->rungs) {
            QVERIFY(rung.state == profile::RungState::State::failed);
            QVERIFY2(QString::fromStdString(rung.reason).contains(reason), rung.reason.c_str());
        }
    }

    void a_strange_profile_is_one_that_failed() {
        ScriptedExecutor executor(executor_, "profile", Json{{"launches", 3}});
        const task::Files files{{"task.toml", kTask},
                                {"scale.cu", candidate("if (i < n) y[i] = 3.0f * x[i];")},
                                {"reference.cu", kReference}};
        const auto result = pipeline::evaluate(files, {.stages = {.verify = false, .bench = false, .profile = true}},
                                               *compiler_, executor, {}, [](std::string_view, double) {});
        QVERIFY(result && result->ok());
        const auto report = profile::report_from_json(*result->profile);
        QVERIFY(report);
        QVERIFY(report->rungs.front().reason.find("'device' is missing") != std::string::npos);
    }

    void a_fault_while_profiled_is_in_the_profile() {
        const auto result =
            evaluate(candidate("y[i + n] = x[i];"), {.stages = {.verify = false, .bench = false, .profile = true}});
        QVERIFY2(result, result ? "" : describe(result.error()).c_str());
        const auto report = profile::report_from_json(*result->profile);
        QVERIFY(report && report->fault);
        QCOMPARE(report->fault->kind, device::FaultKind::out_of_bounds);
        QVERIFY(report->rungs.front().state == profile::RungState::State::failed);
    }

    void only_what_is_asked_for_is_profiled() {
        Options options{.stages = {.verify = false, .bench = false, .profile = true}};
        options.profiling.metrics = {"sectors_per_load"};
        options.profiling.rungs = {profile::Rung::counters};
        const auto result = evaluate(candidate("if (i < n) y[i] = 3.0f * x[i];"), options);
        QVERIFY(result);
        const auto report = profile::report_from_json(*result->profile);
        QVERIFY(report);
        QCOMPARE(report->launches.at(0).metrics.size(), 1u);
        QCOMPARE(report->rungs.size(), 1u);
        QVERIFY(report->activities.empty());
        options.profiling.metrics = {"sectors_per_lod"};
        const auto unknown = evaluate(candidate("if (i < n) y[i] = 3.0f * x[i];"), options);
        QVERIFY(!unknown);
        QCOMPARE(exit_code(unknown.error()), 2);
        QVERIFY(unknown.error().message.find("did you mean 'sectors_per_load'?") != std::string::npos);
    }

    void a_stop_request_cancels() {
        std::stop_source stop;
        stop.request_stop();
        const task::Files files{{"task.toml", kTask},
                                {"scale.cu", candidate("if (i < n) y[i] = 4.0f * x[i];")},
                                {"reference.cu", kReference}};
        const auto result =
            pipeline::evaluate(files, {}, *compiler_, executor_, stop.get_token(), [](std::string_view, double) {});
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::cancelled);
    }
};

QTEST_APPLESS_MAIN(TestEvaluate)
#include "test_evaluate.moc"
