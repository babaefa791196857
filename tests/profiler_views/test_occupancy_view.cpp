#include "profiler_views/occupancy/occupancy_view.h"
#include "tests/profiler_views/recorded.h"
#include "widgets/empty_state.h"
#include "widgets/plot.h"
#include "widgets/theme.h"

#include <QAccessible>
#include <QApplication>
#include <QLabel>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

using namespace kw;
using namespace kw::profiler_views;

class TestOccupancyView : public QObject {
    Q_OBJECT

    static QString shown_text(const OccupancyView& view) {
        QStringList texts;
        for (const auto* label : view.findChildren<QLabel*>())
            if (label->isVisible()) texts << label->text();
        return texts.join(QLatin1Char('\n'));
    }
    template<class Widget> static Widget& named(OccupancyView& view, const char* name) {
        for (auto* found : view.findChildren<Widget*>())
            if (found->accessibleName() == QLatin1String(name)) return *found;
        qFatal("no such control");
    }
    static void open(OccupancyView& view) {
        view.resize(1300, 420);
        view.QWidget::show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
    }

private Q_SLOTS:
    void initTestCase() { widgets::Theme::instance().apply(*qApp, widgets::Scheme::dark); }

    void every_recorded_launch_has_the_occupancy_that_the_gpu_told() {
        for (const char* name :
             {"softmax", "matmul", "matmul_register_tiles", "attention", "histogram", "stencil_march"}) {
            const auto report = test::recorded(name);
            OccupancyView view;
            open(view);
            for (std::size_t i = 0; i < report.launches.size(); ++i) {
                view.show(report, static_cast<int>(i));
                const auto told = report.launches[i].metrics.find("theoretical_occupancy");
                QVERIFY(told != report.launches[i].metrics.end());
                const auto fit = device::occupancy(device::sm_limits(90), view.demand().threads,
                                                   view.demand().registers, view.demand().shared());
                QVERIFY2(std::abs(100 * fit.fraction - told->second) < 0.01, name);
            }
        }
    }

    void the_limiter_is_named_with_what_would_lift_it() {
        OccupancyView view;
        open(view);
        view.show(test::recorded("matmul_register_tiles"));
        const QString text = shown_text(view);
        QVERIFY2(text.contains(QStringLiteral("25.0")) && text.contains(QStringLiteral("16 of 64 warps")),
                 qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("with 80 instead of 91 per thread there would be more")));
        QVERIFY(text.contains(QStringLiteral("Achieved when it was measured: 23.9")));
    }

    void sliders_ask_what_if() {
        OccupancyView view;
        open(view);
        view.show(test::recorded("matmul_register_tiles"));
        QSignalSpy changed(&view, &OccupancyView::demand_changed);
        auto& registers = named<QSlider>(view, "Registers per thread");
        registers.setFocus();
        while (registers.value() > 80) QTest::keyClick(&registers, Qt::Key_Left);
        QCOMPARE(view.demand().registers, 80u);
        QVERIFY(changed.count() > 0);
        QVERIFY(shown_text(view).contains(QStringLiteral("24 of 64 warps; 3 blocks per SM")));
        QCOMPARE(named<QSpinBox>(view, "Registers per thread").value(), 80);
        named<QSpinBox>(view, "Dynamic shared, bytes").setValue(150'000);
        QVERIFY(shown_text(view).contains(QStringLiteral("Shared memory lets 1 blocks"))
                || shown_text(view).contains(QStringLiteral("Shared memory lets")));
        auto& block = named<QSlider>(view, "Threads per block");
        block.setFocus();
        QTest::keyClick(&block, Qt::Key_Right);
        QCOMPARE(view.demand().threads, 288u); // in whole warps
        for (auto* button : view.findChildren<QToolButton*>()) QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(view.demand(), (OccupancyDemand{256, 91, 8448, 0}));
    }

    void curves_go_through_the_launch_and_take_clicks() {
        OccupancyView view;
        open(view);
        view.show(test::recorded("matmul_register_tiles"));
        const auto plots = view.findChildren<widgets::Plot*>();
        QCOMPARE(plots.size(), 3);
        for (auto* plot : plots) {
            QCOMPARE(plot->data().series[1].points[0].y, 25.0);
            QVERIFY(plot->accessibleDescription().contains(QStringLiteral("25.0")));
        }
        Q_EMIT plots[1]->clicked({0, 31}); // the curve begins at one register
        QCOMPARE(view.demand().registers, 32u);
    }

    void without_a_launch_there_is_nothing_to_say() {
        OccupancyView view;
        open(view);
        QVERIFY(view.findChild<widgets::EmptyState*>()->isVisible());
        view.show_limits(QStringLiteral("sm_86"), device::sm_limits(86));
        QVERIFY(shown_text(view).contains(QStringLiteral("of 48 warps")));
        profile::Report report;
        report.device.arch = "sm_20";
        report.launches.emplace_back();
        view.show(report);
        QVERIFY(view.findChild<widgets::EmptyState*>()->isVisible());
        view.clear();
        view.show({}, 0);
        QVERIFY(view.findChild<widgets::EmptyState*>()->isVisible());
    }

    void everything_has_a_name_for_those_who_do_not_see() {
        OccupancyView view;
        open(view);
        view.show(test::recorded("softmax"));
        for (const auto* widget : view.findChildren<QWidget*>()) {
            if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible()
                || widget->objectName() == QLatin1String("qt_spinbox_lineedit"))
                continue;
            const auto* access = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
            QVERIFY2(access && !access->text(QAccessible::Name).isEmpty(), widget->metaObject()->className());
        }
    }
};

QTEST_MAIN(TestOccupancyView)
#include "test_occupancy_view.moc"
