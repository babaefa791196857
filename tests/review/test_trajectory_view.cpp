#include "agent/review/export_dialog.h"
#include "agent/review/trajectory_view.h"
#include "tests/agent/session_fixture.h"
#include "widgets/plot.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QPlainTextEdit>
#include <QRadioButton>
#include <QSignalSpy>
#include <QTest>

using namespace kw;
using namespace kw::review;

namespace {

trajectory::StepSummary summary(trajectory::StepId id, std::optional<double> reward, std::optional<double> speedup) {
    trajectory::StepSummary step;
    step.id = id;
    step.driver = "human";
    step.reward = reward;
    step.speedup = speedup;
    if (reward) step.correct = *reward > 0;
    step.usage.prompt_tokens = 100;
    return step;
}

trajectory::ScoreFacts facts(trajectory::StepId id, double reward, double eager, double fused) {
    trajectory::ScoreFacts made;
    made.step = id;
    made.reward = reward;
    made.facts = {.compiled = true, .audit_passed = true, .verified = reward > 0, .failure = {}, .speedups = {}};
    if (reward > 0)
        made.facts.speedups = {{"eager.cu", eager, {eager - 0.01, eager + 0.01}},
                               {"fused.cu", fused, {fused - 0.01, fused + 0.01}}};
    else
        made.facts.failure = "its results are wrong";
    return made;
}

/// Of the accessible name that begins so.
template<class Widget> Widget* control(QWidget& in, const char* name) {
    for (auto* each : in.findChildren<Widget*>())
        if (each->accessibleName().startsWith(QLatin1String(name))) return each;
    return nullptr;
}

struct Session {
    std::vector<trajectory::StepSummary> steps{summary(1, 1.0, 0.5), summary(2, -1.0, {}), summary(3, 3.0, 1.2),
                                               summary(4, 2.0, 1.0)};
    std::vector<trajectory::ScoreFacts> known{facts(1, 1, 1, 0.5), facts(2, -1, 0, 0), facts(3, 3, 2.4, 1.2),
                                              facts(4, 2, 2.0, 1.0)};
};

class TestTrajectoryView : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void the_best_so_far_only_rises_and_what_is_wrong_does_not_count() {
        const Session session;
        const auto picture = course_picture(session.steps, {}, {});
        const auto& best = picture.plot.series[0].points;
        QCOMPARE(best.front().y, 0.5);
        for (std::size_t i = 1; i < best.size(); ++i) QVERIFY(best[i].y >= best[i - 1].y);
        QCOMPARE(best.back().y, 1.2);
        QCOMPARE(best.back().x, 4.0);
        const auto& points = picture.plot.series[1].points;
        QCOMPARE(points.size(), std::size_t{4});
        QVERIFY(points[1].wrong && !points[0].wrong);
        QCOMPARE(picture.steps[1], (std::vector<trajectory::StepId>{1, 2, 3, 4}));
    }

    void baselines_are_lines_where_they_are() {
        const Session session;
        std::map<trajectory::StepId, StepScore> scores;
        for (const auto& each : session.known) scores[each.step].now = {each.reward, {}, {}, each.facts.speedups};
        const auto levels = baseline_levels(scores, "eager.cu");
        QCOMPARE(levels.size(), std::size_t{2});
        QCOMPARE(levels[0].speedup, 1.0);
        QCOMPARE(levels[1].name, std::string("fused.cu"));
        QCOMPARE(levels[1].speedup, 2.0); // twice as fast as eager.cu
        const auto picture = course_picture(session.steps, scores, {.baseline = "eager.cu"});
        QCOMPARE(picture.plot.lines.size(), std::size_t{2});
        QCOMPARE(picture.plot.series[1].points[2].y, 2.4);
        QCOMPARE(picture.plot.series[1].points[2].low, 2.39);
    }

    void tokens_add_up() {
        const auto picture = course_picture(Session().steps, {}, {.course = Course::tokens});
        QCOMPARE(picture.plot.series[1].points.back().y, 400.0);
    }

    void another_margin_flips_rewards() {
        TrajectoryView view;
        view.resize(1000, 320);
        Session session;
        view.show_steps(session.steps);
        view.add_facts(session.known);
        view.show_course(Course::reward);
        QCOMPARE(view.plot().data().series[1].points[2].y, 3.0);
        control<QAbstractButton>(view, "Score by another rule")->click();
        QSignalSpy changed(&view, &TrajectoryView::what_if_changed);
        control<QDoubleSpinBox>(view, "By how much")->setValue(50);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(view.plot().data().series[1].points[2].y, 2.0); // 1.2× over the strongest is not enough
        QVERIFY(view.plot().data().series[1].points[2].emphasis);
        QVERIFY(control<QLabel>(view, "What the rule changes")->text().contains(QLatin1Char('1')));
        control<QComboBox>(view, "Which baselines")->setCurrentIndex(1);
        QCOMPARE(view.plot().data().series[1].points[3].y, 3.0); // 2.0× over eager.cu alone
        control<QAbstractButton>(view, "Score by another rule")->click();
        QCOMPARE(view.plot().data().series[1].points[2].y, 3.0);
    }

    void a_click_goes_to_the_step() {
        TrajectoryView view;
        view.resize(1000, 400);
        view.show();
        view.show_steps(Session().steps);
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QSignalSpy chosen(&view, &TrajectoryView::step_chosen);
        view.plot().setFocus();
        view.plot().point_at(widgets::PlotPick{.series = 1, .point = 2});
        QTest::keyClick(&view.plot(), Qt::Key_Return);
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen[0][0].toLongLong(), 3);
    }

    void five_thousand_steps_are_drawn_at_once() {
        std::vector<trajectory::StepSummary> steps;
        std::vector<trajectory::ScoreFacts> known;
        for (int i = 1; i <= 5000; ++i) {
            steps.push_back(summary(i, 1.0, 1.0 + i * 1e-4));
            known.push_back(facts(i, 1, 2, 1.0 + i * 1e-4));
        }
        TrajectoryView view;
        view.show_steps(steps);
        view.add_facts(std::move(known));
        QCOMPARE(view.plot().data().series[1].points.size(), std::size_t{5000});
        view.clear();
        QVERIFY(!view.plot().isVisibleTo(&view));
    }

    void what_is_exported_is_shown_before_and_written() {
        const test::SessionFolder folder;
        {
            auto session = folder.create();
            QVERIFY(session.has_value());
            QVERIFY(session->add(test::step("one", 1, 1.0, 10)));
            QVERIFY(session->add(test::step("two", 3, 2.0, 5, 1)));
            QVERIFY(session->add(test::step("three", 1, 1.0, 9, 1)));
        }
        ExportDialog dialog(folder.path(), {});
        QSignalSpy previewed(&dialog, &ExportDialog::previewed);
        QVERIFY(previewed.wait());
        const auto* text = dialog.findChild<QPlainTextEdit*>();
        QVERIFY(text->toPlainText().startsWith(QStringLiteral("step,parent")));
        const auto radios = dialog.findChildren<QRadioButton*>();
        QCOMPARE(radios.size(), static_cast<qsizetype>(trajectory::export_forms().size()));
        for (auto* radio : radios) {
            radio->click();
            QVERIFY(previewed.wait());
            QVERIFY2(!text->toPlainText().isEmpty(), qPrintable(radio->text()));
        }
        QSignalSpy written(&dialog, &ExportDialog::written);
        const auto path = QString::fromStdString(folder.path("out.html").string());
        dialog.write_to(path);
        QVERIFY(written.wait());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().startsWith("<!doctype html>"));

        written.clear();
        dialog.write_to(QString::fromStdString(folder.path().string()));
        QVERIFY(control<QLabel>(dialog, "State of the export")->text().contains(QStringLiteral("does not replace")));
        QVERIFY(!written.wait(50));
    }

    void what_cannot_be_read_is_told() {
        const test::SessionFolder folder;
        ExportDialog dialog(folder.path("none.kwsession"), {});
        QSignalSpy previewed(&dialog, &ExportDialog::previewed);
        QVERIFY(previewed.wait());
        QVERIFY(control<QLabel>(dialog, "State of the export")->text().contains(QStringLiteral("none.kwsession")));
    }
};

} // namespace

QTEST_MAIN(TestTrajectoryView)
#include "test_trajectory_view.moc"
