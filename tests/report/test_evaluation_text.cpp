#include "engine/report/evaluation_text.h"

#include <QtTest/QtTest>

#include <algorithm>

namespace report = kw::report;
using kw::pipeline::Evaluation;

class EvaluationTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void says_what_was_wrong_after_timing();
    void points_at_a_fault_during_timing();
    void repeats_with_the_seed_of_the_evaluation();
    void prints_names_as_they_are();
    void leaves_out_places_that_are_not_known();
    void shows_the_names_of_the_task();
    void leaves_out_distances_that_say_nothing();

private:
    static Evaluation right() {
        Evaluation evaluation;
        evaluation.task = "scale";
        evaluation.candidate = "scale.cu";
        evaluation.device.name = "NVIDIA H200 (simulated)";
        evaluation.device.arch = "sm_90a";
        evaluation.compile.ok = true;
        evaluation.verify.emplace().ok = true;
        evaluation.verify->seed = 7;
        auto& bench = evaluation.bench.emplace();
        bench.estimated = true;
        bench.sizes = {{"n", 64}};
        bench.time.median_us = 0.85;
        bench.time.samples = 1;
        return evaluation;
    }
};

void EvaluationTextTest::says_what_was_wrong_after_timing() {
    auto evaluation = right();
    QCOMPARE(report::reason(evaluation), std::string());
    evaluation.bench->wrong = true;
    evaluation.bench->problem = "outputs differ after timing";
    QVERIFY(!evaluation.ok());
    QCOMPARE(report::reason(evaluation), std::string("scale.cu: outputs differ after timing"));
    const auto text = report::render(evaluation, {}, {});
    QVERIFY2(text.contains("bench     failed  outputs differ after timing\n"), text.c_str());
    QVERIFY2(text.contains("hint:"), text.c_str());
    QVERIFY2(!text.contains("0.850"), text.c_str());
}

void EvaluationTextTest::points_at_a_fault_during_timing() {
    auto evaluation = right();
    evaluation.bench->wrong = true;
    evaluation.bench->problem = "a fault";
    auto& fault = evaluation.bench->fault.emplace();
    fault.message = "reads past x";
    fault.where = {"scale.cu", 2, 1};
    QCOMPARE(report::reason(evaluation), std::string("scale.cu:2: reads past x"));
    const auto text = report::render(evaluation, {{"scale.cu", "one\ntwo\n"}}, {});
    QVERIFY2(text.contains("     2 | two\n"), text.c_str());
}

void EvaluationTextTest::repeats_with_the_seed_of_the_evaluation() {
    auto evaluation = right();
    evaluation.bench.reset();
    evaluation.verify->ok = false;
    evaluation.verify->because = "y differs";
    auto& check = evaluation.verify->checks.emplace_back();
    check.seed = 4711;
    check.tensor = "y";
    check.sizes = {{"n", 64}};
    const auto text = report::render(evaluation, {}, {});
    QVERIFY2(text.contains("--seed 7 "), text.c_str());
    QVERIFY2(!text.contains("4711"), text.c_str());
}

void EvaluationTextTest::prints_names_as_they_are() {
    const auto text = report::render(right(), {}, {});
    QVERIFY2(text.contains("bench     0.850 µs, estimated for NVIDIA H200 (simulated)  at n=64\n"), text.c_str());
}

void EvaluationTextTest::leaves_out_places_that_are_not_known() {
    auto evaluation = right();
    evaluation.compile.ok = false;
    auto& diagnostic = evaluation.compile.diagnostics.emplace_back();
    diagnostic.message = "ptxas does not know 'bad.instruction'";
    QCOMPARE(report::reason(evaluation), std::string("scale.cu: ptxas does not know 'bad.instruction'"));
    diagnostic.line = 3;
    diagnostic.file = "a.cuh";
    QCOMPARE(report::reason(evaluation), std::string("a.cuh:3: ptxas does not know 'bad.instruction'"));
}

void EvaluationTextTest::shows_the_names_of_the_task() {
    auto evaluation = right();
    evaluation.verify->output = "/dev/null/task/scale.cu:6: Assertion `i < 10` failed.\n";
    const auto text = report::render(evaluation, {}, {});
    QVERIFY2(text.contains("\nscale.cu:6: Assertion"), text.c_str());
}

void EvaluationTextTest::leaves_out_distances_that_say_nothing() {
    auto evaluation = right();
    auto& check = evaluation.verify->checks.emplace_back();
    check.ok = true;
    check.comparison.max_ulp = 3;
    QVERIFY(report::render(evaluation, {}, {}).contains(", 3 ulp, in "));
    check.comparison.max_ulp = 867'696'928;
    QVERIFY(!report::render(evaluation, {}, {}).contains("ulp"));
}

QTEST_APPLESS_MAIN(EvaluationTextTest)
#include "test_evaluation_text.moc"
