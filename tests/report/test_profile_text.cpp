#include "engine/report/inventory_text.h"
#include "engine/report/profile_text.h"

#include <QtTest/QtTest>

#include <limits>

namespace report = kw::report;
using kw::profile::Report;
using kw::profile::Rung;
using kw::profile::RungState;

class ProfileTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void quantities_data();
    void quantities();
    void shows_what_there_is();
    void says_no_more_than_there_is();
    void shows_a_fault();
    void many_launches_are_counted();
    void a_source_cannot_move_the_cursor();
    void ladders_of_a_doctor();
};

static Report measured() {
    Report profile;
    profile.device.name = "NVIDIA H200";
    profile.profiler = "CUPTI 13.0";
    profile.chip = "GH100";
    profile.sizes = {{"rows", 4096}};
    profile.milliseconds = 1234;
    auto& launch = profile.launches.emplace_back();
    launch.kernel = "softmax<256>";
    launch.grid = {4096, 2, 1};
    launch.block = {256, 1, 1};
    launch.registers = 40;
    launch.static_shared_bytes = 2048;
    launch.metrics = {{"duration_us", 12.345},      {"sm_throughput", 50.04},    {"dram_throughput", 91.26},
                      {"achieved_occupancy", 77.7}, {"l2_hit_rate", 40},         {"stall_long_scoreboard", 6},
                      {"stall_barrier", 2},         {"stall_selected", 2},       {"flops_fp32", 1e9},
                      {"flop_rate", 3e12},          {"intensity_dram", 1.5},     {"warp_instructions", 4'567'890},
                      {"dram_read_bytes", 1 << 20}, {"shared_bank_conflicts", 0}};
    launch.lines = {{"softmax.cu", 2, {{"samples", 75}}}, {"softmax.cu", 1, {{"samples", 25}}}, {"", 0, {}}};
    profile.ceilings = {{"fp32", "FP32", false, 60e12}, {"dram", "DRAM", true, 4e12}};
    profile.rungs = {{.rung = Rung::counters, .state = RungState::State::done, .milliseconds = 222, .passes = 10},
                     {.rung = Rung::pc_sampling,
                      .state = RungState::State::skipped,
                      .reason = "the driver gives counters to administrators only",
                      .remedy = "load the driver with NVreg_RestrictProfilingToAdminUsers=0"}};
    return profile;
}

static std::string shown(const Report& profile) {
    return report::render(profile, {{"softmax.cu", "first\n    second();  \nthird\n"}}, report::Style{});
}

#define VERIFY_CONTAINS(text, part)                                                                                    \
    QVERIFY2((text).find(part) != std::string::npos, (std::string{"no '"} + (part) + "' in:\n" + (text)).c_str())

void ProfileTextTest::quantities_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("unit");
    QTest::addColumn<QString>("text");
    QTest::newRow("percent") << 41.54 << "%" << "41.5 %";
    QTest::newRow("bytes") << 1536.0 << "B" << "1.50 KiB";
    QTest::newRow("time") << 12345.0 << "ns" << "12.3 µs";
    QTest::newRow("long time") << 12345.0 << "µs" << "12.3 ms";
    QTest::newRow("rate") << 3.2109e12 << "FLOP/s" << "3.21 TFLOP/s";
    QTest::newRow("bandwidth") << 999.9e9 << "B/s" << "1.00 TB/s";
    QTest::newRow("no rate") << 0.0 << "FLOP/s" << "0 FLOP/s";
    QTest::newRow("clock") << 1.98e9 << "Hz" << "1.98 GHz";
    QTest::newRow("count") << 4567890.0 << "" << "4.57 M";
    QTest::newRow("small count") << 512.0 << "" << "512";
    QTest::newRow("ratio") << 3.8765 << "sector/request" << "3.88 sector/request";
    QTest::newRow("unknown") << std::numeric_limits<double>::quiet_NaN() << "%" << "–";
    QTest::newRow("endless") << std::numeric_limits<double>::infinity() << "B" << "–";
}
void ProfileTextTest::quantities() {
    QFETCH(double, value);
    QFETCH(QString, unit);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(report::quantity(value, unit.toStdString())), text);
}

void ProfileTextTest::shows_what_there_is() {
    const auto text = shown(measured());
    for (const auto* part :
         {"CUPTI 13.0, GH100, at rows=4096, in 1.23 s",
          "softmax<256>  4096×2    256         40  2.00 KiB     77.7 %   12.3 µs",
          "SM throughput    50.0 %  ███████████████░", "DRAM throughput  91.3 %",
          "3.00 TFLOP/s at 1.50 FLOP/B of DRAM: 50.0 % of what the roof allows there, bound by DRAM", "L2 hit rate",
          "Long scoreboard  60.0 %", "Barrier          20.0 %", "softmax.cu:2  75.0 %  second();",
          "softmax.cu:1  25.0 %  first", "counters     done     in 222 ms, 10 passes",
          "pc_sampling  skipped  the driver gives counters to administrators only",
          "hint: pc_sampling: load the driver with NVreg_RestrictProfilingToAdminUsers=0"})
        VERIFY_CONTAINS(text, part);
    QVERIFY(text.find("Selected") == std::string::npos);
    QVERIFY(text.find("estimated") == std::string::npos);
    QVERIFY(text.find("fault") == std::string::npos);
}

void ProfileTextTest::says_no_more_than_there_is() {
    Report profile;
    profile.estimated = true;
    profile.device.name = "NVIDIA H200 (simulated)";
    profile.launches.emplace_back().kernel = "k";
    const auto text = shown(profile);
    VERIFY_CONTAINS(text, "estimated for NVIDIA H200 (simulated)");
    for (const auto* part : {"speed of light", "roofline", "memory", "hottest", "ladder", "nan", "inf"})
        QVERIFY2(text.find(part) == std::string::npos, text.c_str());
}

void ProfileTextTest::shows_a_fault() {
    Report profile;
    kw::device::Fault fault;
    fault.message = "4-byte write past the end of y";
    fault.where = {"scale.cu", 5, 0};
    profile.fault = fault;
    VERIFY_CONTAINS(shown(profile), "fault: scale.cu:5: 4-byte write past the end of y");
}

void ProfileTextTest::many_launches_are_counted() {
    Report profile;
    for (int i = 0; i < 7; ++i) profile.launches.push_back(measured().launches[0]);
    const auto text = shown(profile);
    VERIFY_CONTAINS(text, "\n4. softmax");
    QVERIFY(text.find("\n5. softmax") == std::string::npos);
    VERIFY_CONTAINS(text, "3 more launches; --json has them all");
}

void ProfileTextTest::a_source_cannot_move_the_cursor() {
    auto profile = measured();
    profile.launches[0].kernel = "k\x1b[2J";
    const auto text = report::render(profile, {{"softmax.cu", "a\n\x1b[31mb\n"}}, report::Style{});
    QVERIFY(text.find('\x1b') == std::string::npos);
}

void ProfileTextTest::ladders_of_a_doctor() {
    const kw::Json found{{"ladders",
                          {{{"device", "cuda:0"},
                            {"name", "NVIDIA H200"},
                            {"rungs",
                             {{{"rung", "counters"},
                               {"state", "skipped"},
                               {"ms", 0},
                               {"reason", "MIG is on"},
                               {"remedy", "turn it off"}}}}},
                           {{"device", "cuda:1"}, {"name", "NVIDIA T4"}, {"problem", "it is gone"}}}}};
    const auto text = report::render_doctor(found, report::Style{});
    for (const auto* part : {"profiling on cuda:0  NVIDIA H200", "counters  skipped  MIG is on", "turn it off",
                             "profiling on cuda:1  NVIDIA T4", "it is gone"})
        VERIFY_CONTAINS(text, part);
}

QTEST_APPLESS_MAIN(ProfileTextTest)
#include "test_profile_text.moc"
