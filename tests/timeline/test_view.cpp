#include "profiler_views/timeline/canvas.h"
#include "profiler_views/timeline/details_model.h"
#include "profiler_views/timeline/overview.h"
#include "profiler_views/timeline/statistics_model.h"
#include "profiler_views/timeline/timeline_view.h"
#include "profiler_views/timeline/trace_jobs.h"
#include "tests/timeline/random_trace.h"
#include "widgets/empty_state.h"
#include "widgets/theme.h"

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include <cmath>
#include <fstream>

using namespace kw;
using namespace kw::profiler_views;
using timeline::EventId;
using timeline::kNoEvent;
using timeline::Ns;

namespace {

/// A step of work: an operator that launches, a kernel that follows, a counter, and a second process.
std::shared_ptr<const timeline::Store> small_store() {
    timeline::Builder builder;
    timeline::Batch batch;
    auto& shard = builder.shard();
    const auto cpu = shard.lane("cpu", "thread 1"), gpu = shard.lane("gpu", "stream 7");
    const auto event = [&](std::uint32_t lane, Ns start, Ns length, const char* name) {
        batch.events.push_back({.start = start,
                                .duration = length,
                                .name = shard.name(name),
                                .origin = 0,
                                .lane = lane,
                                .category = shard.category("cat"),
                                .phase = timeline::Phase::complete});
    };
    event(cpu, 0, 400'000, "operator");
    event(cpu, 50'000, 100'000, "launch softmax");
    event(gpu, 200'000, 300'000, "softmax_kernel");
    event(gpu, 600'000, 400'000, "copy_kernel");
    batch.flows.push_back({timeline::RawFlow::Kind::start, 1, 50'000, cpu});
    batch.flows.push_back({timeline::RawFlow::Kind::finish, 1, 200'000, gpu});
    const auto series = shard.series("gpu", "DRAM throughput", "DRAM throughput");
    for (int i = 0; i < 10; ++i) batch.samples.push_back({200'000 + i * 30'000, 10.0 * i, series});
    batch.sort_by_lane(shard.lanes());
    builder.commit(std::move(batch));
    builder.unit_of("gpu", "DRAM throughput", "%");
    builder.warn("1 event is odd");
    return *builder.finish();
}

EventId named(const timeline::Store& store, std::string_view name) {
    for (const auto& lane : store.lanes())
        for (EventId e = lane.first; e < lane.first + lane.count; ++e)
            if (store.name(e) == name) return e;
    return kNoEvent;
}

class Fixture {
public:
    explicit Fixture(std::shared_ptr<const timeline::Store> shown) : store(std::move(shown)) {
        view.resize(1000, 600);
        view.show();
        if (!QTest::qWaitForWindowExposed(&view)) qFatal("the window does not appear");
        view.show(store);
        QApplication::processEvents();
        canvas().setFocus();
    }
    TimelineCanvas& canvas() { return view.canvas(); }
    /// The middle of an event's rectangle, on the canvas.
    QPoint middle(EventId event) {
        const auto rect = rect_of(canvas().scene(), event);
        if (!rect) qFatal("the event is not shown");
        return (rect->center() + QPointF(canvas().width() - canvas().scene().view.width, SceneParts::kRulerHeight))
            .toPoint();
    }
    QString text_of(const char* accessible_name) {
        for (auto* label : view.findChildren<QLabel*>())
            if (label->accessibleName() == QLatin1String(accessible_name)) return label->text();
        return {};
    }
    QTableView& table(const char* accessible_name) {
        for (auto* found : view.findChildren<QTableView*>())
            if (found->accessibleName() == QLatin1String(accessible_name)) return *found;
        qFatal("no such table");
    }
    void key(int key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(&canvas(), static_cast<Qt::Key>(key), modifiers);
    }
    void wheel(QPoint at, int delta, Qt::KeyboardModifiers modifiers = {}) {
        QWheelEvent event(at, canvas().mapToGlobal(at), {}, QPoint(0, delta), Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(&canvas(), &event);
    }

    std::shared_ptr<const timeline::Store> store;
    TimelineView view;
};

bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

} // namespace

class TestTimelineView : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { widgets::Theme::instance().apply(*qApp, widgets::Scheme::dark); }

    void an_empty_view_says_what_would_be_here() {
        TimelineView view;
        QVERIFY(!view.findChild<widgets::EmptyState*>()->isHidden());
        view.step(true);
        view.search(QStringLiteral("x"), false);
    }

    void the_wheel_zooms_where_the_pointer_is() {
        Fixture f(small_store());
        const QPoint at(600, 100);
        const double left = f.canvas().width() - f.canvas().scene().view.width;
        const Viewport before = f.canvas().scene().view;
        f.wheel(at, 120);
        const Viewport after = f.canvas().scene().view;
        QVERIFY(near(after.ns_per_pixel, before.ns_per_pixel * 0.8, 1e-6));
        QVERIFY(near(time_of(after, 600 - left), time_of(before, 600 - left), 1));
        f.wheel(at, 120, Qt::ShiftModifier);
        QVERIFY(f.canvas().scene().view.start < after.start);
        QCOMPARE(f.canvas().scene().view.ns_per_pixel, after.ns_per_pixel);
        f.wheel(at, -120);
        f.wheel(at, -120);
        QVERIFY(near(f.canvas().scene().view.ns_per_pixel, before.ns_per_pixel, 1e-6)); // never farther than all
    }

    void dragging_pans_and_a_double_click_fits() {
        Fixture f(small_store());
        f.wheel(QPoint(600, 100), 600);
        const Viewport before = f.canvas().scene().view;
        QTest::mousePress(&f.canvas(), Qt::LeftButton, {}, QPoint(600, 300));
        QTest::mouseMove(&f.canvas(), QPoint(560, 300));
        QTest::mouseMove(&f.canvas(), QPoint(500, 300));
        QTest::mouseRelease(&f.canvas(), Qt::LeftButton, {}, QPoint(500, 300));
        QVERIFY(near(f.canvas().scene().view.start, before.start + 100 * before.ns_per_pixel, 1));
        QCOMPARE(f.canvas().scene().selected, kNoEvent);
        f.key(Qt::Key_F);
        const EventId kernel = named(*f.store, "softmax_kernel");
        QTest::mouseDClick(&f.canvas(), Qt::LeftButton, {}, f.middle(kernel));
        const Viewport fit = f.canvas().scene().view;
        QVERIFY(fit.start > 180'000 && fit.start < 200'000 && end_of(fit) > 500'000 && end_of(fit) < 520'000);
    }

    void a_click_selects_and_shows_details_and_arrows() {
        Fixture f(small_store());
        const EventId kernel = named(*f.store, "softmax_kernel");
        QSignalSpy selected(&f.canvas(), &TimelineCanvas::selected_changed);
        QTest::mouseClick(&f.canvas(), Qt::LeftButton, {}, f.middle(kernel));
        QCOMPARE(selected.count(), 1);
        QCOMPARE(f.canvas().scene().selected, kernel);
        auto* details = f.table("Details of the selected event").model();
        QStringList rows;
        for (int r = 0; r < details->rowCount(); ++r)
            rows << details->index(r, 0).data().toString() % QStringLiteral("=")
                        % details->index(r, 1).data().toString();
        QVERIFY2(rows.contains(QStringLiteral("Name=softmax_kernel"))
                     && rows.contains(QStringLiteral("Started by=launch softmax"))
                     && rows.contains(QStringLiteral("Category=cat")),
                 qPrintable(rows.join(QLatin1Char('\n'))));
        QVERIFY(f.canvas().accessibleDescription().contains(QStringLiteral("softmax_kernel")));
        f.key(Qt::Key_BracketLeft);
        QCOMPARE(f.canvas().scene().selected, named(*f.store, "launch softmax"));
        f.key(Qt::Key_BracketRight);
        QCOMPARE(f.canvas().scene().selected, kernel);
        f.key(Qt::Key_Period);
        QCOMPARE(f.canvas().scene().selected, named(*f.store, "copy_kernel"));
        f.key(Qt::Key_Comma);
        QCOMPARE(f.canvas().scene().selected, kernel);
        f.key(Qt::Key_Escape);
        QCOMPARE(f.canvas().scene().selected, kNoEvent);
        QCOMPARE(details->rowCount(), 0);
    }

    void keys_alone_are_enough() {
        Fixture f(small_store());
        const Viewport all = f.canvas().scene().view;
        f.key(Qt::Key_W);
        f.key(Qt::Key_Plus);
        QVERIFY(near(f.canvas().scene().view.ns_per_pixel, all.ns_per_pixel * 0.64, 1e-6));
        const double start = f.canvas().scene().view.start;
        f.key(Qt::Key_D);
        QVERIFY(f.canvas().scene().view.start > start);
        f.key(Qt::Key_A);
        QVERIFY(near(f.canvas().scene().view.start, start, 1e-3));
        f.key(Qt::Key_End);
        QVERIFY(f.canvas().at_end());
        f.key(Qt::Key_Home);
        QCOMPARE(f.canvas().scene().view.start, all.start);
        f.key(Qt::Key_S);
        f.key(Qt::Key_Minus);
        QCOMPARE(f.canvas().scene().view.ns_per_pixel, all.ns_per_pixel);
        f.key(Qt::Key_Return);
        QVERIFY(f.canvas().scene().selected != kNoEvent);
        f.key(Qt::Key_F);
        QVERIFY(f.canvas().scene().view.ns_per_pixel < all.ns_per_pixel);
        f.key(Qt::Key_F);
        QCOMPARE(f.canvas().scene().view.ns_per_pixel, all.ns_per_pixel);
        const int height = f.canvas().scene().layout.height();
        f.key(Qt::Key_Space);
        QVERIFY(f.canvas().scene().layout.height() < height);
        f.key(Qt::Key_Space);
        QCOMPARE(f.canvas().scene().layout.height(), height);
    }

    void searching_counts_and_steps() {
        Fixture f(small_store());
        f.key(Qt::Key_Slash);
        auto* search = f.view.findChild<QLineEdit*>();
        QVERIFY(search->hasFocus());
        QTest::keyClicks(search, QStringLiteral("SOFTMAX"));
        QCOMPARE(f.text_of("Matches"), QStringLiteral("2 matches"));
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(f.canvas().scene().selected, named(*f.store, "launch softmax"));
        QCOMPARE(f.text_of("Matches"), QStringLiteral("1 of 2"));
        QVERIFY(f.canvas().hasFocus());
        f.key(Qt::Key_N);
        QCOMPARE(f.canvas().scene().selected, named(*f.store, "softmax_kernel"));
        QCOMPARE(f.text_of("Matches"), QStringLiteral("2 of 2"));
        f.key(Qt::Key_N);
        QCOMPARE(f.canvas().scene().selected, named(*f.store, "launch softmax")); // round again
        f.key(Qt::Key_N, Qt::ShiftModifier);
        QCOMPARE(f.canvas().scene().selected, named(*f.store, "softmax_kernel"));
        f.view.search(QStringLiteral("^(copy|op)"), true);
        QCOMPARE(f.text_of("Matches"), QStringLiteral("2 matches"));
        f.view.search(QStringLiteral("("), true);
        QVERIFY(f.text_of("Matches").contains(QStringLiteral("not a regular expression")));
        f.view.search(QStringLiteral("nothing"), false);
        QCOMPARE(f.text_of("Matches"), QStringLiteral("no match"));
        f.canvas().setFocus();
        f.key(Qt::Key_Escape);
        QVERIFY(search->text().isEmpty() && !f.canvas().scene().matches);
    }

    void a_box_selects_and_adds_up() {
        Fixture f(small_store());
        auto* model = qobject_cast<StatisticsModel*>(f.table("Statistics by name").model());
        QTRY_COMPARE(model->rowCount(), 4);
        const QPoint kernel = f.middle(named(*f.store, "softmax_kernel"));
        QTest::mousePress(&f.canvas(), Qt::LeftButton, Qt::ShiftModifier, kernel);
        QTest::mouseMove(&f.canvas(), kernel + QPoint(40, 0));
        QTest::mouseMove(&f.canvas(), kernel + QPoint(80, 2));
        QTest::mouseRelease(&f.canvas(), Qt::LeftButton, Qt::ShiftModifier, kernel + QPoint(80, 2));
        QVERIFY(f.canvas().scene().selection);
        QCOMPARE(f.canvas().scene().selection->lanes.size(), 1u);
        QTRY_COMPARE(model->rowCount(), 1);
        QCOMPARE(model->index(0, StatisticsModel::kName).data().toString(), QStringLiteral("softmax_kernel"));
        QCOMPARE(model->index(0, StatisticsModel::kTotal).data().toString(), QStringLiteral("300 µs"));
        QTest::mouseClick(&f.canvas(), Qt::LeftButton, {}, kernel);
        QVERIFY(!f.canvas().scene().selection);
        QTRY_COMPARE(model->rowCount(), 4);
        auto& table = f.table("Statistics by name");
        table.setFocus();
        QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text().split(QLatin1Char('\n')).value(1).split(QLatin1Char('\t')).size(),
                 6);
    }

    void models_keep_their_promises() {
        const auto store = small_store();
        StatisticsModel statistics;
        DetailsModel details;
        const QAbstractItemModelTester first(&statistics, QAbstractItemModelTester::FailureReportingMode::Fatal);
        const QAbstractItemModelTester second(&details, QAbstractItemModelTester::FailureReportingMode::Fatal);
        statistics.set(store, *timeline::statistics(*store, {0, 1}, 0, store->end()));
        QCOMPARE(statistics.rowCount(), 4);
        const QPersistentModelIndex kept = statistics.index(0, 0);
        const QString name = kept.data().toString();
        for (int column = 0; column < StatisticsModel::kColumns; ++column)
            for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
                statistics.sort(column, order);
                QCOMPARE(kept.data().toString(), name);
                if (column == StatisticsModel::kName)
                    QCOMPARE(statistics.index(0, 0).data().toString(), order == Qt::AscendingOrder
                                                                           ? QStringLiteral("copy_kernel")
                                                                           : QStringLiteral("softmax_kernel"));
            }
        QVERIFY(statistics.tsv({0}).count(QLatin1Char('\n')) == 2);
        details.set(store.get(), 0);
        QVERIFY(details.rowCount() >= 4 && !details.tsv().isEmpty());
        details.set(store.get(), kNoEvent);
        statistics.clear();
        QCOMPARE(statistics.rowCount(), 0);
    }

    void live_data_does_not_move_the_view() {
        Fixture f(nullptr);
        f.view.start_live();
        std::uint64_t time = 0;
        const auto more = [&] {
            profile::LiveUpdate update;
            for (int i = 0; i < 100; ++i, time += 1000) {
                profile::Activity a;
                a.name = "k";
                a.start_ns = time;
                a.end_ns = time + 700;
                update.activities.push_back(a);
            }
            f.view.append(update);
            QApplication::processEvents();
        };
        more();
        more(); // all of it stays in sight
        QVERIFY(f.canvas().scene().view.start <= 0 && f.canvas().at_end());
        f.canvas().fit_to(50'000, 60'000);
        const Viewport before = f.canvas().scene().view;
        f.canvas().select(10, false);
        more();
        QCOMPARE(f.canvas().scene().view.start, before.start);
        QCOMPARE(f.canvas().scene().view.ns_per_pixel, before.ns_per_pixel);
        QCOMPARE(f.canvas().scene().selected, EventId{10});
        f.canvas().fit_to(280'000, 305'000);
        f.key(Qt::Key_End);
        QVERIFY(f.canvas().at_end());
        more();
        QVERIFY(f.canvas().at_end());
        QVERIFY(f.canvas().scene().view.start > 300'000);
    }

    void files_are_opened_in_the_background() {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath(QStringLiteral("t.json")).toStdString();
        std::ofstream(path) << R"([{"ph": "X", "name": "from a file", "pid": 1, "tid": 1, "ts": 0, "dur": 5}])";
        Fixture f(small_store());
        QSignalSpy opened(&f.view, &TimelineView::opened);
        f.view.open(path);
        f.view.open(path); // the latest counts
        QVERIFY(f.view.findChild<QProgressBar*>()->isVisible());
        QVERIFY(opened.wait());
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][0].toBool(), true);
        QVERIFY(!f.view.findChild<QProgressBar*>()->isVisible());
        QCOMPARE(f.canvas().scene().store->name(0), std::string_view("from a file"));
        f.view.open(folder.filePath(QStringLiteral("none.json")).toStdString());
        QVERIFY(opened.wait());
        QCOMPARE(opened[1][0].toBool(), false);
        QVERIFY(f.view.findChild<widgets::EmptyState*>()->isVisible());
        f.view.open(path);
        for (auto* button : f.view.findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Cancel")) button->click();
        QCOMPARE(opened.count(), 3);
        QCOMPARE(opened[2][0].toBool(), false);
    }

    void pictures_are_written() {
        const QTemporaryDir folder;
        Fixture f(small_store());
        f.canvas().select(named(*f.store, "softmax_kernel"), false);
        const auto path = [&](const char* name) {
            return std::filesystem::path(folder.filePath(QLatin1String(name)).toStdString());
        };
        QVERIFY(f.view.export_picture(path("a.png")) && f.view.export_picture(path("a.svg")));
        const QImage image(folder.filePath(QStringLiteral("a.png")));
        QCOMPARE(image.size(), f.canvas().size());
        std::ifstream svg(path("a.svg"));
        const std::string text((std::istreambuf_iterator<char>(svg)), {});
        QVERIFY(text.find("softmax_kernel") != text.npos && text.find("thread 1") != text.npos);
        QVERIFY(!f.view.export_picture(path("a.gif")));
        QVERIFY(!f.view.export_picture(path("none/a.svg")));
        QVERIFY(!f.view.export_picture(path("none/a.png")));
    }

    void slices_are_drawn_where_events_are_in_both_themes() {
        for (const auto scheme : {widgets::Scheme::light, widgets::Scheme::dark}) {
            widgets::Theme::instance().apply(*qApp, scheme);
            Fixture f(small_store());
            const QImage image = f.canvas().grab().toImage();
            const auto& tokens = widgets::Theme::instance().tokens();
            for (const char* name : {"operator", "launch softmax", "softmax_kernel", "copy_kernel"}) {
                const EventId event = named(*f.store, name);
                const auto rect = rect_of(f.canvas().scene(), event);
                const QPoint corner =
                    (rect->topLeft()
                     + QPointF(f.canvas().width() - f.canvas().scene().view.width + 2, SceneParts::kRulerHeight + 1))
                        .toPoint();
                const auto expected = SliceColors(tokens).fill(SliceColors::index_of(name));
                QCOMPARE(image.pixelColor(corner).name(), expected.name());
            }
            const SliceColors colors(tokens);
            for (std::uint8_t i = 0; i < SliceColors::kCount; ++i)
                QVERIFY(widgets::contrast(colors.fill(i), colors.text(i)) >= 4.5);
        }
    }

    void everything_has_a_name_for_those_who_do_not_see() {
        Fixture f(small_store());
        for (const auto* widget : f.view.findChildren<QWidget*>()) {
            if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible()) continue;
            const QAccessibleInterface* access = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
            QVERIFY2(access && !access->text(QAccessible::Name).isEmpty(), widget->metaObject()->className());
        }
    }

    void the_overview_moves_the_view() {
        Fixture f(small_store());
        f.canvas().fit_to(0, 100'000);
        auto* overview = f.view.findChild<TimelineOverview*>();
        QTest::mouseClick(overview, Qt::LeftButton, {}, QPoint(overview->width() - 100, 10));
        QVERIFY(f.canvas().scene().view.start > 500'000);
    }

    void many_lanes_scroll() {
        timeline::Builder builder;
        timeline::Batch batch;
        for (int i = 0; i < 100; ++i)
            batch.events.push_back({.start = i,
                                    .duration = 10,
                                    .name = builder.shard().name("e"),
                                    .origin = 0,
                                    .lane = builder.shard().lane("g", std::to_string(i)),
                                    .category = 0,
                                    .phase = timeline::Phase::complete});
        batch.sort_by_lane(builder.shard().lanes());
        builder.commit(std::move(batch));
        Fixture f(*builder.finish());
        auto* bar = f.canvas().findChild<QScrollBar*>();
        QVERIFY(bar->isVisible() && bar->maximum() > 1000);
        f.wheel(QPoint(600, 100), -120, Qt::ControlModifier);
        QVERIFY(f.canvas().scene().scroll > 0);
        f.key(Qt::Key_PageDown);
        const EventId last = f.store->lanes().back().first;
        f.canvas().select(last, true);
        QVERIFY(f.canvas().rect().contains(f.middle(last)));
    }
};

QTEST_MAIN(TestTimelineView)
#include "test_view.moc"
