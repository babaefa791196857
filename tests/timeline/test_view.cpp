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
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>

#include <SQLiteCpp/SQLiteCpp.h>
#include <zlib.h>

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

    static void expect_warning(Fixture& f, const QString& part) {
        QString said;
        for (const auto* label : f.view.findChildren<QLabel*>())
            if (label->isVisible() && label->property("tone").toString() == QStringLiteral("warn"))
                said += label->text();
        QVERIFY2(said.contains(part, Qt::CaseInsensitive), qPrintable(said));
    }

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

    void a_live_stream_is_followed_and_leaves_time() {
        Fixture f(nullptr);
        f.view.start_live();
        std::uint64_t time = 0;
        QElapsedTimer beat;
        qint64 longest = 0;
        QTimer heart;
        connect(&heart, &QTimer::timeout, &heart, [&] { longest = std::max(longest, beat.restart()); });
        heart.start(5);
        beat.start();
        constexpr int kUpdates = 60, kPerUpdate = 1000; // 20 a second for three seconds
        int sent = 0;
        QTimer source;
        connect(&source, &QTimer::timeout, &source, [&] {
            profile::LiveUpdate update;
            for (int i = 0; i < kPerUpdate; ++i, time += 1000) {
                profile::Activity a;
                a.name = i % 2 ? "odd" : "even";
                a.start_ns = time;
                a.end_ns = time + 700;
                a.stream = static_cast<std::uint32_t>(i % 4);
                update.activities.push_back(a);
            }
            update.sampling.interval_ns = 10'000;
            for (std::uint64_t at = time - 1'000'000; at < time; at += 10'000) {
                update.sampling.end_ns.push_back(at + 10'000);
                update.sampling.values["dram_throughput"].push_back(static_cast<double>(at % 100));
            }
            f.view.append(update);
            // A look at the newest millisecond, at the end of which it stays.
            if (++sent == 3) {
                f.canvas().fit_to(static_cast<double>(time) - 1e6, static_cast<double>(time));
                f.key(Qt::Key_End);
            }
            if (sent == kUpdates) source.stop();
        });
        source.start(50);
        QTRY_COMPARE_WITH_TIMEOUT(sent, kUpdates, 20'000);
        QTRY_COMPARE(f.canvas().scene().store->size(), static_cast<std::uint32_t>(kUpdates * kPerUpdate));
        QVERIFY(f.canvas().at_end());
        QVERIFY(f.canvas().scene().view.start > static_cast<double>(time) - 3e6);
        QCOMPARE(f.canvas().scene().store->counters().size(), 1u);
        QElapsedTimer frame;
        frame.start();
        f.canvas().repaint();
        QVERIFY2(frame.elapsed() <= 33, qPrintable(QString::number(frame.elapsed())));
        // The window answers in between; a busy machine may hold it up, though not for as long as this.
        QVERIFY2(longest < 500, qPrintable(QString::number(longest)));
    }

    void a_report_stands_below_the_stages_that_led_to_it() {
        profile::Report report;
        for (int i = 0; i < 3; ++i) {
            profile::Activity a;
            a.name = "softmax";
            a.start_ns = 1'000'000 + static_cast<std::uint64_t>(i) * 100'000;
            a.end_ns = a.start_ns + 20'000;
            report.activities.push_back(a);
        }
        report.sampling.interval_ns = 5'000;
        for (std::uint64_t at = 1'195'000; at <= 1'400'000; at += 5'000) {
            report.sampling.end_ns.push_back(at);
            report.sampling.values["sm_throughput"].push_back(50);
        }
        Fixture f(nullptr);
        f.view.show_report(report, {{"compile", 100}, {"verify", 40}, {"bench", 250}, {"profile", 30}});
        const auto& store = *f.canvas().scene().store;
        QCOMPARE(store.groups()[0].label, std::string("Evaluation"));
        const EventId compile = named(store, "compile"), bench = named(store, "bench"),
                      profiled = named(store, "profile");
        QCOMPARE(store.start(compile), Ns{0});
        QCOMPARE(store.duration(compile), Ns{100'000'000});
        QCOMPARE(store.end(bench), store.start(profiled));
        // The report's clock begins where its stage does.
        QCOMPARE(store.start(named(store, "softmax")) - store.start(profiled), Ns{1'000'000});
        // What was sampled is in sight, the kernel that it belongs to in the middle.
        const double kernel = static_cast<double>(store.start(profiled)) + 1'210'000;
        const Viewport view = f.canvas().scene().view;
        QVERIFY(view.start < kernel && end_of(view) > kernel);
        QVERIFY(end_of(view) - view.start < 200'000);
        QVERIFY(store.details(compile).has_value());
        // A malformed clock costs nothing but the stage's length.
        f.view.show_report(report, {{"compile", -5}, {"profile", 1e300}});
        QCOMPARE(f.canvas().scene().store->duration(named(*f.canvas().scene().store, "compile")), Ns{0});
        f.view.show_report({});
        QVERIFY(f.view.findChild<widgets::EmptyState*>()->isVisible());
    }

    void bad_files_show_what_could_be_read_and_say_what_could_not_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("events"); ///< -1: refused
        QTest::addColumn<QString>("warning");
        const QByteArray good = R"({"ph":"X","name":"good","pid":1,"tid":1,"ts":1,"dur":5})";
        const auto with = [&](const char* bad) { return QByteArray("[" + good + "," + bad + "]"); };
        QTest::newRow("cut within a record")
            << QByteArray("[" + good + ",{\"ph\":\"X\",\"name\":\"ba") << 1 << QStringLiteral("end");
        QTest::newRow("wrong types") << with(R"({"ph":"X","name":[1],"pid":{},"tid":1,"ts":"x","dur":true},{"ph":7})")
                                     << 1 << QStringLiteral("no usable \"ts\"");
        QTest::newRow("a negative duration")
            << with(R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":2,"dur":-3})") << -2 << QStringLiteral("negative");
        QTest::newRow("2^63") << with(R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":9223372036854775808,"dur":1})") << 1
                              << QStringLiteral("no usable \"ts\"");
        QTest::newRow("not a trace") << QByteArray("\x7f\x45\x4c\x46\0\0\1", 7) << -1 << QString();
        QTest::newRow("empty") << QByteArray() << -1 << QString();
    }
    void bad_files_show_what_could_be_read_and_say_what_could_not() {
        QFETCH(QByteArray, bytes);
        QFETCH(int, events);
        QFETCH(QString, warning);
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("t.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        file.close();
        Fixture f(small_store());
        QSignalSpy opened(&f.view, &TimelineView::opened);
        f.view.open(path.toStdString());
        QVERIFY(opened.wait());
        QCOMPARE(opened[0][0].toBool(), events != -1);
        if (events == -1) {
            QVERIFY(!opened[0][1].toString().isEmpty());
            QVERIFY(f.view.findChild<widgets::EmptyState*>()->isVisible());
            return;
        }
        const auto& store = *f.canvas().scene().store;
        QVERIFY(named(store, "good") != kNoEvent);
        if (events > 0) QCOMPARE(store.size(), static_cast<std::uint32_t>(events));
        expect_warning(f, warning);
    }

    void a_damaged_database_is_told_in_place() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("r.sqlite")).toStdString();
        {
            SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
            database.exec("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                          "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, \"end\" INTEGER, deviceId INTEGER, "
                          "streamId INTEGER, demangledName INTEGER);");
            SQLite::Transaction transaction(database);
            for (int i = 0; i < 20'000; ++i)
                database.exec("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + std::to_string(i * 10) + ", "
                              + std::to_string(i * 10 + 5) + ", 0, 7, 1);");
            transaction.commit();
        }
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::ReadWrite));
        const qint64 size = file.size();
        const auto opens = [&] {
            Fixture f(small_store());
            QSignalSpy opened(&f.view, &TimelineView::opened);
            f.view.open(path);
            if (!opened.wait()) return QStringLiteral("no answer");
            if (opened[0][0].toBool()) return QString();
            return f.view.findChild<widgets::EmptyState*>()->isVisible() ? opened[0][1].toString()
                                                                         : QStringLiteral("not in place");
        };
        QVERIFY2(opens().isEmpty(), qPrintable(opens()));
        // Pages in the middle of the file, where the rows are.
        file.seek(size / 3);
        file.write(QByteArray(static_cast<int>(size / 3), '\x5a'));
        file.flush();
        const QString damaged = opens();
        QVERIFY2(damaged.contains(QStringLiteral("r.sqlite")), qPrintable(damaged));
        QVERIFY(file.resize(size / 2));
        const QString cut = opens();
        QVERIFY2(cut.contains(QStringLiteral("r.sqlite")), qPrintable(cut));
    }

    void a_gzip_file_that_was_cut_shows_what_came_before() {
        QByteArray text = "[";
        for (int i = 0; i < 20'000; ++i)
            text += "{\"ph\":\"X\",\"name\":\"e" + QByteArray::number(i * 7919 % 100'003)
                    + "\",\"pid\":1,\"tid\":1,\"ts\":" + QByteArray::number(i * 10) + ",\"dur\":5},\n";
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("t.json.gz"));
        gzFile packed = gzopen(path.toLocal8Bit().constData(), "wb");
        QVERIFY(packed);
        gzwrite(packed, text.constData(), static_cast<unsigned>(text.size()));
        gzclose(packed);
        QFile file(path);
        QVERIFY(file.resize(file.size() / 2));
        Fixture f(small_store());
        QSignalSpy opened(&f.view, &TimelineView::opened);
        f.view.open(path.toStdString());
        QVERIFY(opened.wait());
        QVERIFY2(opened[0][0].toBool(), qPrintable(opened[0][1].toString()));
        QVERIFY(f.canvas().scene().store->size() > 1000 && f.canvas().scene().store->size() < 20'000);
        expect_warning(f, QStringLiteral("end"));
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
