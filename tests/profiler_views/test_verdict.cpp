#include "profiler_views/verdict/verdict_text.h"
#include "profiler_views/verdict/verdict_view.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace kw;
using namespace kw::profiler_views;

namespace {

pipeline::Evaluation correct() {
    pipeline::Evaluation evaluation;
    evaluation.task = "softmax";
    evaluation.device.name = "NVIDIA H200 (simulated)";
    evaluation.compile.ok = true;
    evaluation.compile.milliseconds = 96;
    evaluation.compile.kernels.push_back({});
    evaluation.compile.kernels.front().name = "softmax<256>";
    evaluation.compile.kernels.front().registers = 32;
    evaluation.compile.kernels.front().shared_bytes = 2048;
    evaluation.verify.emplace();
    evaluation.verify->ok = true;
    for (int i = 0; i < 10; ++i) {
        pipeline::Check check;
        check.ok = true;
        check.sizes = {{"rows", i < 5 ? 33 : 256}};
        check.tensor = "y";
        check.comparison.max_abs = 1e-7;
        check.comparison.max_ulp = 2;
        evaluation.verify->checks.push_back(check);
    }
    evaluation.bench.emplace();
    evaluation.bench->estimated = true;
    evaluation.bench->time = {41.234, 41.234, 41.234, 1};
    evaluation.bench->limited_by = {"DRAM", "DRAM"};
    evaluation.bench->baselines.push_back({.name = "reference.cu",
                                           .time = {107.6, 107.6, 107.6, 1},
                                           .ratio = 2.61,
                                           .ratio_ci = {2.61, 2.61},
                                           .problem = {}});
    evaluation.reward = reward::Reward{
        .value = 3, .rule = "cuda-agent", .because = "more than 5 % faster than every baseline", .speedups = {}};
    return evaluation;
}

pipeline::Evaluation faulting() {
    auto evaluation = correct();
    evaluation.bench.reset();
    evaluation.verify->ok = false;
    evaluation.verify->because = "4-byte write past the end of y";
    evaluation.verify->fault = device::Fault{.kind = device::FaultKind::out_of_bounds,
                                             .message = evaluation.verify->because,
                                             .kernel = "k",
                                             .where = {"softmax.cu", 12, 0},
                                             .block = device::Dim3{3, 0, 0},
                                             .thread = device::Dim3{31, 0, 0},
                                             .space = "global",
                                             .allocation = "y"};
    evaluation.reward->value = -1;
    return evaluation;
}

QString all_text(const QWidget& widget) {
    QStringList texts;
    for (const auto* label : widget.findChildren<QLabel*>()) texts << label->text();
    return texts.join(QLatin1Char('\n'));
}

} // namespace

class TestVerdict : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_correct_kernel() {
        const auto text = describe(correct());
        QCOMPARE(text.tone, Tone::good);
        QCOMPARE(text.headline, QStringLiteral("Correct"));
        QCOMPARE(text.time, QStringLiteral("41.2 µs"));
        QCOMPARE(text.badge, QStringLiteral("estimated"));
        QVERIFY(text.spread.contains(QStringLiteral("bound by DRAM"))
                && !text.spread.contains(QStringLiteral("DRAM, DRAM")));
        QVERIFY(text.detail.contains(QStringLiteral("2.61×")));
        QCOMPARE(text.baselines.front().tone, Tone::good);
        QCOMPARE(text.checks.size(), std::size_t{2});
        QCOMPARE(text.checks.front().cells.front(), QStringLiteral("5/5"));
        QVERIFY(text.kernels.front().cells.front().contains(QStringLiteral("2.05\u00a0kB shared")));
        QCOMPARE(text.reward, QStringLiteral("3"));
        const auto status = status_line(correct());
        QVERIFY2(status.contains(QStringLiteral("10/10 checks")) && status.contains(QStringLiteral("41.2 µs estimated"))
                     && status.contains(QStringLiteral("(simulated)")) && status.contains(QStringLiteral("96.0 ms")),
                 qPrintable(status));
    }

    void a_measurement_says_its_spread() {
        auto evaluation = correct();
        evaluation.bench->estimated = false;
        evaluation.bench->time = {41.2, 40.9, 41.8, 120};
        evaluation.bench->baselines.front().ratio_ci = {2.55, 2.66};
        const auto text = describe(evaluation);
        QCOMPARE(text.badge, QStringLiteral("measured"));
        QVERIFY(text.spread.contains(QStringLiteral("40.9 µs – 41.8 µs, 120 samples")));
        QVERIFY(text.baselines.front().cells.back().contains(QStringLiteral("2.55× – 2.66×")));
    }

    void a_fault_leads_to_its_line() {
        const auto text = describe(faulting());
        QCOMPARE(text.headline, QStringLiteral("Faults"));
        QCOMPARE(text.line, 12);
        QVERIFY(text.detail.contains(QStringLiteral("block (3, 0, 0), thread (31, 0, 0)")));
        QCOMPARE(text.reward, QStringLiteral("−1"));
    }

    void an_error_leads_with_the_first_one() {
        pipeline::Evaluation evaluation;
        evaluation.compile.diagnostics.push_back({.severity = compile::Severity::warning,
                                                  .file = "a.cu",
                                                  .line = 1,
                                                  .message = "unused",
                                                  .code = {},
                                                  .notes = {}});
        evaluation.compile.diagnostics.push_back({.severity = compile::Severity::error,
                                                  .file = "a.cu",
                                                  .line = 7,
                                                  .column = 3,
                                                  .message = "no such name",
                                                  .code = {},
                                                  .notes = {}});
        const auto text = describe(evaluation);
        QCOMPARE(text.headline, QStringLiteral("Does not compile"));
        QCOMPARE(text.detail, QStringLiteral("no such name"));
        QCOMPARE(text.line, 7);
    }

    void wrong_after_timing_is_not_correct() {
        auto evaluation = correct();
        evaluation.bench->wrong = true;
        evaluation.bench->problem = "after timing, 3 of 10 elements of y differ";
        const auto text = describe(evaluation);
        QCOMPARE(text.tone, Tone::bad);
        QVERIFY(text.detail.contains(QStringLiteral("after timing")));
    }

    void the_view_goes_through_its_states() {
        VerdictView view;
        view.resize(400, 700);
        QVERIFY(all_text(view).contains(QStringLiteral("Not run yet")));
        view.show_progress(QStringLiteral("verify 3/15"), 0.2);
        QVERIFY(!view.findChild<QProgressBar*>()->isHidden());
        QVERIFY(all_text(view).contains(QStringLiteral("verify 3/15")));
        view.show_evaluation(correct());
        QVERIFY(view.findChild<QProgressBar*>()->isHidden());
        QVERIFY(all_text(view).contains(QStringLiteral("41.2 µs")));
        QVERIFY(!all_text(view).contains(QStringLiteral("before your edit")));
        view.mark_outdated();
        QVERIFY(all_text(view).contains(QStringLiteral("before your edit")));

        view.show_evaluation(faulting());
        QSignalSpy wanted(&view, &VerdictView::go_to_requested);
        view.findChild<QPushButton*>()->click();
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted.front().at(1).toInt(), 12);
        view.show_error(QStringLiteral("Could not run"), QStringLiteral("no compiler"));
        QVERIFY(all_text(view).contains(QStringLiteral("no compiler")));
        view.reset();
        QVERIFY(all_text(view).contains(QStringLiteral("Not run yet")));
    }
};

QTEST_MAIN(TestVerdict)
#include "test_verdict.moc"
