#include "engine/profile/live.h"
#include "engine/profile/report.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace kw;
using namespace kw::profile;

namespace {

Activity kernel_activity() {
    Activity activity;
    activity.name = "softmax<256>";
    activity.start_ns = 100;
    activity.end_ns = 2100;
    activity.process = 7;
    activity.stream = 13;
    activity.correlation = 5;
    activity.grid = {4096, 2, 1};
    activity.block = {256, 1, 1};
    activity.registers = 32;
    activity.dynamic_shared_bytes = 1024;
    activity.occupancy = 0.75;
    return activity;
}

Report sample_report() {
    Report report;
    report.device.kind = device::Kind::cuda;
    report.device.id = "cuda:0";
    report.device.name = "NVIDIA H200";
    report.device.arch = "sm_90";
    report.chip = "GH100";
    report.profiler = "CUPTI 13.0";
    report.sizes = {{"rows", 4096}, {"cols", 1024}};
    report.rungs = {{.rung = Rung::activity, .state = RungState::State::done, .milliseconds = 1.5},
                    {.rung = Rung::counters, .state = RungState::State::done, .milliseconds = 200, .passes = 10},
                    {.rung = Rung::pc_sampling,
                     .state = RungState::State::skipped,
                     .reason = "only an administrator may count.",
                     .remedy = "run as root."},
                    {.rung = Rung::pm_sampling, .state = RungState::State::failed, .reason = "it broke."}};
    auto& launch = report.launches.emplace_back();
    launch.kernel = "softmax<256>";
    launch.lowered = "_Z7softmax";
    launch.grid = {4096, 1, 1};
    launch.block = {256, 1, 1};
    launch.registers = 32;
    launch.static_shared_bytes = 64;
    launch.metrics = {{"sm_throughput", 41.5}, {"not a number", std::nan("")}};
    launch.lines = {{.file = "softmax.cu", .line = 12, .values = {{"samples", 99}}}};
    launch.instructions = {{.offset = 0x80, .file = "softmax.cu", .line = 12, .values = {{"stall_wait", 3}}}};
    Activity copy;
    copy.kind = Activity::Kind::copy;
    copy.name = "HtoD";
    copy.bytes = 65536;
    report.ceilings = {{"fp32", "FP32", false, 6e13}, {"dram", "DRAM", true, 4.8e12}};
    report.activities = {kernel_activity(), copy};
    report.activities_dropped = 3;
    report.sampling.interval_ns = 10'000;
    report.sampling.end_ns = {10'000, 20'000};
    report.sampling.values["sm_throughput"] = {1.5, std::nan("")};
    device::Fault fault;
    fault.kind = device::FaultKind::misaligned;
    fault.message = "misaligned";
    report.fault = fault;
    report.milliseconds = 321;
    return report;
}

Sampling samples(std::size_t count, std::uint64_t first) {
    Sampling sampling;
    sampling.interval_ns = 10;
    for (std::size_t i = 0; i < count; ++i) {
        sampling.end_ns.push_back(first + i);
        sampling.values["sm_throughput"].push_back(static_cast<double>(i));
    }
    return sampling;
}

} // namespace

class TestProfileReport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void round_trip() {
        const auto json = to_json(sample_report());
        const auto text = json.dump();
        const auto back = report_from_json(Json::parse(text));
        QVERIFY2(back, back ? "" : back.error().message.c_str());
        QCOMPARE(to_json(*back).dump(), text);
        QCOMPARE(back->rungs[2].remedy, std::string("run as root."));
        QCOMPARE(back->rungs[1].passes, 10u);
        QVERIFY(back->rungs[3].state == RungState::State::failed);
        QCOMPARE(back->launches[0].instructions[0].offset, 0x80u);
        QCOMPARE(back->launches[0].metrics.size(), 1u);
        QVERIFY(back->activities[1].kind == Activity::Kind::copy);
        QVERIFY(back->activities[0].grid == (device::Dim3{4096, 2, 1}));
        QVERIFY(std::isnan(back->sampling.values.at("sm_throughput")[1]));
        QVERIFY(back->fault->kind == device::FaultKind::misaligned);
        QCOMPARE(back->sizes.at("rows"), 4096);
    }

    void empty_round_trip() {
        const auto json = to_json(Report{});
        const auto back = report_from_json(json);
        QVERIFY(back);
        QCOMPARE(to_json(*back).dump(), json.dump());
    }

    void malformed_data() {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("message");
        QTest::newRow("device") << "/device" << "3" << "'device' is not an object";
        QTest::newRow("list") << "/launches" << "{}" << "'launches' is not a list";
        QTest::newRow("text") << "/launches/0/kernel" << "3" << "'launches[0].kernel' is not a text";
        QTest::newRow("dims") << "/launches/0/grid" << "[1,2]" << "'launches[0].grid' is not a list of three integers";
        QTest::newRow("fraction") << "/launches/0/block" << "[1,2,0.5]" << "'launches[0].block[2]' is not an integer";
        QTest::newRow("negative") << "/launches/0/registers" << "-1"
                                  << "'launches[0].registers' is not between 0 and 4294967295";
        QTest::newRow("large") << "/launches/0/registers" << "4294967296" << "'launches[0].registers' is not between";
        QTest::newRow("metric") << "/launches/0/metrics/x" << "\"1\"" << "'launches[0].metrics.x' is not a number";
        QTest::newRow("line") << "/launches/0/lines/0/values" << "[]"
                              << "'launches[0].lines[0].values' is not an object of numbers";
        QTest::newRow("kind") << "/activities/0/kind" << "\"dance\""
                              << "'activities[0].kind' is not one of kernel, copy, memset";
        QTest::newRow("time") << "/activities/1/start_ns" << "1.5" << "'activities[1].start_ns' is not an integer";
        QTest::newRow("rung") << "/rungs/0/rung" << "\"ladder\"" << "'rungs[0].rung' is not one of activity, counters";
        QTest::newRow("length") << "/sampling/values/x" << "[1]" << "'sampling.values.x' is not as long as end_ns";
        QTest::newRow("samples") << "/sampling/values/x" << "[1,\"\"]"
                                 << "'sampling.values.x' is not a list of numbers";
        QTest::newRow("peak") << "/ceilings/1/peak" << "true" << "'ceilings[1].peak' is not a number";
        QTest::newRow("fault") << "/fault" << "1" << "'fault' is not an object";
        QTest::newRow("flag") << "/estimated" << "1" << "'estimated' is not true or false";
    }
    void malformed() {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        QFETCH(QString, message);
        auto json = to_json(sample_report());
        json[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
        const auto back = report_from_json(json);
        QVERIFY(!back);
        QCOMPARE(back.error().code, ErrorCode::invalid_input);
        QVERIFY2(QString::fromStdString(back.error().message).contains(message), back.error().message.c_str());
    }

    void missing_members_are_named() {
        const auto whole = to_json(sample_report());
        for (const auto& [key, value] : whole.items()) {
            if (key == "fault") continue; // there when there is one
            auto json = whole;
            json.erase(key);
            const auto back = report_from_json(json);
            QVERIFY2(!back, key.c_str());
            QCOMPARE(back.error().message, "the profile is malformed: '" + key + "' is missing");
        }
        QVERIFY(!report_from_json(Json::array()));
        QVERIFY(!report_from_json(Json{}));
    }

    void live_updates_travel() {
        LiveUpdate update;
        update.activities = {kernel_activity()};
        update.sampling = samples(3, 100);
        update.dropped = 4;
        const auto back = live_update_from_json(Json::parse(to_json(update).dump()));
        QVERIFY(back);
        QCOMPARE(to_json(*back).dump(), to_json(update).dump());
        QCOMPARE(back->dropped, 4u);
        auto json = to_json(update);
        json["activities"][0]["name"] = 1;
        const auto wrong = live_update_from_json(json);
        QVERIFY(!wrong);
        QCOMPARE(wrong.error().message,
                 std::string("the live update is malformed: 'activities[0].name' is not a text"));
    }

    void what_is_not_read_is_dropped_and_counted() {
        LiveBuffer buffer;
        QVERIFY(!buffer.take());
        LiveUpdate update;
        for (std::size_t i = 0; i < 900; ++i) {
            auto activity = kernel_activity();
            activity.start_ns = i;
            update.activities.push_back(activity);
        }
        for (std::size_t round = 0; round < 10; ++round) {
            update.sampling = samples(500, round * 500);
            buffer.add(update);
        }
        const auto taken = buffer.take();
        QVERIFY(taken);
        QCOMPARE(taken->activities.size(), kLiveActivities);
        QCOMPARE(taken->dropped, 9000 - kLiveActivities);
        QCOMPARE(taken->activities.back().start_ns, 899u); // the newest are kept
        QCOMPARE(taken->sampling.end_ns.size(), kLiveSamples);
        QCOMPARE(taken->sampling.values.at("sm_throughput").size(), kLiveSamples);
        QCOMPARE(taken->dropped_samples, 5000 - kLiveSamples);
        QCOMPARE(taken->sampling.end_ns.back(), 4999u);
        QVERIFY(!buffer.take());
    }

    void samplings_of_different_metrics_are_merged() {
        LiveBuffer buffer;
        LiveUpdate one;
        one.sampling = samples(2, 0);
        LiveUpdate other;
        other.sampling = samples(2, 2);
        other.sampling.values["dram_throughput"] = {5, 6};
        other.sampling.values.erase("sm_throughput");
        buffer.add(one);
        buffer.add(other);
        const auto taken = buffer.take();
        QCOMPARE(taken->sampling.end_ns.size(), 4u);
        const auto& sm = taken->sampling.values.at("sm_throughput");
        const auto& dram = taken->sampling.values.at("dram_throughput");
        QCOMPARE(sm.size(), 4u);
        QVERIFY(std::isnan(sm[2]) && std::isnan(dram[1]));
        QCOMPARE(dram[3], 6.0);
    }
};

QTEST_APPLESS_MAIN(TestProfileReport)
#include "test_profile_report.moc"
