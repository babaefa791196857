#include "widgets/numbers.h"
#include "widgets/plot.h"
#include "widgets/plot_labels.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QFile>
#include <QImage>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include <cmath>

using namespace kw::widgets;

namespace {

PlotData rewards() {
    PlotData data;
    data.x = {.label = QStringLiteral("Step"), .integers = true};
    data.y = {.label = QStringLiteral("Time"), .unit = QStringLiteral("µs"), .logarithmic = true};
    PlotSeries series{.label = QStringLiteral("best")};
    for (int i = 1; i <= 5; ++i)
        series.points.push_back({.x = static_cast<double>(i),
                                 .y = 100.0 / i,
                                 .low = 90.0 / i,
                                 .high = 110.0 / i,
                                 .name = QStringLiteral("step %1").arg(i),
                                 .wrong = i == 2});
    series.points.push_back({.x = 6, .y = 0}); // has no place on a logarithmic axis
    data.series.push_back(series);
    data.lines.push_back({.label = QStringLiteral("baseline"), .x1 = 0, .y1 = 80, .x2 = 100, .y2 = 80, .color = 1});
    data.bands.push_back({.label = QStringLiteral("edits"), .on_x = true, .from = 2, .to = 3});
    return data;
}

class Fixture {
public:
    Fixture() : plot(QStringLiteral("Rewards")) {
        plot.resize(600, 400);
        plot.show();
        if (!QTest::qWaitForWindowExposed(&plot)) qFatal("the window does not appear");
        plot.set_data(rewards());
        settle();
    }
    static void settle() {
        for (int i = 0; i < 3; ++i) QApplication::processEvents();
    }
    QWidget& canvas() { return *plot.childAt(plot.rect().center()); }
    QPoint on_canvas(PlotPick pick) {
        const auto at = plot.place_of(pick);
        if (!at) qFatal("the point is not in sight");
        return canvas().mapFrom(&plot, at->toPoint());
    }
    void wheel(QPoint at, int delta) {
        QWheelEvent event(at, canvas().mapToGlobal(at), {}, QPoint(0, delta), Qt::NoButton, {}, Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(&canvas(), &event);
        settle();
    }
    Plot plot;
};

} // namespace

class TestPlot : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { Theme::instance().apply(*qApp, Scheme::dark); }

    void everything_is_shown_at_first() {
        Fixture f;
        const auto view = f.plot.view();
        QVERIFY(view.x_low < 1 && view.x_high > 5);
        QVERIFY(view.y_low > 0 && view.y_low < 18 && view.y_high > 110);
        for (int i = 0; i < 5; ++i) QVERIFY(f.plot.place_of({0, i}));
        QVERIFY(!f.plot.place_of({0, 5}));
    }

    void the_wheel_zooms_at_the_pointer_and_a_double_click_fits() {
        Fixture f;
        const auto all = f.plot.view();
        const QPoint at = f.on_canvas({0, 2});
        f.wheel(at, 240);
        QVERIFY(f.plot.view().x_high - f.plot.view().x_low < all.x_high - all.x_low);
        // What was under the pointer still is.
        QVERIFY((f.on_canvas({0, 2}) - at).manhattanLength() <= 2);
        QTest::mouseDClick(&f.canvas(), Qt::LeftButton, {}, f.canvas().rect().center());
        f.settle();
        QCOMPARE(f.plot.view(), all);
    }

    void dragging_pans() {
        Fixture f;
        const auto all = f.plot.view();
        const QPoint at = f.canvas().rect().center();
        QTest::mousePress(&f.canvas(), Qt::LeftButton, {}, at);
        QTest::mouseMove(&f.canvas(), at + QPoint(30, 0));
        QTest::mouseMove(&f.canvas(), at + QPoint(60, 0));
        QTest::mouseRelease(&f.canvas(), Qt::LeftButton, {}, at + QPoint(60, 0));
        QVERIFY(f.plot.view().x_low < all.x_low);
        QVERIFY(std::abs((f.plot.view().x_high - f.plot.view().x_low) - (all.x_high - all.x_low)) < 1e-9);
    }

    void keys_alone_are_enough() {
        Fixture f;
        const auto all = f.plot.view();
        QTest::keyClick(&f.plot, Qt::Key_Plus);
        QVERIFY(f.plot.view().x_low > all.x_low && f.plot.view().y_high < all.y_high);
        const auto zoomed = f.plot.view();
        QTest::keyClick(&f.plot, Qt::Key_Right);
        QTest::keyClick(&f.plot, Qt::Key_Up);
        QVERIFY(f.plot.view().x_low > zoomed.x_low && f.plot.view().y_low > zoomed.y_low);
        QTest::keyClick(&f.plot, Qt::Key_F);
        QCOMPARE(f.plot.view(), all);
        QSignalSpy clicked(&f.plot, &Plot::clicked);
        QTest::keyClick(&f.plot, Qt::Key_N);
        QCOMPARE(f.plot.pointed(), (PlotPick{0, 0}));
        QTest::keyClick(&f.plot, Qt::Key_N);
        QTest::keyClick(&f.plot, Qt::Key_N);
        QTest::keyClick(&f.plot, Qt::Key_N, Qt::ShiftModifier);
        QCOMPARE(f.plot.pointed(), (PlotPick{0, 1}));
        QTest::keyClick(&f.plot, Qt::Key_Return);
        QCOMPARE(clicked.count(), 1);
        QCOMPARE(clicked[0][0].value<PlotPick>(), (PlotPick{0, 1}));
        QVERIFY(f.plot.accessibleDescription().contains(QStringLiteral("step 2")));
        QTest::keyClick(&f.plot, Qt::Key_Escape);
        QVERIFY(!f.plot.pointed());
        QTest::keyClick(&f.plot, Qt::Key_N, Qt::ShiftModifier); // backwards begins at the last that is shown
        QCOMPARE(f.plot.pointed(), (PlotPick{0, 4}));
    }

    void the_nearest_point_is_read_out_and_clicked() {
        Fixture f;
        QSignalSpy clicked(&f.plot, &Plot::clicked);
        QTest::mouseMove(&f.canvas(), f.on_canvas({0, 3}) + QPoint(3, -2));
        QCOMPARE(f.plot.pointed(), (PlotPick{0, 3}));
        const QString said = f.plot.readout().replace(QChar(0xa0), QLatin1Char(' '));
        QVERIFY2(said.contains(QStringLiteral("step 4")) && said.contains(QStringLiteral("25.0 µs"))
                     && said.contains(QStringLiteral("22.5 µs to 27.5 µs")),
                 qPrintable(said));
        QTest::mouseClick(&f.canvas(), Qt::LeftButton, {}, f.on_canvas({0, 3}));
        QCOMPARE(clicked.count(), 1);
        QTest::mouseMove(&f.canvas(), QPoint(2, 2));
        QVERIFY(!f.plot.pointed());
    }

    void new_data_leave_a_zoomed_view_where_it_is() {
        Fixture f;
        QTest::keyClick(&f.plot, Qt::Key_Plus);
        const auto zoomed = f.plot.view();
        auto data = rewards();
        data.series[0].points.push_back({.x = 9, .y = 10});
        f.plot.set_data(data);
        QCOMPARE(f.plot.view(), zoomed);
        data.y.logarithmic = false; // another axis is another picture
        f.plot.set_data(data);
        QVERIFY(f.plot.view().x_high > 9);
        f.plot.set_data({});
        QVERIFY(f.plot.view().x_low < f.plot.view().x_high);
    }

    void pictures_are_written() {
        Fixture f;
        const QTemporaryDir folder;
        for (const char* name : {"a.png", "a.svg", "a.pdf"})
            QCOMPARE(f.plot.export_picture(folder.filePath(QLatin1String(name))), QString());
        QVERIFY(QImage(folder.filePath(QStringLiteral("a.png"))).width() > 400);
        QFile svg(folder.filePath(QStringLiteral("a.svg")));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QByteArray text = svg.readAll();
        QVERIFY(text.contains("baseline") && text.contains("Step") && text.contains("best"));
        QFile pdf(folder.filePath(QStringLiteral("a.pdf")));
        QVERIFY(pdf.open(QIODevice::ReadOnly) && pdf.read(5) == "%PDF-");
        for (const char* name : {"a.gif", "none/a.svg", "none/a.png"})
            QVERIFY(!f.plot.export_picture(folder.filePath(QLatin1String(name))).isEmpty());
    }

    void colours_are_the_themes() {
        for (const auto scheme : {Scheme::light, Scheme::dark}) {
            Theme::instance().apply(*qApp, scheme);
            Fixture f;
            const auto& tokens = Theme::instance().tokens();
            const QImage image = f.plot.grab().toImage();
            QCOMPARE(image.pixelColor(image.width() - 6, 5).name(), tokens.surface1.name());
            // Wrong is a cross in the colour of what is bad, in whose middle the strokes meet.
            const QPoint wrong = f.plot.place_of({0, 1})->toPoint();
            bool found = false;
            for (int dx = -2; dx <= 2; ++dx)
                for (int dy = -2; dy <= 2; ++dy)
                    found |= image.pixelColor(wrong + QPoint(dx, dy)).name() == tokens.bad.name();
            QVERIFY(found);
        }
    }

    void labels_never_cover_each_other() {
        LabelPlacer placer(QRectF(0, 0, 300, 200));
        std::vector<QRectF> placed;
        for (int i = 0; i < 40; ++i)
            if (const auto at = placer.beside(QPointF(150 + i % 3, 100 + i % 2), QSizeF(40, 12), 6))
                placed.emplace_back(at->corner, QSizeF(40, 12));
        QVERIFY(placed.size() >= 4);
        for (std::size_t a = 0; a < placed.size(); ++a) {
            QVERIFY(QRectF(0, 0, 300, 200).contains(placed[a]));
            for (std::size_t b = a + 1; b < placed.size(); ++b) QVERIFY(!placed[a].intersects(placed[b]));
        }
        const auto along = placer.along(QPointF(-1000, 1200), QPointF(1000, -800), QSizeF(60, 12));
        QVERIFY(along && std::abs(along->angle + 45) < 1e-6);
        QVERIFY(!placer.along(QPointF(-10, -10), QPointF(-5, 400), QSizeF(60, 12)));
        QVERIFY(!clipped(QRectF(0, 0, 10, 10), QPointF(20, 0), QPointF(20, 10)));
    }

    void quantities_have_prefix_and_unit_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("unit");
        QTest::addColumn<QString>("text");
        const auto row = [](double value, const char* unit, const char* text) {
            QTest::newRow(text) << value << QString::fromUtf8(unit) << QString::fromUtf8(text);
        };
        row(2.237e12, "B/s", "2.24 TB/s");
        row(16260, "ns", "16.3 µs");
        row(655400, "", "655 k");
        row(7, "", "7");
        row(46.56, "%", "46.6 %");
        row(30620, "cycle", "30.6 k cycles");
        row(1.868e9, "Hz", "1.87 GHz");
        row(999.6, "B", "1.00 kB");
        row(std::nan(""), "B", "–");
    }
    void quantities_have_prefix_and_unit() {
        QFETCH(double, value);
        QFETCH(QString, unit);
        QFETCH(QString, text);
        QCOMPARE(format_quantity(value, unit).replace(QChar(0xa0), QLatin1Char(' ')), text);
    }
    void exact_numbers_are_grouped() {
        QCOMPARE(format_exact(2237000, QStringLiteral("B")), QStringLiteral("2\u202f237\u202f000\u00a0B"));
        QCOMPARE(format_exact(-1234.5, {}), QStringLiteral("-1\u202f234.5"));
        QCOMPARE(format_tick(1e10, QStringLiteral("FLOP/s")), QStringLiteral("10%1G").arg(QChar(0xa0)));
    }
};

QTEST_MAIN(TestPlot)
#include "test_plot.moc"
