#include "engine/rpc/outputs_client.h"
#include "engine/rpc/wire.h"
#include "engine/verify/output_json.h"
#include "tests/cli/task_folder.h"

#include <QtTest/QtTest>

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <future>
#include <limits>

using kw::Json;
using kw::Result;
using kw::pipeline::OutputsQuery;
using kw::rpc::OutputsRun;
using kw::rpc::WorkerClient;

/// `outputs` and its further methods, through `kw-worker serve` and the client that the desktop program uses.
class OutputsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() {
        if (!compiler_.empty()) QSKIP(compiler_.c_str());
    }
    void repeats_an_evaluations_check();
    void answers_about_regions();
    void says_what_would_pass();
    void finds_who_wrote_an_element();
    void tells_unwritten_and_nan_apart();
    void shows_what_was_written_before_a_fault();
    void says_why_there_is_nothing();
    void refuses_hostile_parameters_data();
    void refuses_hostile_parameters();
    void keeps_two_runs();
    void outlives_its_worker();
    void no_two_workers_share_a_handle();
    void compiles_without_arrays();

private:
    static kw::task::Files files(std::string_view body = kw::test::kRight) {
        return {{"task.toml", std::string{kw::test::kTask}},
                {"reference.cu", std::string{kw::test::kReference}},
                {"scale.cu", kw::test::candidate(body)}};
    }
    static kw::pipeline::Options on_simulator() {
        kw::pipeline::Options options;
        options.device = "sim";
        return options;
    }
    Result<OutputsRun> run(const kw::task::Files& files, const OutputsQuery& query = {}) {
        std::promise<Result<OutputsRun>> promise;
        kw::rpc::outputs_async(worker_, files, on_simulator(), query,
                               [&](Result<OutputsRun> run) { promise.set_value(std::move(run)); });
        return promise.get_future().get();
    }
    Result<Json> call(const std::string& method, Json params) {
        std::promise<Result<Json>> promise;
        worker_->call_async(method, std::move(params), [&](Result<Json> json) { promise.set_value(std::move(json)); });
        return promise.get_future().get();
    }
    template<class T, class Ask> static Result<T> wait(Ask ask) {
        std::promise<Result<T>> promise;
        ask([&](Result<T> answer) { promise.set_value(std::move(answer)); });
        return promise.get_future().get();
    }
    static Result<kw::verify::WriterReport> writers(const OutputsRun& run, std::uint64_t index) {
        return wait<kw::verify::WriterReport>([&](auto answer) { run.source->writers(0, index, answer); });
    }

    std::string compiler_;
    static std::shared_ptr<WorkerClient> start() {
        return std::make_shared<WorkerClient>(
            kw::rpc::WorkerCommand{{kw::test::program("kw-worker"), "serve"}, "the worker"});
    }

    std::shared_ptr<WorkerClient> worker_ = start();
};

#define VERIFY_RESULT(result) QVERIFY2((result).has_value(), (result) ? "" : (result).error().message.c_str())

constexpr std::string_view kThirdWrong = "if (i < n) y[i] = factor * x[i] * (i % 3 == 1 ? 1.01f : 1.0f);";

void OutputsTest::initTestCase() {
    const auto compiled = worker_->compile({.files = {{"a.cu", "__global__ void f() {}"}}, .main = "a.cu"});
    if (!compiled) compiler_ = "not run: " + compiled.error().message;
}

void OutputsTest::repeats_an_evaluations_check() {
    auto options = on_simulator();
    options.stages = {.verify = true, .bench = false, .profile = false};
    const auto evaluation = worker_->evaluate(files(kThirdWrong), options);
    VERIFY_RESULT(evaluation);
    for (const std::size_t at : {std::size_t{1}, std::size_t{7}}) {
        const auto& check = evaluation->verify->checks[at];
        const auto again = run(files(kThirdWrong), {.sizes = check.sizes, .seed = check.seed});
        VERIFY_RESULT(again);
        QCOMPARE(again->seed, check.seed);
        QVERIFY(again->sizes == check.sizes);
        QVERIFY(!again->ok && again->source);
        const auto& comparison = again->tensors.at(0).comparison;
        QCOMPARE(comparison.mismatches, check.comparison.mismatches);
        QCOMPARE(comparison.max_abs, check.comparison.max_abs);
        QVERIFY(comparison.first_mismatch->actual_text == check.comparison.first_mismatch->actual_text);
    }
}

void OutputsTest::answers_about_regions() {
    const auto wrong = run(files(kThirdWrong));
    VERIFY_RESULT(wrong);
    const auto cells = wait<kw::verify::Cells>([&](auto answer) {
        wrong->source->cells({.region = {0, 7, 0, 300}, .row_step = 8, .column_step = 512}, answer);
    });
    VERIFY_RESULT(cells);
    QCOMPARE(cells->cells.size(), std::size_t{1});
    QCOMPARE(std::uint64_t{cells->cells[0].mismatches}, wrong->tensors[0].comparison.mismatches);
    const auto values = wait<kw::verify::Values>([&](auto answer) { wrong->source->values(0, {0, 1, 0, 3}, answer); });
    VERIFY_RESULT(values);
    float expected[3], actual[3];
    QCOMPARE(values->expected.size(), sizeof expected);
    std::memcpy(expected, values->expected.data(), sizeof expected);
    std::memcpy(actual, values->actual.data(), sizeof actual);
    QCOMPARE(expected[0], actual[0]);
    QVERIFY(std::abs(actual[1] / expected[1] - 1.01f) < 1e-4f);
    const auto next =
        wait<std::optional<std::uint64_t>>([&](auto answer) { wrong->source->next_mismatch(0, 1, true, {}, answer); });
    VERIFY_RESULT(next);
    QCOMPARE(next->value(), std::uint64_t{4});
}

void OutputsTest::says_what_would_pass() {
    const auto wrong = run(files(kThirdWrong));
    VERIFY_RESULT(wrong);
    const auto histogram = wait<kw::verify::ErrorHistogram>([&](auto answer) { wrong->source->histogram(0, answer); });
    VERIFY_RESULT(histogram);
    QCOMPARE(histogram->elements, std::uint64_t{2100});
    for (const double rtol : {1e-5, 0.005, 0.0099, 0.0101, 0.02}) {
        const auto mismatches =
            wait<std::uint64_t>([&](auto answer) { wrong->source->mismatches(0, {1e-5, rtol}, answer); });
        VERIFY_RESULT(mismatches);
        const auto passing = histogram->joint.passing({1e-5, rtol});
        QVERIFY(passing.at_least <= 2100 - *mismatches && 2100 - *mismatches <= passing.at_most);
        if (rtol > 0.01) QCOMPARE(*mismatches, std::uint64_t{0});
    }
}

void OutputsTest::finds_who_wrote_an_element() {
    const auto wrong = run(files(kThirdWrong));
    VERIFY_RESULT(wrong);
    const auto report = writers(*wrong, 1000);
    VERIFY_RESULT(report);
    QCOMPARE(report->writes.size(), std::size_t{1});
    const auto& write = report->writes[0];
    // 128 threads a block.
    QCOMPARE(write.block.x, 7u);
    QCOMPARE(write.thread.x, 104u);
    QCOMPARE(write.where.file, std::string{"scale.cu"});
    QCOMPARE(write.where.line, 6);
    QVERIFY(!write.atomic && !report->origin && report->note.empty());
}

void OutputsTest::tells_unwritten_and_nan_apart() {
    const auto odd =
        run(files("if (i >= n || i == 5) return;\n    float v = x[i];\n    if (i == 9) v = (v - v) / (v - v);\n"
                  "    if (i == 11) v = 1.0f / (v - v);\n    y[i] = factor * v;"));
    VERIFY_RESULT(odd);
    const auto unwritten = writers(*odd, 5);
    VERIFY_RESULT(unwritten);
    QVERIFY(unwritten->writes.empty());
    QVERIFY2(unwritten->note.find("no thread wrote it") != std::string::npos, unwritten->note.c_str());
    const auto nan = writers(*odd, 9);
    VERIFY_RESULT(nan);
    QCOMPARE(nan->writes.size(), std::size_t{1});
    QCOMPARE(nan->writes[0].thread.x, 9u);
    QCOMPARE(nan->writes[0].where.line, 10);
    QVERIFY(nan->origin.has_value());
    QCOMPARE(nan->origin->where.line, 8);
    const auto infinite = writers(*odd, 11);
    VERIFY_RESULT(infinite);
    QVERIFY(infinite->origin.has_value());
    QCOMPARE(infinite->origin->where.line, 9);
}

void OutputsTest::shows_what_was_written_before_a_fault() {
    const auto faulting =
        run(files("if (i < n) y[i] = factor * x[i];\n    __syncthreads();\n    if (i == n - 1) y[n + 4096] = 1.0f;"));
    VERIFY_RESULT(faulting);
    QVERIFY(!faulting->ok && faulting->fault && faulting->source);
    QCOMPARE(faulting->fault->kind, kw::device::FaultKind::out_of_bounds);
    QVERIFY(faulting->tensors[0].comparison.mismatches < 2100);
}

void OutputsTest::says_why_there_is_nothing() {
    const auto broken = run(files("this is no code"));
    VERIFY_RESULT(broken);
    QVERIFY(!broken->ok && !broken->compile.ok && !broken->source);
    QVERIFY(!broken->compile.diagnostics.empty());
    const auto no_case = run(files(), {.case_index = 2});
    QVERIFY(!no_case && no_case.error().message.find("no case 2") != std::string::npos);
    const auto no_sizes = run(files(), {.sizes = kw::task::Sizes{{"rows", 1}}});
    QVERIFY(!no_sizes && no_sizes.error().message.find("rows=1") != std::string::npos);
}

void OutputsTest::refuses_hostile_parameters_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<QString>("params");
    const auto row = [](const char* name, const char* method, const char* params) {
        QTest::newRow(name) << QString::fromLatin1(method) << QString::fromLatin1(params);
    };
    row("no files", "outputs", "{}");
    row("case of text", "outputs", R"({"files": {}, "case": "x"})");
    row("negative case", "outputs", R"({"files": {}, "case": -1})");
    row("no parameters", "outputs/region", "{}");
    row("null", "outputs/region", "null");
    row("no such handle", "outputs/region", R"({"handle": 999999, "tensor": 0, "rows": [0, 1], "columns": [0, 1]})");
    row("handle of text", "outputs/region", R"({"handle": "1", "tensor": 0, "rows": [0, 1], "columns": [0, 1]})");
    row("no such tensor", "outputs/region", R"({"handle": H, "tensor": 7, "rows": [0, 1], "columns": [0, 1]})");
    row("unknown tensor", "outputs/region", R"({"handle": H, "tensor": "x", "rows": [0, 1], "columns": [0, 1]})");
    row("negative rows", "outputs/region", R"({"handle": H, "tensor": 0, "rows": [-1, 1], "columns": [0, 1]})");
    row("fractions", "outputs/region", R"({"handle": H, "tensor": 0, "rows": [0.5, 1], "columns": [0, 1]})");
    row("one row bound", "outputs/region", R"({"handle": H, "tensor": 0, "rows": [0], "columns": [0, 1]})");
    row("too large", "outputs/region", R"({"handle": H, "tensor": 0, "rows": [0, 1e30], "columns": [0, 1]})");
    row("step of zero", "outputs/region",
        R"({"handle": H, "tensor": 0, "rows": [0, 1], "columns": [0, 1], "step": [0, 1]})");
    row("step of text", "outputs/region",
        R"({"handle": H, "tensor": 0, "rows": [0, 1], "columns": [0, 1], "step": "x"})");
    row("one step", "outputs/region", R"({"handle": H, "tensor": 0, "rows": [0, 1], "columns": [0, 1], "step": [1]})");
    row("unknown what", "outputs/region",
        R"({"handle": H, "tensor": 0, "rows": [0, 1], "columns": [0, 1], "what": "secrets"})");
    row("negative tolerance", "outputs/tolerance", R"({"handle": H, "tensor": 0, "atol": -1, "rtol": 0})");
    row("no tolerance", "outputs/tolerance", R"({"handle": H, "tensor": 0})");
    row("element beyond", "outputs/writers", R"({"handle": H, "tensor": 0, "index": 2100})");
    row("element of text", "outputs/writers", R"({"handle": H, "tensor": 0, "index": "0"})");
    row("next beyond", "outputs/next", R"({"handle": H, "tensor": 0, "index": 99999999999})");
    row("no handle to release", "outputs/release", "{}");
}

void OutputsTest::refuses_hostile_parameters() {
    QFETCH(QString, method);
    QFETCH(QString, params);
    const auto right = call("outputs", kw::rpc::outputs_params(files(), on_simulator(), {}));
    VERIFY_RESULT(right);
    params.replace(QStringLiteral(" H,"), QStringLiteral(" %1,").arg(right->at("handle").get<std::uint64_t>()));
    const auto answer = call(method.toStdString(), Json::parse(params.toStdString()));
    QVERIFY(!answer);
    QVERIFY2(answer.error().code == kw::ErrorCode::invalid_input || answer.error().code == kw::ErrorCode::not_found,
             answer.error().message.c_str());
    // It still answers.
    VERIFY_RESULT(call("outputs/histogram", {{"handle", right->at("handle")}, {"tensor", "y"}}));
}

void OutputsTest::keeps_two_runs() {
    const auto first = call("outputs", kw::rpc::outputs_params(files(), on_simulator(), {.seed = 1}));
    const auto second = call("outputs", kw::rpc::outputs_params(files(), on_simulator(), {.seed = 2}));
    VERIFY_RESULT(first);
    VERIFY_RESULT(second);
    const auto look = [&](const Result<Json>& run) {
        return call("outputs/histogram", {{"handle", run->at("handle")}, {"tensor", 0}});
    };
    VERIFY_RESULT(look(first)); // used last now
    const auto third = call("outputs", kw::rpc::outputs_params(files(), on_simulator(), {.seed = 3}));
    VERIFY_RESULT(third);
    VERIFY_RESULT(look(first));
    QCOMPARE(look(second).error().code, kw::ErrorCode::not_found);
    VERIFY_RESULT(call("outputs/release", {{"handle", first->at("handle")}}));
    QCOMPARE(look(first).error().code, kw::ErrorCode::not_found);
    VERIFY_RESULT(look(third));
}

void OutputsTest::outlives_its_worker() {
    auto wrong = run(files(kThirdWrong));
    VERIFY_RESULT(wrong);
    worker_ = start();
    const auto gone = writers(*wrong, 1);
    QVERIFY(!gone);
    QCOMPARE(gone.error().code, kw::ErrorCode::not_found);
    wrong->source.reset(); // asks nobody to release what is gone
    VERIFY_RESULT(run(files()));
}

void OutputsTest::no_two_workers_share_a_handle() {
    const auto params = kw::rpc::outputs_params(files(), on_simulator(), {});
    const auto before = call("outputs", params);
    VERIFY_RESULT(before);
    worker_->shutdown();
    const auto after = call("outputs", params);
    VERIFY_RESULT(after);
    QVERIFY(before->at("handle") != after->at("handle"));
    QVERIFY(after->at("handle").get<std::uint64_t>() < std::uint64_t{1} << 53);
    // A late word about the first worker's run does nothing to this one's.
    VERIFY_RESULT(call("outputs/release", {{"handle", before->at("handle")}}));
    VERIFY_RESULT(call("outputs/histogram", {{"handle", after->at("handle")}, {"tensor", 0}}));
}

void OutputsTest::compiles_without_arrays() {
    auto with_array = files();
    auto& task = with_array["task.toml"];
    const std::string_view fill = "fill = \"normal\"";
    const auto at = task.find(fill);
    QVERIFY(at != std::string::npos);
    task.replace(at, fill.size(), "file = \"x.npy\"");
    with_array["x.npy"] = "not looked at, and not sent";
    const auto compiled = worker_->compile({.files = with_array, .main = "", .device = "sim"});
    VERIFY_RESULT(compiled);
    QVERIFY(compiled->at("ok").get<bool>());
}

QTEST_GUILESS_MAIN(OutputsTest)
#include "test_outputs.moc"
