#include "engine/profile/cupti/activity.h"
#include "tests/trace/fake_cupti.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <thread>
#include <utility>

using namespace kw::cupti;
using kw::profile::Activity;
using kw::test::FakeCupti;

namespace {

FakeCupti& fake() { return FakeCupti::instance(); }

ActivityApi fake_api() {
    ActivityApi api;
    api.cuptiGetVersion = [](std::uint32_t* version) -> CUptiResult { return *version = 130000, kSuccess; };
    api.cuptiGetResultString = [](CUptiResult, const char** text) -> CUptiResult {
        return *text = "CUPTI_ERROR_FAKE", kSuccess;
    };
    api.cuptiGetTimestamp = [](std::uint64_t* time) -> CUptiResult { return *time = FakeCupti::now(), kSuccess; };
    api.cuptiActivityEnable = [](RecordKind kind) -> CUptiResult {
        if (fake().enable_result == kSuccess) fake().set_enabled(kind, true);
        return fake().enable_result;
    };
    api.cuptiActivityDisable = [](RecordKind kind) -> CUptiResult { return fake().set_enabled(kind, false), kSuccess; };
    api.cuptiActivityRegisterCallbacks = [](BufferRequested requested, BufferCompleted completed) -> CUptiResult {
        fake().requested = requested;
        fake().completed = completed;
        return kSuccess;
    };
    api.cuptiActivityGetNextRecord = [](std::uint8_t* buffer, std::size_t valid, RecordHeader** record) -> CUptiResult {
        return fake().next(buffer, valid, record);
    };
    api.cuptiActivityGetNumDroppedRecords = [](CUcontext, std::uint32_t, std::size_t* count) -> CUptiResult {
        return *count = std::exchange(fake().dropped, 0), kSuccess;
    };
    api.cuptiActivityFlushAll = [](std::uint32_t) -> CUptiResult { return fake().flush(), kSuccess; };
    api.cuptiGetCallbackName = [](int domain, std::uint32_t function, const char** name) -> CUptiResult {
        *name = FakeCupti::name_of(domain, function);
        return *name ? kSuccess : 1;
    };
    api.cuptiSetThreadIdType = [](int) -> CUptiResult { return kSuccess; };
    return api;
}

/// A buffer filled by hand, for what CUPTI would not do.
struct Buffer {
    alignas(8) std::array<std::uint8_t, 4096> bytes{};
    std::size_t used = 0;

    template<class Record> void add(const Record& record) {
        std::memcpy(bytes.data() + used, static_cast<const void*>(&record), sizeof record);
        used += FakeCupti::size_of(record.kind);
    }
};

std::vector<Activity> decode(ActivityDecoder& decoder, Buffer& buffer) {
    std::vector<Activity> activities;
    decoder.decode(buffer.bytes.data(), buffer.used, activities);
    return activities;
}

KernelRecord kernel(std::uint64_t start, std::uint64_t end) {
    KernelRecord record;
    record.kind = RecordKind::concurrent_kernel;
    record.start = start;
    record.end = end;
    record.block[0] = record.block[1] = record.block[2] = 1;
    record.grid[0] = record.grid[1] = record.grid[2] = 1;
    record.name = "reduce";
    return record;
}

MemcpyRecord copy(std::uint8_t kind, std::uint64_t bytes) {
    MemcpyRecord record;
    record.kind = RecordKind::memcpy;
    record.copy_kind = kind;
    record.bytes = bytes;
    record.start = 5000;
    record.end = 6000;
    return record;
}

} // namespace

class TestActivity : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        fake().enable_result = kSuccess;
        fake().dropped = 0;
    }

    void tells_a_kernel() {
        Buffer buffer;
        auto record = kernel(2'000'000, 2'001'500);
        record.name = "_Z4axpyfPKfPfi";
        record.device = 3;
        record.context = 1;
        record.stream = 7;
        record.correlation = 42;
        record.grid[1] = 5;
        record.block[0] = 256;
        record.cluster[0] = 2;
        record.registers = 64;
        record.static_shared = 100;
        record.dynamic_shared = 49000;
        record.local_per_thread = 16;
        buffer.add(record);
        ActivityDecoder decoder{fake_api(), 1'000'000, {{3, sm_limits(90)}}};
        const auto activities = decode(decoder, buffer);
        QCOMPARE(activities.size(), std::size_t{1});
        const auto& activity = activities.front();
        QVERIFY(activity.kind == Activity::Kind::kernel);
        QCOMPARE(activity.name, std::string{"axpy(float, float const*, float*, int)"});
        QCOMPARE(activity.start_ns, std::uint64_t{1'000'000});
        QCOMPARE(activity.end_ns, std::uint64_t{1'001'500});
        QCOMPARE(activity.process, static_cast<std::uint32_t>(::getpid()));
        QCOMPARE(activity.device, 3u);
        QCOMPARE(activity.stream, 7u);
        QCOMPARE(activity.correlation, 42u);
        QVERIFY((activity.grid == kw::device::Dim3{1, 5, 1}));
        QVERIFY((activity.block == kw::device::Dim3{256, 1, 1}));
        QVERIFY((activity.cluster == kw::device::Dim3{2, 1, 1}));
        QCOMPARE(activity.registers, 64u);
        QCOMPARE(activity.static_shared_bytes, 100u);
        QCOMPARE(activity.dynamic_shared_bytes, 49000u);
        QCOMPARE(activity.local_bytes, 16u);
        // 64 registers: 32 warps; 50124 bytes with the system's own, rounded up to 50176: 4 blocks, 32 warps. Of 64.
        QCOMPARE(activity.occupancy, 0.5);
    }

    void tells_transfers_and_waits() {
        Buffer buffer;
        buffer.add(copy(1, 4096));
        buffer.add(copy(8, 1));
        buffer.add(copy(200, 1));
        MemsetRecord memset;
        memset.kind = RecordKind::memset;
        memset.bytes = 77;
        memset.start = 5500;
        memset.end = 5600;
        buffer.add(memset);
        PeerMemcpyRecord peer;
        peer.kind = RecordKind::memcpy_peer;
        peer.start = 5500;
        peer.end = 5600;
        buffer.add(peer);
        SynchronizationRecord wait;
        wait.kind = RecordKind::synchronization;
        wait.type = 4;
        wait.start = 6000;
        wait.end = 9000;
        wait.correlation = 9;
        wait.stream = kNoStream;
        buffer.add(wait);
        buffer.add(ApiRecord{RecordKind::runtime, 165, 5900, 9100, 1, 4321, 9, 0});
        ActivityDecoder decoder{fake_api()};
        const auto activities = decode(decoder, buffer);
        QCOMPARE(activities.size(), std::size_t{7});
        QCOMPARE(activities[0].name, std::string{"HtoD"});
        QCOMPARE(activities[0].bytes, std::uint64_t{4096});
        QCOMPARE(activities[1].name, std::string{"DtoD"});
        QCOMPARE(activities[2].name, std::string{"copy"});
        QVERIFY(activities[3].kind == Activity::Kind::memset);
        QCOMPARE(activities[3].bytes, std::uint64_t{77});
        QCOMPARE(activities[4].name, std::string{"PtoP"});
        QCOMPARE(activities[5].name, std::string{"context synchronize"});
        QCOMPARE(activities[5].thread, 4321u); // its call's
        QCOMPARE(activities[5].stream, 0u);
        QCOMPARE(activities[6].name, std::string{"cudaDeviceSynchronize"});
    }

    void leaves_out_calls_without_work() {
        Buffer buffer;
        buffer.add(ApiRecord{RecordKind::runtime, 10, 100, 200, 1, 1, 1, 0});
        buffer.add(ApiRecord{RecordKind::driver, 307, 300, 400, 1, 1, 2, 0});
        buffer.add(ApiRecord{RecordKind::driver, 9999, 500, 600, 1, 1, 3, 0});
        ActivityDecoder decoder{fake_api()};
        const auto activities = decode(decoder, buffer);
        QCOMPARE(activities.size(), std::size_t{2});
        QCOMPARE(activities[0].name, std::string{"cuLaunchKernel"});
        QCOMPARE(activities[1].name, std::string{"cuUnknown"});
        QCOMPARE(decoder.losses().total(), std::uint64_t{0});
    }

    void leaves_out_questions_whether_a_stream_is_done() {
        Buffer buffer;
        for (std::uint32_t i = 0; i < 3; ++i) {
            SynchronizationRecord wait;
            wait.kind = RecordKind::synchronization;
            wait.type = 3;
            wait.start = 100 * i;
            wait.end = 100 * i + 10;
            wait.correlation = i;
            buffer.add(wait);
            // The second is a real wait, the others are questions.
            buffer.add(ApiRecord{i == 1 ? RecordKind::runtime : RecordKind::driver, i == 1 ? 165u : 3u, 100 * i,
                                 100 * i + 20, 1, 1, i, 0});
        }
        ActivityDecoder decoder{fake_api()};
        const auto activities = decode(decoder, buffer);
        QCOMPARE(activities.size(), std::size_t{2});
        QVERIFY(activities[0].kind == Activity::Kind::synchronization);
        QCOMPARE(activities[0].correlation, 1u);
        QCOMPARE(activities[1].name, std::string{"cudaDeviceSynchronize"});
    }

    void counts_what_has_no_time() {
        Buffer buffer;
        buffer.add(kernel(0, 0));
        buffer.add(kernel(500, 0));
        buffer.add(kernel(500, 600));
        auto nameless = kernel(500, 600);
        nameless.name = nullptr;
        buffer.add(nameless);
        ActivityDecoder decoder{fake_api()};
        const auto activities = decode(decoder, buffer);
        QCOMPARE(activities.size(), std::size_t{2});
        QCOMPARE(activities[1].name, std::string{"unnamed kernel"});
        QCOMPARE(decoder.losses().unfinished, std::uint64_t{2});
    }

    void survives_malformed_buffers() {
        ActivityDecoder decoder{fake_api()};
        {
            Buffer buffer; // cut within its second record
            buffer.add(kernel(500, 600));
            buffer.add(kernel(700, 800));
            buffer.used -= sizeof(KernelRecord) / 2 + 32;
            QCOMPARE(decode(decoder, buffer).size(), std::size_t{1});
            QCOMPARE(decoder.losses().malformed, std::uint64_t{1});
        }
        {
            Buffer buffer; // a kind nobody asked for between two that were
            buffer.add(kernel(500, 600));
            buffer.add(RecordHeader{static_cast<RecordKind>(60)});
            buffer.add(kernel(700, 800));
            QCOMPARE(decode(decoder, buffer).size(), std::size_t{2});
            QCOMPARE(decoder.losses().malformed, std::uint64_t{1});
        }
        auto stuck = fake_api(); // the same record for ever
        stuck.cuptiActivityGetNextRecord = [](std::uint8_t* buffer, std::size_t, RecordHeader** record) -> CUptiResult {
            *record = reinterpret_cast<RecordHeader*>(buffer);
            return kSuccess;
        };
        ActivityDecoder other{stuck};
        Buffer buffer;
        buffer.add(kernel(500, 600));
        QCOMPARE(decode(other, buffer).size(), std::size_t{1});
        QCOMPARE(other.losses().malformed, std::uint64_t{1});
    }

    void knows_occupancy_data() {
        QTest::addColumn<int>("capability");
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("registers");
        QTest::addColumn<int>("shared");
        QTest::addColumn<double>("expected");
        // Worked out with NVIDIA's occupancy calculator's rules by hand.
        QTest::newRow("everything fits") << 90 << 256 << 32 << 0 << 1.0;
        QTest::newRow("registers") << 90 << 256 << 128 << 0 << 0.25;
        QTest::newRow("odd registers") << 80 << 256 << 65 << 0 << 0.375;
        QTest::newRow("blocks") << 90 << 32 << 16 << 0 << 0.5;
        QTest::newRow("shared") << 90 << 128 << 32 << 100 * 1024 << 0.125;
        QTest::newRow("all shared") << 90 << 1024 << 32 << 227 * 1024 << 0.5;
        QTest::newRow("too much shared") << 90 << 1024 << 32 << 228 * 1024 << 0.0;
        QTest::newRow("ampere, 48 warps") << 86 << 1024 << 32 << 0 << 2.0 / 3;
        QTest::newRow("turing") << 75 << 512 << 64 << 0 << 1.0;
        QTest::newRow("as the newest known before") << 91 << 256 << 128 << 0 << 0.25;
        QTest::newRow("unknown") << 20 << 256 << 32 << 0 << 0.0;
        QTest::newRow("no threads") << 90 << 0 << 32 << 0 << 0.0;
    }
    void knows_occupancy() {
        QFETCH(int, capability);
        QFETCH(int, threads);
        QFETCH(int, registers);
        QFETCH(int, shared);
        QFETCH(double, expected);
        QCOMPARE(theoretical_occupancy(sm_limits(capability), static_cast<std::uint64_t>(threads),
                                       static_cast<std::uint32_t>(registers), static_cast<std::uint32_t>(shared)),
                 expected);
    }

    void collects() {
        auto collector = ActivityCollector::start(fake_api(), {});
        QVERIFY(collector);
        kw::test::emit_device(fake());
        kw::test::emit_launch(fake(), "reduce", 1000, 500, 1, 7, 1);
        QVERIFY((*collector)->take().empty()); // still in CUPTI's buffer
        QVERIFY((*collector)->flush());
        auto activities = (*collector)->take();
        QCOMPARE(activities.size(), std::size_t{3});
        QCOMPARE(activities[2].name, std::string{"reduce"});
        QVERIFY(activities[2].occupancy > 0); // from the device's own record
        QVERIFY((*collector)->take().empty());
        QCOMPARE((*collector)->devices().size(), std::size_t{1});
        QCOMPARE((*collector)->devices()[0].name, std::string{"Fake H200"});
        QCOMPARE((*collector)->devices()[0].limits.capability, 90);

        kw::test::emit_launch(fake(), "last", 3000, 500, 2, 7, 1);
        (*collector)->stop();
        QCOMPARE((*collector)->take().size(), std::size_t{3});
        kw::test::emit_launch(fake(), "too late", 3000, 500, 3, 7, 1);
        QVERIFY((*collector)->take().empty());
        QVERIFY((*collector)->losses() == ActivityLosses{});
    }

    void collects_only_what_was_asked_for() {
        auto collector = ActivityCollector::start(fake_api(), {.kinds = {Activity::Kind::kernel}});
        QVERIFY(collector);
        kw::test::emit_launch(fake(), "reduce", 1000, 500, 1, 7, 1);
        QVERIFY((*collector)->flush());
        QCOMPARE((*collector)->take().size(), std::size_t{1});
    }

    void keeps_no_more_than_it_may() {
        ActivityOptions options{.kinds = {Activity::Kind::kernel}, .max_kept = 1000, .buffer_bytes = 4096};
        auto collector = ActivityCollector::start(fake_api(), options);
        QVERIFY(collector);
        for (std::uint32_t i = 1; i <= 50'000; ++i) kw::test::emit_launch(fake(), "reduce", i * 1000, 500, i, 7, 1);
        QVERIFY((*collector)->flush());
        QCOMPARE((*collector)->take().size(), std::size_t{1000});
        QCOMPARE((*collector)->losses().not_kept, std::uint64_t{49'000});
        // There is room again after a take.
        kw::test::emit_launch(fake(), "reduce", 1000, 500, 1, 7, 1);
        QVERIFY((*collector)->flush());
        QCOMPARE((*collector)->take().size(), std::size_t{1});
    }

    void lends_no_more_buffers_than_it_may() {
        ActivityOptions options{.kinds = {Activity::Kind::kernel}, .buffer_bytes = 4096, .max_buffers = 0};
        auto collector = ActivityCollector::start(fake_api(), options);
        QVERIFY(collector);
        kw::test::emit_launch(fake(), "reduce", 1000, 500, 1, 7, 1);
        kw::test::emit_launch(fake(), "reduce", 2000, 500, 2, 7, 1);
        // CUPTI tells of what it dropped with the next buffer that it returns.
        fake().completed(nullptr, 0, nullptr, 0, 0);
        QCOMPARE((*collector)->losses().dropped, std::uint64_t{2});
        QVERIFY((*collector)->take().empty());
    }

    void wakes_who_waits() {
        auto collector = ActivityCollector::start(fake_api(), {.kinds = {Activity::Kind::kernel}});
        QVERIFY(collector);
        const auto start = std::chrono::steady_clock::now();
        (*collector)->wait(1, std::chrono::milliseconds{20});
        QVERIFY(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds{20});
        std::jthread launcher{[] {
            kw::test::emit_launch(fake(), "reduce", 1000, 500, 1, 7, 1);
            fake().flush();
        }};
        (*collector)->wait(1, std::chrono::seconds{30});
        QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::seconds{20});
        QCOMPARE((*collector)->take().size(), std::size_t{1});
    }

    void is_alone() {
        auto first = ActivityCollector::start(fake_api(), {});
        QVERIFY(first);
        const auto second = ActivityCollector::start(fake_api(), {});
        QVERIFY(!second);
        QVERIFY(second.error().message.contains("already"));
        // The refused one has not taken the first one's place.
        kw::test::emit_launch(fake(), "reduce", 1000, 500, 1, 7, 1);
        QVERIFY((*first)->flush());
        QCOMPARE((*first)->take().size(), std::size_t{3});
        first->reset();
        QVERIFY(ActivityCollector::start(fake_api(), {}));
    }

    void says_why_it_is_refused() {
        fake().enable_result = kMultipleSubscribers;
        const auto refused = ActivityCollector::start(fake_api(), {});
        QVERIFY(!refused);
        QVERIFY(refused.error().message.contains("another profiler"));
        fake().enable_result = 999;
        const auto unknown = ActivityCollector::start(fake_api(), {});
        QVERIFY(!unknown);
        QVERIFY(unknown.error().message.contains("CUPTI_ERROR_FAKE"));
        fake().enable_result = kSuccess;
        QVERIFY(ActivityCollector::start(fake_api(), {})); // nothing was left behind
    }

    void refuses_what_is_not_cupti() {
        const auto library = kw::DynamicLibrary::open("libc.so.6");
        QVERIFY(library);
        const auto bound = bind_activity(*library);
        QVERIFY(!bound);
        QVERIFY(bound.error().message.contains("cuptiGetVersion"));
    }
};

QTEST_APPLESS_MAIN(TestActivity)
#include "test_activity.moc"
