#include "engine/pipeline/evaluation.h"
#include "engine/pipeline/job.h"

#include <QTest>

using namespace kw;
using namespace kw::pipeline;

namespace {

Evaluation sample() {
    Evaluation evaluation;
    evaluation.task = "softmax";
    evaluation.candidate = "softmax.cu";
    evaluation.source_sha256 = std::string(64, 'a');
    evaluation.configuration = {{"BLOCK", 256}};
    evaluation.device.id = "sim:h200";
    evaluation.device.name = "NVIDIA H200";
    evaluation.compile.ok = true;
    evaluation.compile.milliseconds = 96;
    compile::Diagnostic warning{.severity = compile::Severity::warning,
                                .file = "softmax.cu",
                                .line = 3,
                                .column = 7,
                                .message = "variable \"v\" was declared but never referenced",
                                .code = "177",
                                .notes = {}};
    warning.notes.push_back({.severity = compile::Severity::note,
                             .file = "a.cuh",
                             .line = 1,
                             .column = 1,
                             .message = "here",
                             .code = {},
                             .notes = {}});
    evaluation.compile.diagnostics.push_back(warning);
    compile::Kernel kernel;
    kernel.name = "softmax<256>";
    kernel.lowered = "_Z7softmaxILi256EEvPKfPfii";
    kernel.registers = 32;
    kernel.parameters.push_back(
        {.type = "float const*", .pointer = true, .offset = 0, .bytes = 8, .align = 8, .ptx_type = "u64"});
    evaluation.compile.kernels.push_back(kernel);
    Check check;
    check.sizes = {{"rows", 33}};
    check.seed = (1ull << 53) - 1;
    check.tensor = "y";
    check.comparison.elements = 33000;
    check.comparison.mismatches = 2;
    check.comparison.first_mismatch = verify::Mismatch{
        .index = 7, .coordinates = {0, 7}, .expected = 1, .actual = 2, .expected_text = "1", .actual_text = "2"};
    evaluation.verify = VerifyReport{.ok = false,
                                     .checks = {check},
                                     .fault = {},
                                     .because = "2 of 33000 differ",
                                     .output = "hello\n",
                                     .milliseconds = 5};
    evaluation.verify->fault = device::Fault{.kind = device::FaultKind::out_of_bounds,
                                             .message = "past the end",
                                             .kernel = "k",
                                             .where = {"softmax.cu", 12, 0},
                                             .block = device::Dim3{1, 2, 3},
                                             .thread = device::Dim3{4, 5, 6},
                                             .address = 0x700000001000,
                                             .bytes = 4,
                                             .space = "global",
                                             .allocation = "y"};
    evaluation.verify->seed = (1ull << 53) - 2;
    BenchReport bench;
    bench.estimated = true;
    bench.wrong = true;
    bench.problem = "k failed";
    bench.fault = device::Fault{
        .kind = device::FaultKind::launch_failure, .message = "k failed", .kernel = "k", .space = {}, .allocation = {}};
    bench.sizes = {{"rows", 4096}};
    bench.time = {41.2, 41.2, 41.2, 1};
    bench.baselines.push_back({.name = "reference.cu",
                               .time = {103.1, 103.1, 103.1, 1},
                               .ratio = 2.5,
                               .ratio_ci = {2.5, 2.5},
                               .problem = {}});
    bench.limited_by = {"DRAM"};
    evaluation.bench = bench;
    evaluation.reward = reward::Reward{
        .value = 3, .rule = "cuda-agent", .because = "faster", .speedups = {{"reference.cu", 2.5, {2.5, 2.5}}}};
    evaluation.audit.push_back({.rule = "beats-physics",
                                .severity = audit::Severity::refuse,
                                .where = {"softmax.cu", 4, 0},
                                .evidence = "1 µs for 2 GB",
                                .why = "too fast"});
    return evaluation;
}

} // namespace

class TestEvaluationJson : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void survives_a_round_trip() {
        const Json json = to_json(sample());
        const auto back = evaluation_from_json(Json::parse(json.dump()));
        QVERIFY2(back, back ? "" : back.error().message.c_str());
        QCOMPARE(to_json(*back).dump(), json.dump());
        QCOMPARE(back->verify->checks.front().seed, (std::uint64_t{1} << 53) - 1);
        QCOMPARE(back->verify->fault->thread->y, 5u);
        QCOMPARE(back->verify->seed, (std::uint64_t{1} << 53) - 2);
        QCOMPARE(back->bench->fault->kind, device::FaultKind::launch_failure);
        QVERIFY(!back->ok());
    }

    void has_the_members_of_the_design() {
        const Json json = to_json(sample());
        for (const char* member : {"task", "source_sha256", "device", "compile", "audit", "verify", "bench", "reward"})
            QVERIFY2(json.contains(member), member);
        for (const char* member : {"sizes", "seed", "tensor", "ok", "max_abs", "max_rel", "max_ulp", "mismatches",
                                   "elements", "first_mismatch", "nan"})
            QVERIFY2(json["verify"]["checks"][0].contains(member), member);
        for (const char* member :
             {"estimated", "median_us", "p05_us", "p95_us", "samples", "cold", "ratio_ci", "baselines"})
            QVERIFY2(json["bench"].contains(member), member);
        for (const char* member : {"value", "rule", "because", "speedups"})
            QVERIFY2(json["reward"].contains(member), member);
    }

    void refuses_what_is_not_an_evaluation() {
        QVERIFY(!evaluation_from_json(Json::parse("{}")));
        QVERIFY(!evaluation_from_json(Json::parse("[1]")));
        Json broken = to_json(sample());
        broken["verify"]["checks"] = 7;
        const auto back = evaluation_from_json(broken);
        QVERIFY(!back);
        QVERIFY(back.error().message.starts_with("not an evaluation"));
    }

    void refuses_options_that_would_become_others() {
        for (const char* text :
             {R"({"seed": -1})", R"({"seed": 1.5})", R"({"seed": 1180591620717411303424})",
              R"({"memory_limit_bytes": -1})", R"({"memory_limit_bytes": 1e30})",
              R"({"configuration": {"BLOCK": 1180591620717411303424}})", R"({"configuration": {"BLOCK": 0.5}})",
              R"({"configuration": [1]})", "[]", "null", "5"}) {
            const auto read = options_from_json(Json::parse(text));
            QVERIFY2(!read && read.error().code == ErrorCode::invalid_input, text);
            QVERIFY2(read.error().message.find(" is expected") != std::string::npos, read.error().message.c_str());
        }
        QCOMPARE(options_from_json(Json::parse(R"({"seed": 18446744073709551615})"))->seed.value_or(0),
                 ~std::uint64_t{0});
    }

    void reads_stages() {
        QCOMPARE(*parse_stages("compile"), (Stages{false, false, false, false}));
        QCOMPARE(*parse_stages("verify,profile"), (Stages{true, false, true, false}));
        QCOMPARE(*parse_stages("reward"), (Stages{true, true, false, true}));
        QVERIFY(!parse_stages("verify,,bench"));
        const auto unknown = parse_stages("verify,banana");
        QVERIFY(!unknown && unknown.error().message.find("banana") != std::string::npos);
    }

    void carries_a_job() {
        Job job;
        job.kind = Job::Kind::bench;
        job.files["task.toml"] = "name = \"x\"";
        job.files["x.npy"] = std::string("\x93NUMPY\0\xff", 8);
        job.candidate.file = "a.cu";
        job.candidate.cubin = std::string("\x7f"
                                          "ELF\0",
                                          5);
        job.candidate.configuration = {{"BLOCK", 128}};
        job.seed = 42;
        job.options.device = "sim:a100";
        const auto back = job_from_json(Json::parse(to_json(job).dump()));
        QVERIFY(back);
        QCOMPARE(back->files, job.files);
        QCOMPARE(back->candidate.cubin, job.candidate.cubin);
        QCOMPARE(back->candidate.configuration, job.candidate.configuration);
        QCOMPARE(back->options.device, job.options.device);
        QVERIFY(!back->reference);
        job.reference = job.candidate;
        QCOMPARE(job_from_json(to_json(job))->reference->cubin, job.candidate.cubin);
        QVERIFY(!job_from_json(Json::parse(R"({"kind":"verify"})")));
    }
};

QTEST_APPLESS_MAIN(TestEvaluationJson)
#include "test_evaluation_json.moc"
