#include "engine/pipeline/evaluate.h"
#include "engine/pipeline/execute.h"
#include "engine/pipeline/job.h"
#include "engine/profile/report.h"

#include <QTest>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

using namespace kw;
using namespace kw::pipeline;

namespace {

constexpr const char* kTask = R"(name = "twice"
kernel = "twice.cu"
reference = "reference.cu"
[sizes]
n = 1000
[[case]]
n = 96
timed = true
[[tensor]]
name = "x"
type = "f32"
shape = ["n"]
role = "inout"
fill = "ones"
)";

/// Doubles x in place: a second run without fresh inputs would be seen.
constexpr const char* kKernel = R"(//@ launch twice<<<ceil_div(n, 32), 32>>>(x, n)
//@ launch twice<<<dim3(1, 3), 32, 64>>>(x, n)
__global__ void twice(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && blockIdx.y == 0) x[i] *= 2.0f;
}
)";

/// Uses a workload as a profiler would, and says what it saw.
class ScriptedProfiler : public profile::Profiler {
public:
    enum class Act { profile, fail_job, cancel };
    explicit ScriptedProfiler(Act act) : act_(act) {}

    std::vector<profile::RungState> ladder() override { return {{.rung = profile::Rung::counters}}; }

    Result<profile::Report> profile(const profile::Workload& work, const profile::Options& options,
                                    std::stop_token stop, const device::Progress& progress,
                                    const profile::Live& live) override {
        if (act_ == Act::fail_job) return fail(Stage::profile, ErrorCode::device, "the GPU has fallen off the bus");
        if (act_ == Act::cancel) return fail(Stage::profile, ErrorCode::cancelled, "cancelled");
        profile::Report report;
        report.profiler = "scripted";
        report.launches = work.launches;
        for (int pass = 0; pass < 3; ++pass) {
            if (auto ready = work.prepare(); !ready) return std::unexpected(ready.error());
            if (auto flushed = work.flush(); !flushed) return std::unexpected(flushed.error());
            auto outcome = work.run(stop);
            if (outcome && !outcome->fault) outcome = work.finish(stop);
            if (!outcome) return std::unexpected(outcome.error());
            report.fault = outcome->fault;
            progress("pass", pass / 3.0);
            profile::LiveUpdate update;
            update.activities.emplace_back().name = "pass";
            if (live) live(update);
        }
        report.rungs = {{.rung = profile::Rung::counters, .state = profile::RungState::State::done, .passes = 3}};
        report.launches.at(0).metrics["asked_seconds"] = options.seconds;
        return report;
    }

private:
    Act act_;
};

/// Profiles with a scripted profiler in this process.
class ScriptedExecutor : public Executor {
public:
    explicit ScriptedExecutor(ScriptedProfiler::Act act) : profiler_(act) {}
    Result<Json> execute(const Json& job, double, std::stop_token stop, const Progress& progress) override {
        return runner_.run(Json::parse(job.dump()), stop, progress);
    }
    Result<Json> execute_profile(const Json& json, double, std::stop_token stop, const Progress& progress,
                                 const profile::Live& live) override {
        auto job = job_from_json(Json::parse(json.dump()));
        if (!job) return std::unexpected(job.error());
        had_reference = job->reference.has_value();
        auto device = open_device("sim");
        auto report = run_profile(*job, **device, profiler_, stop, progress, live);
        if (!report) return std::unexpected(report.error());
        return profile::to_json(*report);
    }
    Result<device::Info> describe(const std::string& id) override { return (*open_device(id))->info(); }

    bool had_reference = true;

private:
    JobRunner runner_;
    ScriptedProfiler profiler_;
};

} // namespace

class ProfileJobTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        auto compiler = compile::open_compiler();
        if (!compiler) QSKIP(compiler.error().message.c_str());
        compiler_ = std::move(*compiler);
    }

    void the_workload_is_the_plan_at_the_timed_sizes() {
        ScriptedExecutor executor{ScriptedProfiler::Act::profile};
        std::size_t live = 0;
        const auto result = run(executor, [&](const profile::LiveUpdate& update) { live += update.activities.size(); });
        QVERIFY2(result, result ? "" : result.error().message.c_str());
        const auto report = profile::report_from_json(*result->profile);
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QCOMPARE(report->profiler, std::string("scripted"));
        QCOMPARE(report->sizes.at("n"), 96);
        QCOMPARE(report->launches.size(), 2u);
        QCOMPARE(report->launches[0].kernel, std::string("twice"));
        QCOMPARE(report->launches[0].lowered, std::string("_Z5twicePfi"));
        QVERIFY(report->launches[0].grid == (device::Dim3{3, 1, 1}));
        QVERIFY(report->launches[1].grid == (device::Dim3{1, 3, 1}));
        QCOMPARE(report->launches[1].dynamic_shared_bytes, 64u);
        QVERIFY(report->launches[0].registers > 0);
        QCOMPARE(report->launches[0].metrics.at("asked_seconds"), 1.5);
        QVERIFY(!report->ceilings.empty());
        QCOMPARE(live, 3u);
        QVERIFY(!executor.had_reference); // nothing that is not needed travels
    }

    void errors_of_the_profiler_are_in_the_profile() {
        ScriptedExecutor executor{ScriptedProfiler::Act::fail_job};
        const auto result = run(executor, {});
        QVERIFY(result && result->ok());
        const auto report = profile::report_from_json(*result->profile);
        QVERIFY(report);
        QCOMPARE(report->rungs.size(), 4u);
        QVERIFY(report->rungs[0].reason.find("fallen off the bus") != std::string::npos);
    }

    void a_cancellation_stays_one() {
        ScriptedExecutor executor{ScriptedProfiler::Act::cancel};
        const auto result = run(executor, {});
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::cancelled);
    }

    void the_simulator_has_a_ladder() {
        JobRunner runner;
        const auto ladder = runner.ladder("sim");
        QVERIFY(ladder);
        QCOMPARE(ladder->at("rungs").size(), 4u);
        QCOMPARE(ladder->at("rungs")[1].at("state").get<std::string>(), std::string("available"));
        QVERIFY(!runner.ladder("abacus"));
    }

    void kinds_of_jobs_are_known() {
        Job job;
        for (const auto kind : {Job::Kind::verify, Job::Kind::bench, Job::Kind::profile}) {
            job.kind = kind;
            const auto back = job_from_json(to_json(job));
            QVERIFY(back && back->kind == kind);
        }
        auto json = to_json(job);
        json["kind"] = "dance";
        const auto unknown = job_from_json(json);
        QVERIFY(!unknown);
        QVERIFY(unknown.error().message.find("dance") != std::string::npos);
    }

    void options_travel() {
        Options options;
        options.profile_timeout_s = 7;
        options.profiling.set = "basic";
        options.profiling.metrics = {"ipc"};
        options.profiling.rungs = {profile::Rung::pm_sampling};
        options.profiling.seconds = 2;
        options.profiling.sampling_interval_ns = 10'000;
        const auto back = options_from_json(Json::parse(to_json(options).dump()));
        QVERIFY(back);
        QCOMPARE(to_json(*back).dump(), to_json(options).dump());
        for (const auto* wrong :
             {R"({"profiling": {"rungs": ["ladder"]}})", R"({"profiling": {"seconds": -1}})", R"({"profiling": 3})",
              R"({"profiling": {"metrics": "ipc"}})", R"({"profile_timeout_s": 0})"}) {
            const auto refused = options_from_json(Json::parse(wrong));
            QVERIFY2(!refused, wrong);
            QCOMPARE(exit_code(refused.error()), 2);
        }
    }

private:
    Result<Evaluation> run(Executor& executor, const profile::Live& live) {
        Options options{.device = "sim", .stages = {.verify = false, .bench = false, .profile = true}};
        options.profiling.seconds = 1.5;
        const task::Files files{{"task.toml", kTask}, {"twice.cu", kKernel}, {"reference.cu", kKernel}};
        return evaluate(files, options, *compiler_, executor, {}, [](std::string_view, double) {}, live);
    }

    std::unique_ptr<compile::Compiler> compiler_;
};

QTEST_GUILESS_MAIN(ProfileJobTest)
#include "test_profile_job.moc"
