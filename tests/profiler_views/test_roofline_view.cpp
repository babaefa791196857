#include "profiler_views/roofline/roofline_view.h"
#include "tests/profiler_views/recorded.h"
#include "widgets/empty_state.h"
#include "widgets/plot.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace kw;
using namespace kw::profiler_views;

class TestRooflineView : public QObject {
    Q_OBJECT

    static QString shown_text(const RooflineView& view) {
        QStringList texts;
        for (const auto* label : view.findChildren<QLabel*>())
            if (label->isVisible()) texts << label->text();
        return texts.join(QLatin1Char('\n'));
    }
    static void open(RooflineView& view) {
        view.resize(900, 500);
        view.QWidget::show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
    }

private Q_SLOTS:
    void initTestCase() { widgets::Theme::instance().apply(*qApp, widgets::Scheme::dark); }

    void a_launch_lies_under_its_ceilings() {
        const auto report = test::recorded("softmax");
        RooflineView view;
        open(view);
        view.show(report);
        const auto& data = view.plot().data();
        QVERIFY(data.x.logarithmic && data.y.logarithmic);
        const auto& point = data.series[0].points.at(0);
        QCOMPARE(point.x, report.launches[0].metrics.at("intensity_dram"));
        QCOMPARE(point.y, report.launches[0].metrics.at("flop_rate"));
        // A memory's line says how fast data come: its rate is bytes per second times operations per byte.
        int memories = 0, levels = 0;
        for (const auto& line : data.lines) {
            if (line.y1 == line.y2) {
                ++levels;
                continue;
            }
            ++memories;
            QVERIFY(std::abs(line.y1 / line.x1 / (line.y2 / line.x2) - 1) < 1e-9);
        }
        QCOMPARE(memories, 2);
        QCOMPARE(levels, 5); // FP16 and BF16 tensor cores are as fast as each other
        QVERIFY(shown_text(view).contains(QStringLiteral("46.6%1% of what the roof allows there").arg(QChar(0xa0))));
        QVERIFY(view.plot().place_of({0, 0}));
    }

    void the_other_memory_is_a_key_away() {
        const auto report = test::recorded("softmax");
        RooflineView view;
        open(view);
        view.show(report);
        for (auto* button : view.findChildren<QToolButton*>())
            if (button->text() == QStringLiteral("L2")) {
                button->setFocus();
                QTest::keyClick(button, Qt::Key_Space);
            }
        QCOMPARE(view.plot().data().series[0].points.at(0).x, report.launches[0].metrics.at("intensity_l2"));
        QVERIFY(shown_text(view).contains(QStringLiteral("L2 traffic")));
    }

    void steps_are_points_and_lead_back() {
        RooflineView view;
        open(view);
        view.show(test::recorded("matmul"));
        std::vector<RooflineStep> steps;
        for (const auto& [id, name] : {std::pair{11, "matmul"}, std::pair{12, "softmax"}, std::pair{13, "attention"}})
            steps.push_back(RooflineView::step_of(id, QString::number(id), test::recorded(name)));
        steps[1].selected = true;
        steps[2].wrong = true;
        view.set_points(steps);
        const auto& points = view.plot().data().series[0].points;
        QCOMPARE(points.size(), std::size_t{3});
        QVERIFY(points[1].emphasis && !points[0].emphasis && points[2].wrong);
        QVERIFY(shown_text(view).contains(QStringLiteral("12: ")));
        QSignalSpy activated(&view, &RooflineView::step_activated);
        view.plot().setFocus();
        QTest::keyClick(&view.plot(), Qt::Key_N);
        QTest::keyClick(&view.plot(), Qt::Key_N);
        QTest::keyClick(&view.plot(), Qt::Key_Return);
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated[0][0].toInt(), 12);
        view.set_points({});
        QCOMPARE(view.plot().data().series[0].points.size(), std::size_t{1});
    }

    void what_is_missing_is_named() {
        RooflineView view;
        open(view);
        QVERIFY(shown_text(view).contains(QStringLiteral("No roofline yet")));
        auto report = test::recorded("softmax");
        report.ceilings.clear();
        report.device.name = "NVIDIA X";
        view.show(report);
        QVERIFY(shown_text(view).contains(QStringLiteral("no data sheet of the NVIDIA X")));
        report.launches[0].metrics.clear();
        view.show(report);
        QVERIFY(shown_text(view).contains(QStringLiteral("did not count it")));
        for (auto& state : report.rungs)
            if (state.rung == profile::Rung::counters) {
                state.state = profile::RungState::State::failed;
                state.reason = "another profiler holds the counters";
            }
        view.show(report);
        QVERIFY(shown_text(view).contains(QStringLiteral("another profiler holds the counters")));
        view.clear();
        QVERIFY(view.findChild<widgets::EmptyState*>()->isVisible());
    }
};

QTEST_MAIN(TestRooflineView)
#include "test_roofline_view.moc"
