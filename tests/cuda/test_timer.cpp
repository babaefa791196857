#include "engine/device/cuda/cuda_device.h"
#include "engine/device/cuda/timing_rules.h"
#include "tests/cuda/fake_driver.h"

#include <QtTest/QtTest>

#include <algorithm>

using namespace kw::cuda;
using kw::device::Measurement;
using kw::device::MeasureOptions;

/// Timing against a driver whose events show what the test says.
class TimerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void plans_batches();
    void tells_clocks_from_stamps();
    void judges_clocks();
    void takes_a_capped_clock_for_what_it_is();
    void does_without_a_rated_clock();
    void knows_when_it_is_enough();
    void may_stop_before_its_time();
    void times_long_runs_one_by_one();
    void times_short_runs_in_batches();
    void runs_warm_where_inputs_fit_in_l2();
    void takes_turns();
    void discards_samples_at_a_low_clock();
    void waits_for_a_gpu_that_wakes();
    void says_when_nothing_counts();
    void goes_on_without_clocks();
    void ends_at_the_noise_target();
    void ends_at_the_deadline();
    void hands_a_fault_on();
    void says_what_helps();
    void passes_errors_on_data();
    void passes_errors_on();
};

namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;

struct Bench {
    FakeDriver driver;
    std::unique_ptr<CudaDevice> device = std::move(*CudaDevice::open(0, driver.api()));
    std::unique_ptr<kw::device::Module> module = std::move(*device->load({.ptx = {}, .cubin = "code"}));
    MeasureOptions options{.rotations = 3, .rotation_bytes = 200 * kMegabyte, .min_seconds = 0, .max_seconds = 5};

    kw::device::Work work(const std::string& name, int launches = 1) {
        return {.label = name, .run = [this, name, launches](std::size_t) {
                    kw::Result<kw::device::LaunchOutcome> outcome = kw::device::LaunchOutcome{};
                    for (int i = 0; i < launches && outcome && !outcome->fault; ++i)
                        outcome = device->launch(*module, name, {}, {}, {});
                    return outcome;
                }};
    }

    kw::Result<std::vector<Measurement>> measure(const std::vector<kw::device::Work>& works,
                                                 std::stop_token stop = {}) {
        return device->measure(works, options, stop, [](std::string_view, double) {});
    }
};

} // namespace

void TimerTest::plans_batches() {
    QVERIFY(needs_batches(std::vector{400.0, 9.9}));
    QVERIFY(!needs_batches(std::vector{400.0, 10.0}));
    // Half a millisecond, in whole turns.
    QCOMPARE(batch_size(5, 1), 100u);
    QCOMPARE(batch_size(5, 9), 108u);
    QCOMPARE(batch_size(0.01, 1), 1000u); // shorter than anything can be launched
    // One turn of a slow work may not last seconds.
    QCOMPARE(batch_size(300, 100), 66u);
    QCOMPARE(batch_size(1000, 100), 20u);
    QCOMPARE(batch_size(100000, 100), 1u);
}

void TimerTest::tells_clocks_from_stamps() {
    QCOMPARE(*clock_between({1000, 5000, 7}, {1000 + 198000, 5000 + 100000, 7}), 1980.0);
    QVERIFY(!clock_between({1000, 5000, 7}, {199000, 105000, 8}));
    QVERIFY(!clock_between({1000, 5000, 7}, {2000, 5500, 7}));
    QVERIFY(!clock_between({1000, 5000, 7}, {500, 105000, 7}));
    QVERIFY(!clock_between({}, {}));
}

void TimerTest::judges_clocks() {
    ClockJudge judge(2000);
    QVERIFY(judge.accept(1501, 0));
    QVERIFY(!judge.accept(1499, 0));
    QVERIFY(judge.accept({}, 0));
    // One that has been at full speed is waited for, however long.
    for (int i = 0; i < 100; ++i) QVERIFY(!judge.accept(900, 10));
    QVERIFY(judge.has_seen_full_clock());
    QCOMPARE(judge.note(), std::string{});
}

void TimerTest::takes_a_capped_clock_for_what_it_is() {
    ClockJudge judge(2000);
    for (int i = 0; i < 30; ++i) QVERIFY(!judge.accept(1000, 0.01)); // may yet wake up
    QVERIFY(!judge.accept(1000, 0.6));
    QVERIFY(judge.accept(1000, 0.6));
    QVERIFY(judge.accept(990, 0.6));
    QVERIFY(!judge.accept(740, 0.6));
    QVERIFY(judge.note().contains("ran at 1000 MHz, 50 % of their rated 2000"));
}

void TimerTest::does_without_a_rated_clock() {
    ClockJudge judge(0);
    QVERIFY(judge.accept(300, 0));
    QVERIFY(judge.accept({}, 0));
    QVERIFY(judge.note().contains("not checked"));
    ClockJudge blind(2000);
    QVERIFY(blind.accept({}, 0));
    QVERIFY(blind.note().contains("not checked"));
}

void TimerTest::knows_when_it_is_enough() {
    const std::vector<double> few(5, 1.0), many(10, 1.0);
    const std::vector<std::span<const double>> both{few, many}, second{many};
    MeasureOptions options{.min_seconds = 0.5, .noise = [](std::span<const double>) { return 0.004; }};
    QVERIFY(!is_enough(both, options, 1));
    QVERIFY(is_enough(second, options, 1));
    QVERIFY(!is_enough(second, options, 0.4));
    options.noise = [](std::span<const double>) { return 0.006; };
    QVERIFY(!is_enough(second, options, 100));
}

void TimerTest::may_stop_before_its_time() {
    const std::vector<double> many(100, 1.0), fewer(99, 1.0);
    const std::vector<std::span<const double>> both{many, many}, one_short{many, fewer};
    MeasureOptions options{.min_seconds = 0.5, .noise = [](std::span<const double>) { return 0.0009; }};
    QVERIFY(is_enough(both, options, 0.2));
    QVERIFY(!is_enough(both, options, 0.19));
    QVERIFY(!is_enough(one_short, options, 0.2));
    options.noise = [](std::span<const double>) { return 0.0011; };
    QVERIFY(!is_enough(both, options, 0.49));
    QVERIFY(is_enough(both, options, 0.5));
    options.noise = {};
    QVERIFY(!is_enough(both, options, 0.49));
}

void TimerTest::times_long_runs_one_by_one() {
    Bench bench;
    const auto measured = bench.measure({bench.work("slow", 2)});
    QVERIFY(measured);
    const auto& result = measured->front();
    QVERIFY(result.samples_us.size() >= 10);
    QVERIFY(std::ranges::all_of(result.samples_us, [](double us) { return std::abs(us - 40) < 0.01; }));
    QCOMPARE(bench.driver.count("cuGraphLaunch"), 0u);
    // L2 is flushed before each run, those of the warm-up included.
    QCOMPARE(bench.driver.flushes * 2, bench.driver.launched.size());
    QVERIFY(result.cold);
    QCOMPARE(result.clock_mhz, 1980.0);
    QCOMPARE(result.discarded, 0u);
    QCOMPARE(result.clock_note, std::string{});
}

void TimerTest::times_short_runs_in_batches() {
    Bench bench;
    bench.driver.sample_us = [](int launches) { return launches == 1 ? 5.0 : 4.0 + 2.0 * launches; };
    const auto measured = bench.measure({bench.work("short")});
    QVERIFY(measured);
    QVERIFY(bench.driver.count("cuGraphLaunch") >= 10);
    QCOMPARE(bench.driver.count("cuGraphExecDestroy"), 1u);
    const double runs = 102; // half a millisecond of 5 µs runs, in turns of three
    for (const double us : measured->front().samples_us) QVERIFY(std::abs(us - (4 + 2 * runs) / runs) < 1e-3);
    QVERIFY(measured->front().cold);
}

void TimerTest::runs_warm_where_inputs_fit_in_l2() {
    Bench bench;
    bench.options.rotation_bytes = kMegabyte;
    bench.driver.sample_us = [](int launches) { return 2.0 * launches; };
    const auto measured = bench.measure({bench.work("short")});
    QVERIFY(measured);
    QVERIFY(!measured->front().cold);
    const auto warm_up = bench.driver.flushes;
    QCOMPARE(warm_up, 6u); // one to load code and five that tell how long a run takes
}

void TimerTest::takes_turns() {
    Bench bench;
    const auto measured = bench.measure({bench.work("a"), bench.work("b"), bench.work("c")});
    QVERIFY(measured);
    // Behind the warm-up of each, rounds start with another every time.
    std::string order;
    for (std::size_t i = 18; i < 27; ++i) order += bench.driver.launched[i];
    QCOMPARE(order, std::string("abcbcacab"));
    QCOMPARE(measured->at(0).samples_us.size(), measured->at(2).samples_us.size());
}

void TimerTest::discards_samples_at_a_low_clock() {
    Bench bench;
    int sample = 0;
    // Twice a round of stamps: one at the beginning, one at the end of a sample.
    bench.driver.clock_mhz = [&] { return ++sample / 2 % 8 == 0 && sample > 12 ? 1000.0 : 1900.0; };
    const auto measured = bench.measure({bench.work("a")});
    QVERIFY(measured);
    QVERIFY(measured->front().discarded > 0);
    QVERIFY(measured->front().samples_us.size() >= 10);
    QCOMPARE(measured->front().clock_mhz, 1900.0);
}

void TimerTest::waits_for_a_gpu_that_wakes() {
    Bench bench;
    int stamps = 0;
    // At a low clock a run looks long enough to be timed by itself.
    bench.driver.clock_mhz = [&] { return ++stamps < 60 ? 345.0 : 1980.0; };
    bench.driver.sample_us = [&](int launches) { return (stamps < 60 ? 30.0 : 6.0) * launches; };
    const auto measured = bench.measure({bench.work("a")});
    QVERIFY(measured);
    QVERIFY(bench.driver.count("cuGraphLaunch") >= 10);
    QCOMPARE(measured->front().discarded, 0u);
}

void TimerTest::says_when_nothing_counts() {
    Bench bench;
    bench.options.max_seconds = 0.2;
    bench.driver.clock_mhz = [] { return 1000.0; };
    const auto measured = bench.measure({bench.work("candidate.cu")});
    QVERIFY(!measured);
    QVERIFY2(
        QString::fromStdString(measured.error().message).contains("candidate.cu could not be timed: the GPU's clock"),
        measured.error().message.c_str());
}

void TimerTest::goes_on_without_clocks() {
    Bench bench;
    bench.driver.clock_mhz = [] { return 0.0; };
    const auto measured = bench.measure({bench.work("a")});
    QVERIFY(measured);
    QVERIFY(measured->front().samples_us.size() >= 10);
    QCOMPARE(measured->front().clock_mhz, 0.0);
    QVERIFY(measured->front().clock_note.contains("not checked"));
}

void TimerTest::ends_at_the_noise_target() {
    Bench bench;
    std::size_t seen = 0;
    bench.options.noise = [&](std::span<const double> samples) {
        seen = samples.size();
        return samples.size() < 1000 ? 1.0 : 0.001;
    };
    const auto measured = bench.measure({bench.work("a")});
    QVERIFY(measured);
    QVERIFY(measured->front().samples_us.size() >= 1000);
    QCOMPARE(seen, measured->front().samples_us.size());
}

void TimerTest::ends_at_the_deadline() {
    Bench bench;
    bench.options.max_seconds = 0.3;
    bench.options.noise = [](std::span<const double>) { return 1.0; };
    QElapsedTimer clock;
    clock.start();
    QVERIFY(bench.measure({bench.work("a")}));
    QVERIFY(clock.elapsed() >= 290 && clock.elapsed() < 2000);
    std::stop_source stop;
    stop.request_stop();
    const auto cancelled = bench.measure({bench.work("a")}, stop.get_token());
    QVERIFY(!cancelled);
    QCOMPARE(cancelled.error().code, kw::ErrorCode::cancelled);
}

void TimerTest::hands_a_fault_on() {
    Bench bench;
    bench.driver.next["cuStreamQuery"] = std::deque<CUresult>(40, kSuccess);
    bench.driver.next["cuStreamQuery"].push_back(kIllegalAddress);
    bench.driver.sticky = true;
    const auto measured = bench.measure({bench.work("good"), bench.work("bad")});
    QVERIFY(measured);
    QVERIFY(measured->at(0).fault || measured->at(1).fault);
    QVERIFY(bench.device->lost());
}

void TimerTest::passes_errors_on_data() {
    QTest::addColumn<QString>("call");
    QTest::addColumn<QString>("says");
    QTest::newRow("module") << "cuModuleLoadData" << "timing could not load its kernels";
    QTest::newRow("host memory") << "cuMemHostAlloc" << "timing could not allocate its page";
    QTest::newRow("flush buffer") << "cuMemAlloc" << "timing could not allocate the buffer that flushes L2";
    QTest::newRow("event") << "cuEventCreate" << "timing could not create an event";
    QTest::newRow("record") << "cuEventRecord" << "timing could not record an event";
    QTest::newRow("flush") << "cuMemsetD8Async" << "timing could not flush L2";
    QTest::newRow("read") << "cuEventElapsedTime" << "timing could not read its events";
    QTest::newRow("capture") << "cuStreamEndCapture" << "timing could not record a batch";
    QTest::newRow("graph") << "cuGraphInstantiate" << "timing could not make a batch";
    QTest::newRow("batch") << "cuGraphLaunch" << "timing could not launch a batch";
}

void TimerTest::says_what_helps() {
    Bench bench;
    bench.driver.next["cuModuleLoadData"] = {kJitCompilerNotFound};
    const auto measured = bench.measure({bench.work("a")});
    QVERIFY(!measured && measured.error().message.contains("libnvidia-ptxjitcompiler.so.1 is missing"));
}

void TimerTest::passes_errors_on() {
    QFETCH(QString, call);
    QFETCH(QString, says);
    Bench bench;
    bench.driver.sample_us = [](int launches) { return 2.0 * launches; };
    bench.driver.next[call.toStdString()] = {kOutOfMemory};
    const auto measured = bench.measure({bench.work("a")});
    QVERIFY(!measured);
    QVERIFY2(QString::fromStdString(measured.error().message).contains(says), measured.error().message.c_str());
}

QTEST_APPLESS_MAIN(TimerTest)
#include "test_timer.moc"
