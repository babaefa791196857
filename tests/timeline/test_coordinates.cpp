#include "profiler_views/timeline/coordinates.h"
#include "profiler_views/timeline/time_text.h"

#include <QTest>

using namespace kw::profiler_views;

class TestCoordinates : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pixels_and_times_convert_both_ways() {
        for (const double start : {-100.0, 0.0, 1e9, 1.7e15})
            for (const double scale : {0.01, 1.0, 333.3, 1e9}) {
                const Viewport view{start, scale, 1000};
                for (const double x : {-50.0, 0.0, 1.0, 499.5, 1000.0, 1500.0}) {
                    const double tolerance = 1e-6 + std::abs(start) / scale * 1e-15;
                    QVERIFY(std::abs(x_of(view, time_of(view, x)) - x) <= tolerance);
                }
            }
    }

    void zooming_keeps_the_time_under_the_pointer() {
        Viewport view{0, 1e6, 800};
        for (int i = 0; i < 60; ++i) {
            const double x = 13.0 * i, before = time_of(view, x);
            view = zoomed(view, x, 0.8);
            QVERIFY(std::abs(time_of(view, x) - before) <= 1e-6 * std::max(1.0, before));
        }
        QVERIFY(view.ns_per_pixel >= kNearest);
        QCOMPARE(zoomed(view, 0, 1e-9).ns_per_pixel, kNearest);
        const Viewport back = zoomed(zoomed({5, 10, 800}, 400, 0.5), 400, 2);
        QVERIFY(std::abs(back.start - 5) < 1e-9 && std::abs(back.ns_per_pixel - 10) < 1e-9);
    }

    void bounds_hold_at_both_ends() {
        const double end = 1e6;
        const Viewport all = bounded({-1e9, 1e9, 500}, end);
        QVERIFY(all.start < 0 && end_of(all) > end);
        const Viewport left = bounded({-1e9, 10, 500}, end), right = bounded({1e9, 10, 500}, end);
        QCOMPARE(left.start, all.start);
        QVERIFY(std::abs(end_of(right) - end_of(all)) < 1e-6 * end);
        QCOMPARE(bounded({1000, 10, 500}, end).start, 1000.0);
        QVERIFY(bounded({0, 1, 500}, 0).ns_per_pixel > 0); // a trace of one instant
    }

    void ticks_suit_the_scale() {
        for (double ns_per_pixel = 0.01; ns_per_pixel < 1e10; ns_per_pixel *= 3.7)
            for (const double start : {0.0, 123456789.0, 3.2e12}) {
                const auto found = ticks(start, ns_per_pixel, 1000, 110);
                QVERIFY(found.size() <= 10);
                for (std::size_t i = 1; i < found.size(); ++i) {
                    QVERIFY((found[i].time - found[i - 1].time) / ns_per_pixel >= 109.9 || ns_per_pixel < 0.01);
                    QVERIFY2(found[i].label != found[i - 1].label, qPrintable(found[i].label));
                }
            }
        const auto labels = [](double start, double scale) {
            QStringList all;
            for (const auto& tick : ticks(start, scale, 400, 100)) all << tick.label;
            return all;
        };
        QCOMPARE(labels(0, 1e6), (QStringList{QStringLiteral("0"), QStringLiteral("100 ms"), QStringLiteral("200 ms"),
                                              QStringLiteral("300 ms"), QStringLiteral("400 ms")}));
        QCOMPARE(labels(2e9, 1), (QStringList{QStringLiteral("2.0000000 s"), QStringLiteral("2.0000001 s"),
                                              QStringLiteral("2.0000002 s"), QStringLiteral("2.0000003 s"),
                                              QStringLiteral("2.0000004 s")}));
        QVERIFY(ticks(0, 1, 0, 100).empty());
    }

    void times_are_written_with_units() {
        QCOMPARE(duration_text(0), QStringLiteral("0 ns"));
        QCOMPARE(duration_text(999), QStringLiteral("999 ns"));
        QCOMPARE(duration_text(1500), QStringLiteral("1.50 µs"));
        QCOMPARE(duration_text(2'345'678'901), QStringLiteral("2.35 s"));
        const QChar space(0x202f);
        QCOMPARE(exact_text(12'345'678), QStringLiteral("12.345") % space % QStringLiteral("678 ms"));
        QCOMPARE(exact_text(-1'500), QStringLiteral("-1.500 µs"));
        QCOMPARE(exact_text(7), QStringLiteral("7 ns"));
    }
};

QTEST_APPLESS_MAIN(TestCoordinates)
#include "test_coordinates.moc"
