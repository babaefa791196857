#include "engine/profile/trace/collection.h"
#include "engine/profile/trace/wire.h"

#include <QtTest/QtTest>

#include <fstream>
#include <optional>
#include <random>

using namespace kw::trace;
using kw::profile::Activity;

namespace {

Activity kernel(std::uint64_t start, std::string name = "axpy(float)") {
    Activity activity{.kind = Activity::Kind::kernel, .name = std::move(name)};
    activity.start_ns = start;
    activity.end_ns = start + 1234;
    activity.device = 2;
    activity.context = 1;
    activity.stream = 7;
    activity.correlation = 99;
    activity.grid = {100000, 2, 3};
    activity.block = {256, 1, 1};
    activity.cluster = {2, 1, 1};
    activity.registers = 40;
    activity.static_shared_bytes = 10;
    activity.dynamic_shared_bytes = 200000;
    activity.local_bytes = 8;
    activity.occupancy = 0.75;
    return activity;
}

/// Events up to where the decoder has none, or its error.
kw::Result<std::vector<Event>> drain(Decoder& decoder) {
    std::vector<Event> events;
    for (;;) {
        auto event = decoder.next();
        if (!event) return std::unexpected(event.error());
        if (!*event) return events;
        events.push_back(std::move(**event));
    }
}

std::string stream(int activities) {
    Encoder encoder;
    encoder.add(ProcessEvent{77, 1, "prog", "prog --x", "13.0", 1'000'000, 5'000'000});
    for (int i = 0; i < activities; ++i) encoder.add(kernel(1'000'000 + static_cast<std::uint64_t>(i) * 10));
    encoder.add(EndEvent{});
    return encoder.take();
}

} // namespace

class TestTraceWire : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goes_through_whole() {
        Encoder encoder;
        encoder.add(ProcessEvent{77, 1, "prog", "prog --x", "13.0", 123, ~0ull});
        encoder.add(DeviceEvent{2, "NVIDIA H200", 90, 132, 1ull << 37});
        encoder.add(ThreadEvent{78, "worker"});
        encoder.add(kernel(~0ull - 5000));
        Activity call{.kind = Activity::Kind::call, .name = "cudaLaunchKernel"};
        call.start_ns = 5;
        call.end_ns = 5;
        call.thread = 78;
        encoder.add(call);
        encoder.add(LossesEvent{1, 2, 3, 4});
        encoder.add(ProblemEvent{"something is wrong"});
        encoder.add(EndEvent{});
        Decoder decoder;
        decoder.feed(encoder.take());
        const auto events = drain(decoder);
        QVERIFY(events);
        QCOMPARE(events->size(), std::size_t{8});
        const auto& process = std::get<ProcessEvent>((*events)[0]);
        QCOMPARE(process.pid, 77u);
        QCOMPARE(process.command, std::string{"prog --x"});
        QCOMPARE(process.system_ns, ~std::uint64_t{0});
        QVERIFY((std::get<DeviceEvent>((*events)[1]) == DeviceEvent{2, "NVIDIA H200", 90, 132, 1ull << 37}));
        QCOMPARE(std::get<ThreadEvent>((*events)[2]).name, std::string{"worker"});
        const auto& activity = std::get<Activity>((*events)[3]);
        const auto expected = kernel(~0ull - 5000);
        QCOMPARE(activity.name, expected.name);
        QCOMPARE(activity.start_ns, expected.start_ns);
        QCOMPARE(activity.end_ns, expected.end_ns);
        QCOMPARE(activity.process, 77u); // the stream's
        QCOMPARE(activity.device, 2u);
        QVERIFY(activity.grid == expected.grid && activity.block == expected.block
                && activity.cluster == expected.cluster);
        QCOMPARE(activity.registers, 40u);
        QCOMPARE(activity.dynamic_shared_bytes, 200000u);
        QCOMPARE(activity.occupancy, 0.75);
        QCOMPARE(std::get<Activity>((*events)[4]).thread, 78u);
        QVERIFY((std::get<LossesEvent>((*events)[5]) == LossesEvent{1, 2, 3, 4}));
        QCOMPARE(std::get<ProblemEvent>((*events)[6]).message, std::string{"something is wrong"});
        QVERIFY(std::holds_alternative<EndEvent>((*events)[7]));
    }

    void sends_a_name_once() {
        Encoder encoder;
        encoder.add(kernel(1, std::string(10'000, 'k')));
        const auto first = encoder.take().size();
        encoder.add(kernel(2, std::string(10'000, 'k')));
        const auto second = encoder.take().size();
        QVERIFY2(first > 10'000 && second < 80, qPrintable(QString::number(second)));
    }

    void reads_however_it_is_cut() {
        const auto bytes = stream(20);
        Decoder decoder;
        std::size_t count = 0;
        for (const char byte : bytes) {
            decoder.feed({&byte, 1});
            const auto events = drain(decoder);
            QVERIFY(events);
            count += events->size();
        }
        QCOMPARE(count, std::size_t{22});
    }

    void keeps_what_is_whole() {
        const auto bytes = stream(20);
        std::size_t last = 0;
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            Decoder decoder;
            decoder.feed(std::string_view{bytes}.substr(0, size));
            const auto events = drain(decoder);
            QVERIFY(events); // a file that ends early is no error
            QVERIFY(events->size() >= last && events->size() <= 21);
            last = events->size();
        }
        QCOMPARE(last, std::size_t{21});
    }

    void says_where_it_is_damaged() {
        Decoder wrong;
        wrong.feed("ELF\x7f and so on");
        QVERIFY(!drain(wrong));
        QVERIFY(drain(wrong)); // once
        auto bytes = stream(3);
        bytes[8] = bytes[9] = bytes[10] = bytes[11] = '\x7f';
        Decoder decoder;
        decoder.feed(bytes);
        const auto events = drain(decoder);
        QVERIFY(!events);
        QVERIFY2(events.error().message.contains("byte 8"), events.error().message.c_str());
    }

    void survives_any_bytes() {
        std::mt19937 random{7};
        const auto good = stream(50);
        for (int round = 0; round < 3000; ++round) {
            auto bytes = good;
            for (int i = 0; i < 3; ++i) bytes[8 + random() % (bytes.size() - 8)] = static_cast<char>(random());
            Decoder decoder;
            decoder.feed(bytes);
            if (const auto events = drain(decoder)) QVERIFY(events->size() <= 60);
        }
    }

    void puts_processes_on_one_clock() {
        auto spool = Spool::create();
        QVERIFY(spool);
        const auto write = [&](const char* name, const std::string& bytes) {
            std::ofstream{spool->folder() / name, std::ios::binary} << bytes;
        };
        write("1.kwtrace", stream(3));
        Encoder other;
        other.add(ProcessEvent{88, 77, "other", "other", "13.0", 9'000'000, 5'000'000});
        other.add(kernel(9'000'500));
        write("2.kwtrace", other.take());
        write("not a stream", "x");
        Collection collection{*spool, 4'000'000, 100};
        QVERIFY(collection.refresh());
        QCOMPARE(collection.processes().size(), std::size_t{2});
        QCOMPARE(collection.cut_short(), std::size_t{1});
        std::vector<Activity> activities;
        QVERIFY(collection.source()([&](const Activity& activity) { activities.push_back(activity); }));
        QCOMPARE(activities.size(), std::size_t{4});
        QCOMPARE(activities[0].start_ns, std::uint64_t{1'000'000});
        QCOMPARE(activities[2].start_ns, std::uint64_t{1'000'020});
        QCOMPARE(activities[3].start_ns, std::uint64_t{1'000'500});
        QCOMPARE(activities[3].process, 88u);

        // What came before the trace's zero is at it, and what a stream adds later is not seen before a refresh.
        std::ofstream{spool->folder() / "2.kwtrace", std::ios::binary | std::ios::app} << stream(1).substr(0, 4);
        std::size_t count = 0;
        QVERIFY(collection.source()([&](const Activity&) { ++count; }));
        QCOMPARE(count, std::size_t{4});
        Collection late{*spool, 5'000'010, 100};
        QVERIFY(late.refresh());
        QVERIFY(late.source()([&](const Activity& activity) { QVERIFY(activity.start_ns < 1000); }));
    }

    void counts_what_is_beyond_the_limit() {
        auto spool = Spool::create();
        QVERIFY(spool);
        for (const char* name : {"1.kwtrace", "2.kwtrace"})
            std::ofstream{spool->folder() / name, std::ios::binary} << stream(10);
        Collection collection{*spool, 0, 15};
        QVERIFY(collection.refresh());
        std::size_t count = 0;
        QVERIFY(collection.source()([&](const Activity&) { ++count; }));
        QCOMPARE(count, std::size_t{15});
        QCOMPARE(collection.lost(), std::uint64_t{5});
        QCOMPARE(collection.summarizer().activities(), std::uint64_t{20});
    }

    void leaves_no_folder_behind() {
        std::filesystem::path folder;
        {
            auto spool = Spool::create();
            QVERIFY(spool);
            folder = spool->folder();
            QVERIFY(std::filesystem::is_directory(folder));
            QVERIFY((std::filesystem::status(folder).permissions() & std::filesystem::perms::all)
                    == std::filesystem::perms::owner_all);
        }
        QVERIFY(!std::filesystem::exists(folder));
    }
};

QTEST_APPLESS_MAIN(TestTraceWire)
#include "test_trace_wire.moc"
