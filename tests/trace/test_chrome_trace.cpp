#include "engine/profile/trace/chrome_trace.h"
#include "engine/profile/trace/summary.h"
#include "tests/trace/trace_check.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QtTest>

#include <fstream>
#include <random>

using namespace kw::trace;
using kw::Json;
using kw::profile::Activity;

namespace {

Activity made(Activity::Kind kind, std::string name, std::uint64_t start, std::uint64_t end,
              std::uint32_t correlation = 0) {
    Activity activity{.kind = kind, .name = std::move(name)};
    activity.start_ns = start;
    activity.end_ns = end;
    activity.process = 500;
    activity.correlation = correlation;
    if (kind == Activity::Kind::call)
        activity.thread = 501;
    else
        activity.context = 1, activity.stream = 7;
    return activity;
}

TraceInfo info() {
    return {.producer = "test",
            .base_time_ns = 1'700'000'000'000'000'000,
            .processes = {{.pid = 500,
                           .name = "prog",
                           .command = "prog \"x\" \xff",
                           .threads = {{501, "main"}, {502, "helper"}},
                           .devices = {{0, {0, "NVIDIA H200", 90, 132, 1ull << 37}}}}}};
}

/// Written, read and parsed again; null when any of it fails.
Json written(const std::vector<Activity>& activities, const TraceInfo& trace_info = info(),
             const kw::profile::Sampling& sampling = {}, const char* name = "t.json") {
    const QTemporaryDir folder;
    const auto path = std::filesystem::path{folder.path().toStdString()} / name;
    const auto count = write_chrome_trace(path, trace_info, source_of(activities), sampling, {});
    if (!count || *count != activities.size()) return nullptr;
    return Json::parse(kw::test::read_trace(path), nullptr, false);
}

std::vector<Json> slices(const Json& trace, std::string_view category) {
    std::vector<Json> found;
    for (const auto& event : trace.at("traceEvents"))
        if (event.at("ph") == "X" && event.at("cat") == category) found.push_back(event);
    return found;
}

} // namespace

class TestChromeTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void writes_what_viewers_expect() {
        auto kernel = made(Activity::Kind::kernel, "axpy<\"q\", \\>(float)", 2'000'600, 2'001'601, 5);
        kernel.registers = 32;
        kernel.grid = {4, 5, 6};
        kernel.occupancy = 0.5;
        auto copy = made(Activity::Kind::copy, "HtoD", 3'000'000, 3'001'000, 6);
        copy.bytes = 64000;
        auto wait = made(Activity::Kind::synchronization, "stream synchronize", 3'002'000, 3'003'000, 7);
        wait.thread = 501;
        const std::vector activities{made(Activity::Kind::call, "cuLaunchKernel", 2'000'100, 2'000'400, 5),
                                     made(Activity::Kind::call, "cudaLaunchKernel", 2'000'000, 2'000'500, 5),
                                     kernel,
                                     copy,
                                     made(Activity::Kind::memset, "memset", 3'500'000, 3'500'001, 0),
                                     wait};
        const auto trace = written(activities);
        QVERIFY(trace.is_object());
        QCOMPARE(kw::test::problem_of_trace(trace), std::string{});
        QCOMPARE(trace.at("baseTimeNanoseconds").get<std::uint64_t>(), std::uint64_t{1'700'000'000'000'000'000});
        QCOMPARE(trace.at("deviceProperties")[0].at("computeMajor").get<int>(), 9);
        const auto kernels = slices(trace, "kernel");
        QCOMPARE(kernels.size(), std::size_t{1});
        QCOMPARE(kernels[0].at("name").get<std::string>(), kernel.name);
        QCOMPARE(kernels[0].at("ts").get<double>(), 2000.6);
        QCOMPARE(kernels[0].at("dur").get<double>(), 1.001);
        QCOMPARE(kernels[0].at("pid").get<int>(), 0);
        QCOMPARE(kernels[0].at("tid").get<int>(), 7);
        QVERIFY(kernels[0].at("args").at("grid") == Json({4, 5, 6}));
        QCOMPARE(kernels[0].at("args").at("theoretical occupancy %").get<double>(), 50.0);
        QVERIFY(!kernels[0].at("args").contains("cluster"));
        QCOMPARE(slices(trace, "gpu_memcpy")[0].at("name").get<std::string>(), std::string{"Memcpy HtoD"});
        QCOMPARE(slices(trace, "gpu_memcpy")[0].at("args").at("memory bandwidth (GB/s)").get<double>(), 64.0);
        QCOMPARE(slices(trace, "gpu_memset").size(), std::size_t{1});
        QCOMPARE(slices(trace, "cuda_runtime").size(), std::size_t{1});
        QCOMPARE(slices(trace, "cuda_driver")[0].at("tid").get<int>(), 501);
        QCOMPARE(slices(trace, "cuda_sync").size(), std::size_t{1});
        // The launch is joined with its kernel once, though two calls have its number; the copy has no call.
        QCOMPARE(kw::test::events(trace, "s", "ac2g"), std::size_t{1});
        QCOMPARE(kw::test::events(trace, "f", "ac2g"), std::size_t{1});
    }

    void keeps_rows_free_of_overlaps() {
        std::vector<Activity> activities;
        std::mt19937 random{3};
        // As graphs do it: much at once on one stream, told in any order; two GPUs; two contexts with one stream
        // number.
        for (int i = 0; i < 3000; ++i) {
            const auto start = random() % 1'000'000;
            auto kernel = made(Activity::Kind::kernel, "k", start, start + 1 + random() % 2000, 1);
            kernel.device = random() % 2;
            kernel.context = 1 + kernel.device + (random() % 2) * 2;
            activities.push_back(kernel);
            auto wait = made(Activity::Kind::synchronization, "event synchronize", start, start + random() % 3000);
            wait.thread = 501 + random() % 2;
            activities.push_back(wait);
        }
        activities.push_back(made(Activity::Kind::call, "cudaGraphLaunch", 0, 10, 1));
        const auto trace = written(activities);
        QVERIFY(trace.is_object());
        QCOMPARE(kw::test::events(trace, "X"), activities.size());
        const auto problem = kw::test::problem_of_trace(trace);
        // One launch, thousands of kernels: the arrow goes to the first that was told, which may be any.
        QCOMPARE(problem, std::string{});
        QCOMPARE(kw::test::events(trace, "s"), std::size_t{1});
    }

    void tells_processes_apart() {
        std::vector<Activity> activities;
        TraceInfo two = info();
        two.processes.push_back(
            {.pid = 1, .name = "first", .command = "init"}); // as in a container; also a GPU's number
        two.processes[1].threads = {{501, "main"}};
        for (const std::uint32_t process : {500u, 1u})
            for (std::uint32_t i = 1; i <= 100; ++i) {
                auto call = made(Activity::Kind::call, "cudaLaunchKernel", i * 1000, i * 1000 + 300, i);
                auto kernel = made(Activity::Kind::kernel, "k", i * 1000 + 400, i * 1000 + 900, i);
                call.process = kernel.process = process;
                kernel.device = 1;
                activities.push_back(call);
                activities.push_back(kernel);
            }
        const auto trace = written(activities, two);
        QVERIFY(trace.is_object());
        QCOMPARE(kw::test::problem_of_trace(trace), std::string{});
        QCOMPARE(kw::test::events(trace, "s"), std::size_t{200});
    }

    void writes_samples_as_counters() {
        kw::profile::Sampling sampling{.interval_ns = 1000, .end_ns = {5000, 6000, 7000}, .values = {}};
        sampling.values["dram_throughput"] = {10.5, std::nan(""), 30};
        const auto trace = written({made(Activity::Kind::kernel, "k", 4000, 7000)}, info(), sampling);
        QVERIFY(trace.is_object());
        QCOMPARE(kw::test::events(trace, "C"), std::size_t{2});
        for (const auto& event : trace.at("traceEvents"))
            if (event.at("ph") == "C") {
                QCOMPARE(event.at("ts").get<double>(), 4.0);
                QCOMPARE(event.at("args").at("value").get<double>(), 10.5);
                break;
            }
    }

    void compresses_by_name() {
        const std::vector<Activity> activities(1000, made(Activity::Kind::kernel, "k", 1000, 1000));
        const QTemporaryDir folder;
        const auto path = std::filesystem::path{folder.path().toStdString()} / "t.json.gz";
        QVERIFY(write_chrome_trace(path, info(), source_of(activities), {}, {}));
        std::ifstream file{path, std::ios::binary};
        QCOMPARE(file.get(), 0x1f);
        QVERIFY(std::filesystem::file_size(path) < 20'000);
        const auto trace = Json::parse(kw::test::read_trace(path), nullptr, false);
        QVERIFY(trace.is_object());
        QCOMPARE(kw::test::events(trace, "X"), std::size_t{1000});
        QCOMPARE(std::ranges::distance(std::filesystem::directory_iterator{path.parent_path()}), std::ptrdiff_t{1});
    }

    void leaves_the_old_file_when_it_fails() {
        const QTemporaryDir folder;
        const auto path = std::filesystem::path{folder.path().toStdString()} / "t.json";
        std::ofstream{path} << "old";
        const Source broken = [](const auto&) -> kw::Result<void> {
            return kw::fail(kw::Stage::profile, kw::ErrorCode::internal, "gone");
        };
        QVERIFY(!write_chrome_trace(path, info(), broken, {}, {}));
        QCOMPARE(kw::test::read_trace(path), std::string{"old"});
        QCOMPARE(std::ranges::distance(std::filesystem::directory_iterator{path.parent_path()}), std::ptrdiff_t{1});

        const auto full = write_chrome_trace("/dev/full", info(), source_of({}), {}, {});
        QVERIFY(!full);
        QVERIFY2(full.error().message.contains("/dev/full"), full.error().message.c_str());
        const auto nowhere = write_chrome_trace("/nonexistent/t.json", info(), source_of({}), {}, {});
        QVERIFY(!nowhere);
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = write_chrome_trace(path, info(), source_of({}), {}, stop.get_token());
        QVERIFY(!stopped && stopped.error().code == kw::ErrorCode::cancelled);
        QCOMPARE(kw::test::read_trace(path), std::string{"old"});
    }

    void adds_up() {
        Summarizer summarizer;
        summarizer.add(made(Activity::Kind::kernel, "a", 1000, 2000));
        summarizer.add(made(Activity::Kind::kernel, "b", 1500, 3500)); // overlaps
        summarizer.add(made(Activity::Kind::kernel, "a", 5000, 5500));
        auto copy = made(Activity::Kind::copy, "HtoD", 5400, 6000);
        copy.bytes = 600;
        summarizer.add(copy);
        summarizer.add(made(Activity::Kind::call, "cudaLaunchKernel", 0, 100));
        const auto summary = summarizer.summary();
        QCOMPARE(summary.activities, std::uint64_t{5});
        QCOMPARE(summary.devices.size(), std::size_t{1});
        QCOMPARE(summary.devices[0].busy_ns, std::uint64_t{2500 + 1000});
        QCOMPARE(summary.devices[0].first_ns, std::uint64_t{1000});
        QCOMPARE(summary.devices[0].last_ns, std::uint64_t{6000});
        QCOMPARE(summary.kernels[0].name, std::string{"b"});
        QCOMPARE(summary.kernels[1].count, std::uint64_t{2});
        QCOMPARE(summary.kernels[1].min_ns, std::uint64_t{500});
        QCOMPARE(summary.kernels[1].max_ns, std::uint64_t{1000});
        QCOMPARE(summary.copies[0].bytes, std::uint64_t{600});
        const auto json = to_json(summary);
        QCOMPARE(json.at("kernels")[0].at("total_ns").get<int>(), 2000);
        QCOMPARE(json.at("calls")[0].at("name").get<std::string>(), std::string{"cudaLaunchKernel"});
    }
};

QTEST_APPLESS_MAIN(TestChromeTrace)
#include "test_chrome_trace.moc"
