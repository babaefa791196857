#include "engine/profile/report.h"
#include "engine/rpc/worker_client.h"
#include "tests/cli/task_folder.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using kw::Json;
using kw::rpc::WorkerClient;

/// The profile stage through `kw-worker serve`, on the simulator.
class ProfileStageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void a_profile_comes_live_and_whole();
    void profiling_has_a_process_of_its_own();
    void a_profile_past_its_deadline_says_so();
    void the_toolkit_reaches_the_process_that_runs_kernels();

private:
    static std::unique_ptr<WorkerClient> make(std::vector<std::string> options = {}) {
        kw::rpc::WorkerCommand command{{kw::test::program("kw-worker")}, "the worker"};
        command.arguments.insert(command.arguments.end(), options.begin(), options.end());
        command.arguments.emplace_back("serve");
        return std::make_unique<WorkerClient>(std::move(command));
    }
    static kw::task::Files files(std::string_view body = kw::test::kRight) {
        return {{"task.toml", std::string{kw::test::kTask}},
                {"reference.cu", std::string{kw::test::kReference}},
                {"scale.cu", kw::test::candidate(body)}};
    }
    static kw::pipeline::Options options(bool bench) {
        kw::pipeline::Options options;
        options.device = "sim";
        options.stages = {.verify = bench, .bench = bench, .profile = true};
        return options;
    }
    /// Command lines of the processes that run kernels for a worker.
    static std::vector<std::string> executors_of(pid_t worker) {
        std::vector<std::string> found;
        for (const auto child : kw::test::children_of(worker)) {
            std::ifstream file{"/proc/" + std::to_string(child) + "/cmdline", std::ios::binary};
            std::string line{std::istreambuf_iterator<char>{file}, {}};
            std::ranges::replace(line, '\0', ' ');
            if (line.find(" exec ") != std::string::npos) found.push_back(line);
        }
        return found;
    }
    void need_compiler() const {
        if (!compiler_.empty()) QSKIP(compiler_.c_str());
    }
    std::string compiler_;
};

void ProfileStageTest::initTestCase() {
    const auto compiled = make()->compile({.files = {{"a.cu", "__global__ void f() {}"}}, .main = "a.cu"});
    if (!compiled) compiler_ = "not run: " + compiled.error().message;
}

void ProfileStageTest::a_profile_comes_live_and_whole() {
    need_compiler();
    const auto worker = make();
    std::size_t live = 0;
    const auto evaluation =
        worker->evaluate(files(), options(true), {}, {},
                         [&](const kw::profile::LiveUpdate& update) { live += update.activities.size(); });
    QVERIFY2(evaluation, evaluation ? "" : evaluation.error().message.c_str());
    QVERIFY(evaluation->ok() && evaluation->bench && evaluation->reward);
    const auto report = kw::profile::report_from_json(*evaluation->profile);
    QVERIFY2(report, report ? "" : report.error().message.c_str());
    QCOMPARE(report->profiler, std::string("simulator"));
    QCOMPARE(report->launches.size(), 1u);
    QCOMPARE(report->launches[0].kernel, std::string("scale<128>"));
    QCOMPARE(report->activities.size(), 1u);
    QCOMPARE(live, 1u);
    QVERIFY(!report->ceilings.empty());
}

void ProfileStageTest::profiling_has_a_process_of_its_own() {
    need_compiler();
    const auto worker = make();
    auto without = options(true);
    without.stages.profile = false;
    QVERIFY(worker->evaluate(files(), without));
    QCOMPARE(executors_of(worker->pid()).size(), 1u);
    QVERIFY(worker->evaluate(files(), options(true)));
    QCOMPARE(executors_of(worker->pid()).size(), 2u);
}

void ProfileStageTest::a_profile_past_its_deadline_says_so() {
    need_compiler();
    const auto worker = make();
    auto endless = options(false);
    endless.profile_timeout_s = 0.5;
    const auto evaluation = worker->evaluate(files("while (true) { if (x[i % n] == 1234.5f) break; }"), endless);
    QVERIFY2(evaluation, evaluation ? "" : evaluation.error().message.c_str());
    QVERIFY(evaluation->ok());
    const auto report = kw::profile::report_from_json(*evaluation->profile);
    QVERIFY(report);
    QVERIFY(report->rungs[0].state == kw::profile::RungState::State::failed);
    QCOMPARE(report->rungs[0].reason, std::string("profiling did not finish within 0.5 s and was stopped"));
    // The next one works.
    const auto next = worker->evaluate(files(), options(false));
    QVERIFY(next);
    QVERIFY(kw::profile::report_from_json(*next->profile)->rungs[0].state == kw::profile::RungState::State::done);
}

void ProfileStageTest::the_toolkit_reaches_the_process_that_runs_kernels() {
    const auto worker = make({"--toolkit", "/nowhere/cuda"});
    static_cast<void>(worker->devices()); // starts the process
    const auto executors = executors_of(worker->pid());
    QCOMPARE(executors.size(), 1u);
    QVERIFY2(executors[0].find("--toolkit /nowhere/cuda") != std::string::npos, executors[0].c_str());
}

QTEST_GUILESS_MAIN(ProfileStageTest)
#include "test_profile_stage.moc"
