#include "engine/timeline/nsys.h"
#include "engine/timeline/open.h"
#include "engine/timeline/report_source.h"

#include <QTemporaryDir>
#include <QTest>

#include <SQLiteCpp/SQLiteCpp.h>

#include <fstream>
#include <map>

using namespace kw;
using namespace kw::timeline;

namespace {

constexpr std::int64_t kThread = (std::int64_t{91} << 24) | 5;

std::map<std::string, std::string> details_of(const Store& store, std::string_view name) {
    std::map<std::string, std::string> found;
    for (const Lane& lane : store.lanes())
        for (EventId e = lane.first; e < lane.first + lane.count; ++e)
            if (store.name(e) == name) {
                const auto details = store.details(e);
                if (!details) return found;
                for (const auto& d : *details) found[d.name] = d.value;
            }
    return found;
}

profile::Activity activity(profile::Activity::Kind kind, const char* name, std::uint64_t start, std::uint64_t end) {
    profile::Activity a;
    a.kind = kind;
    a.name = name;
    a.start_ns = start;
    a.end_ns = end;
    a.process = 10;
    a.thread = 11;
    a.stream = 7;
    return a;
}

} // namespace

class TestSources : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void an_export_of_nsight_systems_is_read_whatever_columns_it_has() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("r.sqlite")).toStdString();
        {
            SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
            database.exec("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                          "INSERT INTO StringIds VALUES (1, 'void add<float>(int)'), (2, 'cudaLaunchKernel'), (3, "
                          "'worker'), (4, 'step');"
                          "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, \"end\" INTEGER, deviceId INTEGER, "
                          "contextId INTEGER, "
                          "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, "
                          "registersPerThread INTEGER);"
                          "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, \"end\" INTEGER, deviceId INTEGER, "
                          "streamId INTEGER, bytes INTEGER);"
                          "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, \"end\" INTEGER, globalTid "
                          "INTEGER, correlationId INTEGER, nameId INTEGER);"
                          "CREATE TABLE NVTX_EVENTS (start INTEGER, \"end\" INTEGER, eventType INTEGER, text TEXT, "
                          "textId INTEGER, globalTid INTEGER);"
                          "CREATE TABLE ThreadNames (nameId INTEGER, globalTid INTEGER);"
                          "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT); INSERT INTO TARGET_INFO_GPU VALUES "
                          "(0, 'NVIDIA H200');"
                          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (2000, 5000, 0, 1, 7, 3, "
                          + std::to_string(kThread)
                          + ", 1, 32), (9000, 8000, 0, 1, 7, 4, 0, 1, 32), (NULL, 1, 0, 1, 7, 5, 0, 1, 32);"
                            "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (6000, 7000, 0, 7, 4096);"
                            "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1500, "
                          + std::to_string(kThread)
                          + ", 3, 2);"
                            "INSERT INTO NVTX_EVENTS VALUES (900, 5600, 59, NULL, 4, "
                          + std::to_string(kThread) + "), (950, NULL, 34, 'mark', NULL, " + std::to_string(kThread)
                          + "), (0, NULL, 75, 'domain', NULL, " + std::to_string(kThread)
                          + "); INSERT INTO ThreadNames VALUES (3, " + std::to_string(kThread) + ");");
        }
        const auto opened = open_trace(path);
        QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
        const Store& store = **opened;
        QCOMPARE(store.size(), 6u);
        std::vector<std::string> labels;
        for (const Lane& lane : store.lanes()) labels.push_back(store.groups()[lane.group].label + " / " + lane.label);
        const std::vector<std::string> expected{"process 91 / worker 5", "GPU 0: NVIDIA H200 / stream 7",
                                                "GPU 0: NVIDIA H200 / context 0 stream 7"};
        for (const auto& label : expected) QVERIFY2(std::ranges::find(labels, label) != labels.end(), label.c_str());
        QCOMPARE(store.flows().size(), 1u);
        QCOMPARE(store.name(store.flows()[0].from), std::string_view("cudaLaunchKernel"));
        QCOMPARE(store.name(store.flows()[0].to), std::string_view("void add<float>(int)"));
        const auto details = details_of(store, "void add<float>(int)");
        QCOMPARE(details.at("registersPerThread"), std::string("32"));
        QCOMPARE(details.at("demangledName"), std::string("void add<float>(int)"));
        std::string warnings;
        for (const auto& w : store.warnings()) warnings += w;
        QVERIFY(warnings.contains("no usable start") && warnings.contains("end before they start"));
    }

    void another_database_is_refused_and_so_is_a_damaged_one() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("x.sqlite")).toStdString();
        SQLite::Database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE people (name TEXT)");
        auto opened = open_trace(path);
        QVERIFY(!opened && opened.error().message.contains("nsys export"));
        std::ofstream(path, std::ios::binary) << std::string("SQLite format 3\0", 16) << std::string(4000, 'x');
        opened = open_trace(path);
        QVERIFY(!opened && opened.error().message.contains("cannot be read"));
    }

    void a_report_becomes_lanes_counters_and_arrows() {
        profile::Report report;
        using Kind = profile::Activity::Kind;
        report.activities = {activity(Kind::call, "cuLaunchKernel", 1000, 1500),
                             activity(Kind::kernel, "softmax", 2000, 5000), activity(Kind::copy, "HtoD", 5500, 6500),
                             activity(Kind::synchronization, "cuCtxSynchronize", 1600, 7000)};
        report.activities[0].correlation = report.activities[1].correlation = 42;
        report.activities[1].grid = {8, 2, 1};
        report.activities[1].block = {256, 1, 1};
        report.activities[2].bytes = 2'000'000;
        report.sampling.interval_ns = 1000;
        report.sampling.end_ns = {3000, 4000, 5000};
        report.sampling.values["dram_throughput"] = {10, 90, 50};
        report.activities_dropped = 3;
        const auto store = store_of(report);
        QCOMPARE(store->size(), 4u);
        QCOMPARE(store->groups().size(), 2u);
        QCOMPARE(store->groups()[0].label, std::string("process 10"));
        QCOMPARE(store->groups()[1].label, std::string("GPU 0"));
        QCOMPARE(store->groups()[1].counters.size(), 1u);
        const Series& series = store->counters()[0].series[0];
        QCOMPARE(series.times,
                 (std::vector<Ns>{1000, 2000, 3000})); // from when each interval began; the first call is 0
        QCOMPARE(series.end, Ns{4000});
        QCOMPARE(store->flows().size(), 1u);
        QCOMPARE(details_of(*store, "softmax").at("grid"), std::string("8 × 2 × 1"));
        QCOMPARE(details_of(*store, "HtoD").at("throughput"), std::string("2e+03 GB/s"));
        QCOMPARE(store->warnings().size(), 1u);
    }

    void a_live_trace_grows_and_stays_bounded() {
        LiveTrace live;
        std::shared_ptr<const Store> first;
        for (int i = 0; i < 10; ++i) {
            profile::LiveUpdate update;
            for (int k = 0; k < 2000; ++k)
                update.activities.push_back(activity(profile::Activity::Kind::kernel, "k",
                                                     static_cast<std::uint64_t>(i * 2000 + k) * 100,
                                                     static_cast<std::uint64_t>(i * 2000 + k) * 100 + 60));
            live.append(update);
            const auto store = live.snapshot();
            QCOMPARE(store->size(), static_cast<std::uint32_t>(2000 * (i + 1)));
            if (!first) first = store;
        }
        QCOMPARE(first->size(), 2000u); // an earlier picture is what it was
        QVERIFY(first->details(5));
        profile::LiveUpdate flood;
        for (std::uint64_t k = 0; k < LiveTrace::kMostActivities; ++k)
            flood.activities.push_back(activity(profile::Activity::Kind::kernel, "k", 5'000'000 + k, 5'000'001 + k));
        live.append(flood);
        QCOMPARE(live.activities(), LiveTrace::kMostActivities);
        QCOMPARE(live.snapshot()->warnings().size(), 1u);
    }
};

QTEST_APPLESS_MAIN(TestSources)
#include "test_sources.moc"
