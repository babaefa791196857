// The CUPTI profiler over a CUPTI that follows a script: every refusal, every malformed answer, and what is made of
// data.
#include "engine/profile/cupti/counters.h"
#include "engine/profile/cupti/pc_sampling.h"
#include "engine/profile/cupti/pm_sampling.h"
#include "engine/profile/cupti/profiler.h"
#include "tests/profile/fake_cupti.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

using namespace kw;
using namespace kw::cupti;
using fake::script;
using profile::Rung;
using profile::RungState;

namespace {

profile::Metric metric(std::string id, std::string name) {
    profile::Metric made;
    made.id = std::move(id);
    made.names = {name};
    made.sampled_names = {std::move(name)};
    return made;
}

/// Work of `launches` kernels that counts its runs.
struct Work {
    explicit Work(std::size_t launches) {
        workload.launches.resize(launches);
        for (std::size_t i = 0; i < launches; ++i) workload.launches[i].lowered = "kernel" + std::to_string(i);
        workload.prepare = [this]() -> Result<void> {
            ++prepared;
            return {};
        };
        workload.flush = [this]() -> Result<void> {
            ++flushed;
            return {};
        };
        workload.run = [this](std::stop_token) -> Result<device::LaunchOutcome> {
            ++runs;
            if (runs == fault_at)
                return device::LaunchOutcome{
                    .fault = device::Fault{.message = "it faulted", .kernel = {}, .space = {}, .allocation = {}},
                    .output = {}};
            return device::LaunchOutcome{};
        };
        workload.finish = [](std::stop_token) -> Result<device::LaunchOutcome> { return device::LaunchOutcome{}; };
        workload.reload = [this]() -> Result<void> {
            ++reloaded;
            return {};
        };
        workload.cubin = "not empty";
    }
    profile::Workload workload;
    int prepared = 0, flushed = 0, runs = 0, reloaded = 0, fault_at = -1;
};

const device::Progress kSilent = [](std::string_view, double) {};

void write(const std::filesystem::path& path, const char* text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path} << text;
}

} // namespace

class TestCuptiProfiler : public QObject {
    Q_OBJECT

private slots:
    void init() {
        script = {};
        script.supported.supported = kSupported;
        script.supported.architecture = kSupported;
        api_.api = fake::make();
        // Activities have a fake of their own (test_activity); here the rung is refused.
        api_.activity = {
            .cuptiGetVersion = nullptr,
            .cuptiGetResultString = api_.api.cuptiGetResultString,
            .cuptiGetTimestamp = api_.api.cuptiGetTimestamp,
            .cuptiActivityEnable = [](RecordKind) -> CUptiResult { return kMultipleSubscribers; },
            .cuptiActivityDisable = [](RecordKind) -> CUptiResult { return kSuccess; },
            .cuptiActivityRegisterCallbacks = [](BufferRequested, BufferCompleted) -> CUptiResult {
                return kMultipleSubscribers;
            },
            .cuptiActivityGetNextRecord = nullptr,
            .cuptiActivityGetNumDroppedRecords = nullptr,
            .cuptiActivityFlushAll = [](std::uint32_t) -> CUptiResult { return kSuccess; },
            .cuptiGetCallbackName = nullptr,
            .cuptiSetThreadIdType = [](int) -> CUptiResult { return kSuccess; },
        };
    }

    void ladder_of_a_free_gpu() {
        const auto ladder = probe_ladder(api_.api, {}, {});
        QCOMPARE(ladder.size(), std::size(profile::kRungs));
        for (const auto& state : ladder) QCOMPARE(state.state, RungState::State::available);
        QVERIFY(script.passes_run == 0 && script.range_enabled == 0);
    }

    void ladder_says_why_and_what_to_do_data() {
        QTest::addColumn<QString>("function");
        QTest::addColumn<int>("result");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<bool>("remedy");
        const auto row = [](const char* name, const char* function, int result, const char* reason, bool remedy) {
            QTest::newRow(name) << QString::fromUtf8(function) << result << QString::fromUtf8(reason) << remedy;
        };
        row("busy", "cuptiProfilerGetCounterAvailability", kHardwareBusy, "DCGM", true);
        row("privileges", "cuptiProfilerGetCounterAvailability", kInsufficientPrivileges, "administrators", true);
        row("MIG", "cuptiProfilerGetCounterAvailability", kMigDevice, "MIG", true);
        row("vGPU", "cuptiProfilerGetCounterAvailability", kVirtualizedDevice, "virtual", true);
        row("confidential", "cuptiProfilerInitialize", kConfidentialComputing, "confidential", false);
        row("unknown", "cuptiProfilerInitialize", 999, "CUPTI_ERROR_FAKE", false);
    }
    void ladder_says_why_and_what_to_do() {
        QFETCH(QString, function);
        QFETCH(int, result);
        QFETCH(QString, reason);
        QFETCH(bool, remedy);
        script.refuse[function.toStdString()] = result;
        for (const auto& state : probe_ladder(api_.api, {}, {})) {
            if (state.rung == Rung::activity) {
                QCOMPARE(state.state, RungState::State::available);
                continue;
            }
            QCOMPARE(state.state, RungState::State::skipped);
            QVERIFY2(QString::fromStdString(state.reason).contains(reason), state.reason.c_str());
            QCOMPARE(!state.remedy.empty(), remedy);
        }
    }

    void ladder_of_an_old_cupti() {
        api_.api.cuptiRangeProfilerEnable = nullptr;
        api_.api.cuptiPmSamplingEnable = nullptr;
        const auto ladder = probe_ladder(api_.api, {}, {});
        QVERIFY(ladder[1].reason.find("Range Profiler") != std::string::npos);
        QVERIFY(ladder[1].remedy.find("12.6") != std::string::npos);
        QCOMPARE(ladder[2].state, RungState::State::available);
        QCOMPARE(ladder[3].state, RungState::State::skipped);
    }

    void ladder_of_an_unsupported_device() {
        script.refuse["cuptiProfilerGetCounterAvailability"] = kNotSupported;
        script.supported.supported = kUnsupported;
        script.supported.vgpu = kDisabled;
        QVERIFY(probe_ladder(api_.api, {}, {})[1].remedy.find("vGPU") != std::string::npos);
        script.supported.architecture = kUnsupported;
        QVERIFY(probe_ladder(api_.api, {}, {})[1].reason.find("architecture") != std::string::npos);
    }

    void ladder_without_cupti() {
        const auto ladder = no_ladder(Error{Stage::device, ErrorCode::not_found, "there is none; install it", {}, {}});
        QCOMPARE(ladder.size(), std::size(profile::kRungs));
        QCOMPARE(ladder[0].reason, std::string{"there is none"});
        QCOMPARE(ladder[0].remedy, std::string{"install it"});
    }

    void privilege_is_read_from_proc() {
        QTemporaryDir folder;
        const std::filesystem::path proc{folder.path().toStdString()};
        QVERIFY(!read_privilege(proc).admin_only);
        write(proc / "driver/nvidia/params", "ResmanDebugLevel: 1\nRmProfilingAdminOnly: 1\n");
        write(proc / "self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
        QVERIFY(read_privilege(proc).admin_only && !read_privilege(proc).admin);
        QCOMPARE(probe_ladder(api_.api, {}, read_privilege(proc))[1].state, RungState::State::skipped);
        QVERIFY(script.calls.end() == std::ranges::find(script.calls, "cuptiProfilerGetCounterAvailability"));
        write(proc / "self/status", "Name:\tx\nCapEff:\t0000000000200000\n");
        QVERIFY(read_privilege(proc).admin);
        QCOMPARE(probe_ladder(api_.api, {}, read_privilege(proc))[1].state, RungState::State::available);
    }

    void names_are_tried_in_order() {
        auto two = metric("a", "first");
        two.names.push_back("second");
        const auto none = metric("b", "nowhere");
        script.refused_names = {"first", "nowhere"};
        const std::vector<const profile::Metric*> wanted{&two, &none};
        const auto made = configure(api_.api, kRangeProfiler, "GH100", wanted);
        QVERIFY(made.has_value());
        QCOMPARE(made->names, std::vector<std::string>{"second"});
        QCOMPARE(made->missing.size(), std::size_t{1});
        QCOMPARE(made->missing[0]->id, std::string{"b"});
        QCOMPARE(script.hosts, 0);
    }

    void an_unknown_chip_is_an_error() {
        script.refuse["cuptiProfilerHostInitialize"] = 46;
        const auto one = metric("a", "x");
        const std::vector<const profile::Metric*> wanted{&one};
        const auto made = configure(api_.api, kRangeProfiler, "XX1", wanted);
        QVERIFY(!made.has_value());
        QVERIFY(made.error().message.find("XX1") != std::string::npos);
    }

    void counts_every_launch() {
        Work work{2};
        script.ranges = {{1, 2}, {3, std::numeric_limits<double>::quiet_NaN()}};
        const auto counted = count_two(work);
        QVERIFY(counted.has_value());
        QCOMPARE(counted->passes, std::size_t{3});
        QCOMPARE(work.runs, 3);
        QCOMPARE(work.prepared, 3);
        QCOMPARE(work.flushed, 3);
        QCOMPARE(counted->launches.size(), std::size_t{2});
        QCOMPARE(counted->launches[0].at("b"), 2.0);
        QVERIFY(!counted->launches[1].contains("b"));
        QCOMPARE(script.range_enabled, 0);
        QCOMPARE(script.hosts, 0);
    }

    void a_wrong_number_of_ranges_is_told() {
        Work work{2};
        script.ranges = {{1, 2}};
        const auto counted = count_two(work);
        QVERIFY(!counted.has_value());
        QVERIFY(counted.error().refusal.reason.find("1 launches") != std::string::npos);
    }

    void passes_without_end_are_ended() {
        Work work{1};
        script.ranges = {{1, 2}};
        const auto a = metric("a", "x");
        const std::vector<const profile::Metric*> wanted{&a};
        auto configuration = configure(api_.api, kRangeProfiler, "GH100", wanted);
        QVERIFY(configuration.has_value());
        script.passes = 1'000'000;
        const auto counted = count(api_.api, {}, "GH100", *configuration, work.workload, true, {}, kSilent);
        QVERIFY(!counted.has_value());
        QVERIFY(work.runs < 100);
        QCOMPARE(script.range_enabled, 0);
    }

    void every_refusal_leaves_nothing_enabled_data() {
        QTest::addColumn<QString>("function");
        for (const char* name : {"cuptiRangeProfilerEnable", "cuptiRangeProfilerGetCounterDataSize",
                                 "cuptiRangeProfilerCounterDataImageInitialize", "cuptiRangeProfilerSetConfig",
                                 "cuptiRangeProfilerStart", "cuptiRangeProfilerStop", "cuptiRangeProfilerDecodeData",
                                 "cuptiRangeProfilerGetCounterDataInfo", "cuptiProfilerHostEvaluateToGpuValues"})
            QTest::newRow(name) << QString::fromUtf8(name);
    }
    void every_refusal_leaves_nothing_enabled() {
        QFETCH(QString, function);
        Work work{2};
        script.ranges = {{1, 2}, {3, 4}};
        script.refuse[function.toStdString()] = 999;
        const auto counted = count_two(work);
        QVERIFY(!counted.has_value());
        QVERIFY(counted.error().refusal.reason.find("CUPTI_ERROR_FAKE") != std::string::npos);
        QCOMPARE(script.range_enabled, 0);
        QCOMPARE(script.hosts, 0);
    }

    void stall_names() {
        QCOMPARE(stall_metric("smsp__pcsamp_warps_issue_stalled_long_scoreboard"),
                 std::string{"stall_long_scoreboard"});
        QCOMPARE(stall_metric("smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued"), std::string{});
        QCOMPARE(stall_metric("smsp__pcsamp_warps_issue_stalled_of_tomorrow"), std::string{"stall_of_tomorrow"});
        for (const auto& known : profile::metrics())
            if (!known.stall.empty()) QCOMPARE(stall_metric("x_issue_stalled_" + known.stall), known.id);
    }

    void pcs_are_summed_by_instruction_and_line() {
        Work work{1};
        // Two calls; the same instruction in both, and two instructions on one line.
        script.pcs = {{{"kernel0", 16, {{5, 10}, {6, 9}}}, {"kernel0", 0, {{7, 1}}}},
                      {{"kernel0", 16, {{5, 5}}}, {"kernel0", 64, {{7, 2}}}}};
        const auto sampled = sample_pcs(api_.api, {}, work.workload, 0, true, {});
        QVERIFY(sampled.has_value());
        QCOMPARE(work.reloaded, 1);
        QCOMPARE(sampled->kernels.size(), std::size_t{1});
        const auto& list = sampled->kernels[0].instructions;
        QCOMPARE(list.size(), std::size_t{3});
        QCOMPARE(list[1].offset, std::uint64_t{16});
        QCOMPARE(list[1].values.at("stall_long_scoreboard"), 15.0);
        QCOMPARE(list[1].values.at("samples"), 15.0);
        const auto lines = by_line(list);
        QCOMPARE(lines.size(), std::size_t{2});
        QCOMPARE(lines[0].line, 1);
        QCOMPARE(lines[0].file, std::string{"k.cu"});
        QCOMPARE(lines[0].values.at("samples"), 16.0);
        QCOMPARE(script.pc_enabled, 0);
    }

    void pc_refusals_leave_nothing_enabled_data() {
        QTest::addColumn<QString>("function");
        for (const char* name : {"cuptiPCSamplingEnable", "cuptiPCSamplingGetNumStallReasons",
                                 "cuptiPCSamplingGetStallReasons", "cuptiPCSamplingSetConfigurationAttribute",
                                 "cuptiPCSamplingStart", "cuptiPCSamplingStop", "cuptiPCSamplingGetData"})
            QTest::newRow(name) << QString::fromUtf8(name);
    }
    void pc_refusals_leave_nothing_enabled() {
        QFETCH(QString, function);
        Work work{1};
        script.refuse[function.toStdString()] = 999;
        QVERIFY(!sample_pcs(api_.api, {}, work.workload, 0, true, {}).has_value());
        QCOMPARE(script.pc_enabled, 0);
    }

    void samples_over_time() {
        const auto a = metric("a", "x");
        script.passes = 1;
        const std::vector<const profile::Metric*> wanted{&a};
        const auto configuration = configure_single_pass(api_.api, kPmSampler, "GH100", wanted);
        QVERIFY(configuration.has_value());
        script.samples = {3, 2};
        {
            PmSampling sampling{api_.api};
            QVERIFY(sampling.open({}, "GH100", *configuration, 5000).has_value());
            QVERIFY(sampling.start().has_value());
            const auto taken = sampling.take();
            QVERIFY(taken.has_value());
            // Five samples in two decodes; the first is of no use.
            QCOMPARE(taken->end_ns, (std::vector<std::uint64_t>{1010, 1020, 1030, 1040}));
            QCOMPARE(taken->values.at("a"), (std::vector<double>{1, 2, 3, 4}));
            QVERIFY(!taken->overflowed);
            script.refuse["cuptiPmSamplingDecodeData"] = kOutOfMemory;
            const auto lost = sampling.take();
            QVERIFY(lost.has_value() && lost->overflowed && lost->end_ns.empty());
        }
        QCOMPARE(script.pm_enabled, 0);
        QCOMPARE(script.hosts, 0);
    }

    void one_pass_is_all_there_is_over_time() {
        const auto a = metric("a", "x");
        const std::vector<const profile::Metric*> wanted{&a};
        script.passes = 2;
        const auto configuration = configure_single_pass(api_.api, kPmSampler, "GH100", wanted);
        QVERIFY(configuration.has_value() && configuration->names.empty());
        QCOMPARE(configuration->missing.size(), std::size_t{1});
    }

    void intervals_are_sensible() {
        QCOMPARE(choose_interval_ns(1'000, 3'000), std::uint64_t{5'000});
        QCOMPARE(choose_interval_ns(2e6, 6e6), std::uint64_t{20'000});
        QVERIFY(choose_interval_ns(2e6, 10e9) >= 2'000'000 / 2);
        QCOMPARE(choose_interval_ns(1e18, 1e18), std::uint64_t{1'000'000});
    }

    void a_fault_ends_the_climb_and_keeps_what_was_seen() {
        Work work{1};
        script.passes = 1;
        work.fault_at = 4; // two runs to warm up, then within the timeline
        const auto report = make(work, {});
        QVERIFY(report.has_value());
        QVERIFY(report->fault.has_value());
        for (const auto& state : report->rungs)
            if (state.rung == Rung::counters || state.rung == Rung::pc_sampling) {
                QCOMPARE(state.state, RungState::State::skipped);
                QVERIFY(state.reason.find("faulted") != std::string::npos);
            }
        QVERIFY(script.range_enabled == 0 && script.pc_enabled == 0 && script.pm_enabled == 0);
    }

    void a_refused_rung_leaves_the_others() {
        Work work{1};
        script.passes = 1;
        script.refuse["cuptiPCSamplingEnable"] = kHardwareBusy;
        script.ranges = {std::vector<double>(200, 7.0)};
        const auto report = make(work, {});
        QVERIFY(report.has_value());
        std::map<Rung, RungState> states;
        for (const auto& state : report->rungs) states[state.rung] = state;
        QCOMPARE(states[Rung::activity].state, RungState::State::failed);
        QCOMPARE(states[Rung::counters].state, RungState::State::done);
        QCOMPARE(states[Rung::counters].passes, 1u);
        QCOMPARE(states[Rung::pc_sampling].state, RungState::State::failed);
        QVERIFY(states[Rung::pc_sampling].reason.find("DCGM") != std::string::npos);
        QCOMPARE(states[Rung::pm_sampling].state, RungState::State::done);
        QVERIFY(report->launches[0].metrics.size() > 10);
        QCOMPARE(report->chip, std::string{"GH100"});
    }

    void a_stop_is_an_error() {
        Work work{1};
        std::stop_source source;
        source.request_stop();
        const auto report = make(work, {}, source.get_token());
        QVERIFY(!report.has_value());
        QCOMPARE(report.error().code, ErrorCode::cancelled);
    }

    void an_unknown_metric_is_an_error() {
        Work work{1};
        profile::Options options;
        options.metrics = {"dram_thruput"};
        const auto report = make(work, options);
        QVERIFY(!report.has_value());
        QVERIFY(report.error().message.find("dram_throughput") != std::string::npos);
        QCOMPARE(work.runs, 0);
    }

private:
    Climbed<Counted> count_two(Work& work) {
        const auto a = metric("a", "x");
        const auto b = metric("b", "y");
        const std::vector<const profile::Metric*> wanted{&a, &b};
        const auto configuration = configure(api_.api, kRangeProfiler, "GH100", wanted);
        if (!configuration) return std::unexpected(Failure{.error = configuration.error()});
        return count(api_.api, {}, "GH100", *configuration, work.workload, true, {}, kSilent);
    }

    Result<profile::Report> make(Work& work, const profile::Options& options, std::stop_token stop = {}) {
        device::Info info;
        info.arch = "sm_90";
        return make_profiler(api_, {}, info, {})->profile(work.workload, options, std::move(stop), kSilent, {});
    }

    Cupti api_;
};

QTEST_GUILESS_MAIN(TestCuptiProfiler)
#include "test_cupti_profiler.moc"
