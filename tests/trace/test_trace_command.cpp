#include "engine/base/file.h"
#include "engine/base/process.h"
#include "engine/profile/report.h"
#include "tests/trace/trace_check.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QtTest>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <thread>

using namespace std::chrono_literals;
using kw::Json;

namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = KW_FAKES "/fake_cuda_program";

struct Outcome {
    kw::RunResult run;
    Json summary; ///< null when there was none
    Json trace;   ///< null when there was none
};

/// `kw trace` on the program with these steps, in a folder of its own.
struct Tracing {
    QTemporaryDir folder;
    std::map<std::string, std::string> environment;
    std::vector<std::string> options{"--json"};
    std::string input;

    [[nodiscard]] fs::path path(const char* name) const { return fs::path{folder.path().toStdString()} / name; }

    [[nodiscard]] std::vector<std::string> command(const std::vector<std::string>& program) const {
        std::vector<std::string> words{KW_PROGRAMS "/kw", "--toolkit", KW_FAKES,
                                       "trace",           "-o",        path("t.json").string()};
        words.insert(words.end(), options.begin(), options.end());
        words.emplace_back("--");
        words.insert(words.end(), program.begin(), program.end());
        return words;
    }

    [[nodiscard]] Outcome with(const std::vector<std::string>& program) const {
        kw::RunOptions run_options{.input = input, .timeout = 60s};
        for (const auto& [name, value] : environment) run_options.environment.emplace_back(name, value);
        // Where the spool goes, so that what is left behind can be seen.
        run_options.environment.emplace_back("TMPDIR", folder.path().toStdString());
        auto ran = kw::run(command(program), run_options);
        Outcome outcome{};
        if (!ran) {
            outcome.run.errors = ran.error().message;
            outcome.run.status = {.code = -1};
            return outcome;
        }
        outcome.run = std::move(*ran);
        const auto& said = outcome.run.errors;
        if (const auto at = said.rfind("{\"output\""); at != std::string::npos)
            outcome.summary = Json::parse(said.substr(at), nullptr, false);
        if (fs::exists(path("t.json")))
            outcome.trace = Json::parse(kw::test::read_trace(path("t.json")), nullptr, false);
        return outcome;
    }

    [[nodiscard]] Outcome steps(std::vector<std::string> steps) const {
        steps.insert(steps.begin(), kProgram);
        return with(steps);
    }

    [[nodiscard]] bool left_something() const {
        for (const auto& entry : fs::directory_iterator{fs::path{folder.path().toStdString()}})
            if (entry.path().filename().string().starts_with("kernelwright-trace")) return true;
        return false;
    }
};

std::size_t kernels(const Outcome& outcome) {
    return outcome.trace.is_object() ? kw::test::events(outcome.trace, "X", "kernel") : 0;
}

bool ends_with_status(const Outcome& outcome, int code) {
    return outcome.run.status == kw::ExitStatus{.code = code, .signal = 0};
}

} // namespace

#define VERIFY_STATUS(outcome, code) QVERIFY2(ends_with_status(outcome, code), (outcome).run.errors.c_str())

class TestTraceCommand : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void traces_a_program() {
        const Tracing tracing;
        const auto outcome = tracing.steps({"say:before", "init", "launch:1000", "say:after"});
        VERIFY_STATUS(outcome, 0);
        QCOMPARE(outcome.run.output, std::string{"before\nafter\n"});
        QVERIFY2(outcome.trace.is_object(), outcome.run.errors.c_str());
        QCOMPARE(kw::test::problem_of_trace(outcome.trace), std::string{});
        QCOMPARE(kernels(outcome), std::size_t{1000});
        QCOMPARE(kw::test::events(outcome.trace, "X", "cuda_runtime"), std::size_t{1000});
        QCOMPARE(kw::test::events(outcome.trace, "X", "gpu_memcpy"), std::size_t{1});
        QCOMPARE(kw::test::events(outcome.trace, "s"), std::size_t{1000});

        const auto& summary = outcome.summary;
        QCOMPARE(summary.at("written").get<int>(), 3001);
        QCOMPARE(summary.at("profiler").get<std::string>(), std::string{"CUPTI 13.0"});
        QCOMPARE(summary.at("kernels").size(), std::size_t{2});
        for (const auto& kernel : summary.at("kernels")) {
            QCOMPARE(kernel.at("count").get<int>(), 500);
            QCOMPARE(kernel.at("total_ns").get<int>(), 500'000);
        }
        QCOMPARE(summary.at("devices")[0].at("busy_ns").get<int>(), 1'001'000);
        QCOMPARE(summary.at("copies")[0].at("bytes").get<int>(), 64000);
        QCOMPARE(summary.at("processes")[0].at("name").get<std::string>(), std::string{"fake_cuda_progr"});
        QCOMPARE(summary.at("processes")[0].at("devices")[0].at("name").get<std::string>(), std::string{"Fake H200"});
        QCOMPARE(summary.at("cut_short").get<int>(), 0);
        for (const auto& [why, count] : summary.at("lost").items()) QCOMPARE(count.get<int>(), 0);

        // CUPTI's clock is another; the trace starts with the program.
        for (const auto& event : outcome.trace.at("traceEvents"))
            if (event.at("ph") == "X") QVERIFY(event.at("ts").get<double>() > 0 && event.at("ts").get<double>() < 60e6);
        QVERIFY(!tracing.left_something());
    }

    void says_what_a_person_wants_to_know() {
        Tracing tracing;
        tracing.options = {};
        const auto outcome = tracing.steps({"init", "launch:10"});
        VERIFY_STATUS(outcome, 0);
        for (const char* part : {"GPU 0 (Fake H200): busy", "axpy(float, float const*, float*, int)", "reduce", "HtoD",
                                 "64.0", "t.json", "ui.perfetto.dev"})
            QVERIFY2(outcome.run.errors.contains(part), (std::string{part} + "\nin\n" + outcome.run.errors).c_str());
        QVERIFY(!outcome.run.errors.contains("not in the trace"));
    }

    void writes_the_sessions_form() {
        Tracing tracing;
        tracing.options = {"--report", tracing.path("r.json").string()};
        const auto outcome = tracing.steps({"init", "launch:10"});
        VERIFY_STATUS(outcome, 0);
        const auto text = kw::read_file(tracing.path("r.json"), 1 << 20);
        QVERIFY(text);
        const auto report = kw::profile::report_from_json(Json::parse(*text, nullptr, false));
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QCOMPARE(report->activities.size(), std::size_t{31});
        QCOMPARE(report->device.name, std::string{"Fake H200"});
        QCOMPARE(report->device.arch, std::string{"sm_90"});
        QCOMPARE(report->activities_dropped, std::uint64_t{0});
        QCOMPARE(report->rungs.size(), std::size_t{1});
    }

    void passes_input_and_status_through() {
        Tracing tracing;
        tracing.input = "line\nanother";
        const auto outcome = tracing.steps({"init", "launch:1", "echo", "exit:42"});
        VERIFY_STATUS(outcome, 42);
        QCOMPARE(outcome.run.output, std::string{"line\nanother"});
        QCOMPARE(kernels(outcome), std::size_t{1});
        VERIFY_STATUS(tracing.with({"sh", "-c", "exit 7"}), 7);
    }

    void hands_arguments_over_as_they_are() {
        const Tracing tracing;
        const auto outcome = tracing.with({"printf", "%s|", "-o", "--", "[a,b]", "", "--help", "trace", "ä b"});
        VERIFY_STATUS(outcome, 0);
        QCOMPARE(outcome.run.output, std::string{"-o|--|[a,b]||--help|trace|ä b|"});
    }

    void keeps_what_a_crash_left_data() {
        QTest::addColumn<QString>("step");
        QTest::addColumn<int>("status");
        QTest::newRow("abort") << "raise:6" << 128 + 6;
        QTest::newRow("segmentation fault") << "raise:11" << 128 + 11;
        QTest::newRow("kill -9") << "raise:9" << 128 + 9;
        QTest::newRow("_exit") << "_exit:3" << 3;
    }
    void keeps_what_a_crash_left() {
        QFETCH(QString, step);
        QFETCH(int, status);
        const Tracing tracing;
        const auto outcome = tracing.steps({"init", "launch:2000", "sleep:300", "launch:10", step.toStdString()});
        VERIFY_STATUS(outcome, status);
        QVERIFY2(outcome.trace.is_object(), outcome.run.errors.c_str());
        QCOMPARE(kw::test::problem_of_trace(outcome.trace), std::string{});
        // What had been launched a moment before is there.
        QVERIFY2(kernels(outcome) >= 2000 && kernels(outcome) <= 2010, qPrintable(QString::number(kernels(outcome))));
        QCOMPARE(outcome.summary.at("cut_short").get<int>(), 1);
    }

    void leaves_forked_children_alone() {
        const Tracing tracing;
        const auto outcome = tracing.steps({"init", "launch:10", "fork", "launch:10", "fork"});
        VERIFY_STATUS(outcome, 0);
        QCOMPARE(kernels(outcome), std::size_t{20});
        QCOMPARE(outcome.summary.at("processes").size(), std::size_t{1});
        QCOMPARE(kw::test::problem_of_trace(outcome.trace), std::string{});
    }

    void traces_every_process() {
        const Tracing tracing;
        const auto outcome = tracing.steps({"children:5", "init", "launch:10"});
        VERIFY_STATUS(outcome, 0);
        QCOMPARE(kernels(outcome), std::size_t{60});
        QCOMPARE(outcome.summary.at("processes").size(), std::size_t{6});
        QCOMPARE(kw::test::problem_of_trace(outcome.trace), std::string{});
        QCOMPARE(kw::test::events(outcome.trace, "s"), std::size_t{60});
        const auto shell = tracing.with({"sh", "-c", std::string{kProgram} + " init launch:3; exit 4"});
        VERIFY_STATUS(shell, 4);
        QCOMPARE(kernels(shell), std::size_t{3});
    }

    void follows_a_program_that_becomes_another() {
        const Tracing tracing;
        const auto outcome = tracing.steps({"init", "launch:10", "sleep:300", "exec"});
        VERIFY_STATUS(outcome, 0);
        QCOMPARE(kernels(outcome), std::size_t{15});
        QCOMPARE(kw::test::problem_of_trace(outcome.trace), std::string{});
    }

    void does_not_wait_for_what_stays_in_the_background() {
        const Tracing tracing;
        const auto start = std::chrono::steady_clock::now();
        const auto outcome = tracing.with(
            {"sh", "-c", std::string{kProgram} + " init launch:10 sleep:20000 launch:10 >/dev/null 2>&1 & sleep 0.5"});
        VERIFY_STATUS(outcome, 0);
        QVERIFY(std::chrono::steady_clock::now() - start < 15s);
        QCOMPARE(kernels(outcome), std::size_t{10});
        QVERIFY(!tracing.left_something());
    }

    void writes_nothing_into_the_programs_files() {
        const Tracing tracing;
        const auto own = tracing.path("own").string();
        const auto outcome =
            tracing.steps({"init", "launch:10", "sleep:200", "closefrom:" + own, "launch:10", "sleep:200"});
        VERIFY_STATUS(outcome, 0);
        QCOMPARE(kw::test::read_trace(own), std::string{"mine"});
        QCOMPARE(kernels(outcome), std::size_t{20});
    }

    void respects_limits_on_files() {
        Tracing tracing;
        // 8 blocks of 512 bytes: the stream may not grow beyond, and growing would end the program by SIGXFSZ.
        const auto outcome = tracing.with(
            {"sh", "-c",
             "ulimit -f 8; exec " + std::string{kProgram} + " init launch:5 sleep:200 launch:20000 say:alive"});
        VERIFY_STATUS(outcome, 0);
        QCOMPARE(outcome.run.output, std::string{"alive\n"});
        QVERIFY(kernels(outcome) >= 5 && kernels(outcome) < 20005);
        QVERIFY2(outcome.run.errors.contains("could not write its activities"), outcome.run.errors.c_str());
    }

    void collects_what_is_asked_for() {
        Tracing tracing;
        tracing.options = {"--json", "--kinds", "kernel,copy"};
        const auto outcome = tracing.steps({"init", "launch:10"});
        VERIFY_STATUS(outcome, 0);
        QCOMPARE(kw::test::events(outcome.trace, "X"), std::size_t{11});
    }

    void stops_at_the_limit() {
        Tracing tracing;
        tracing.options = {"--json", "--max-events", "100"};
        const auto outcome = tracing.steps({"init", "launch:1000"});
        VERIFY_STATUS(outcome, 0);
        QCOMPARE(outcome.summary.at("written").get<int>(), 100);
        QCOMPARE(outcome.summary.at("lost").at("not_kept").get<int>(), 2901);
        tracing.options = {"--max-events", "100"};
        QVERIFY(tracing.steps({"init", "launch:1000"}).run.errors.contains("2901 activities beyond the limit"));
    }

    void copes_with_many() {
        const Tracing tracing;
        const auto outcome = tracing.steps({"init", "launch:100000"});
        VERIFY_STATUS(outcome, 0);
        QCOMPARE(outcome.summary.at("written").get<int>() + outcome.summary.at("lost").at("not_kept").get<int>()
                     + outcome.summary.at("lost").at("dropped").get<int>(),
                 300'001);
        QVERIFY(outcome.summary.at("written").get<int>() >= 100'000);
    }

    void compresses_and_names_by_default() {
        const Tracing tracing;
        const auto ran =
            kw::run({KW_PROGRAMS "/kw", "--toolkit", KW_FAKES, "trace", "--", kProgram, "init", "launch:10"},
                    {.folder = tracing.path(".")});
        QVERIFY(ran && ran->status.success());
        const auto trace =
            Json::parse(kw::test::read_trace(tracing.path("fake_cuda_program.trace.json.gz")), nullptr, false);
        QVERIFY2(trace.is_object(), ran->errors.c_str());
        QCOMPARE(kw::test::events(trace, "X"), std::size_t{31});
    }

    void says_when_there_was_no_cuda() {
        const Tracing tracing;
        for (const auto& steps : {std::vector<std::string>{"say:x"}, {"exit:9"}}) {
            const auto outcome = tracing.steps(steps);
            VERIFY_STATUS(outcome, steps[0] == "say:x" ? 0 : 9);
            QVERIFY2(outcome.run.errors.contains("did not start CUDA"), outcome.run.errors.c_str());
            QVERIFY(outcome.trace.is_null());
        }
        const auto idle = tracing.steps({"init"});
        VERIFY_STATUS(idle, 0);
        QVERIFY2(idle.run.errors.contains("did nothing on a GPU"), idle.run.errors.c_str());
    }

    void says_why_it_was_refused() {
        Tracing tracing;
        tracing.environment["FAKE_CUPTI_REFUSAL"] = "39";
        const auto outcome = tracing.steps({"init", "launch:10", "say:ran"});
        VERIFY_STATUS(outcome, 0);
        QCOMPARE(outcome.run.output, std::string{"ran\n"});
        QVERIFY2(outcome.run.errors.contains("another profiler in this process"), outcome.run.errors.c_str());
        QVERIFY(outcome.trace.is_null());
    }

    void does_not_start_what_it_cannot_trace() {
        Tracing tracing;
        tracing.environment["FAKE_CUPTI_VERSION"] = "17";
        const auto old = tracing.steps({"say:ran"});
        VERIFY_STATUS(old, 3);
        QVERIFY2(old.run.errors.contains("older than 12.0"), old.run.errors.c_str());
        QVERIFY(old.run.output.empty());

        tracing.environment.clear();
        const auto absent = tracing.with({"no-such-program-anywhere"});
        VERIFY_STATUS(absent, 127);
        QVERIFY(absent.run.errors.contains("no-such-program-anywhere"));
        VERIFY_STATUS(tracing.with({"/nonexistent/program"}), 127);
        VERIFY_STATUS(tracing.with({"/etc/passwd"}), 126);

        tracing.options = {"--kinds", "kernel,cats"};
        const auto kinds = tracing.steps({"say:ran"});
        VERIFY_STATUS(kinds, 2);
        QVERIFY(kinds.run.errors.contains("'cats'") && kinds.run.output.empty());
        tracing.options = {"--report", "/nonexistent/r.json"};
        VERIFY_STATUS(tracing.steps({"say:ran"}), 2);
        const auto none = kw::run({KW_PROGRAMS "/kw", "trace"});
        QVERIFY(none && none->status.code == 2 && none->errors.contains("-- COMMAND"));
    }

    void passes_signals_on() {
        Tracing tracing;
        auto child = kw::Child::spawn(
            {.arguments = tracing.command({kProgram, "on_interrupt", "init", "launch:10", "say:ready", "sleep:30000"}),
             .input = kw::SpawnOptions::Stream::null});
        QVERIFY(child);
        std::array<char, 64> buffer{};
        QVERIFY(kw::read_some(child->output().get(), buffer.data(), buffer.size()) > 0);
        std::this_thread::sleep_for(200ms);
        QCOMPARE(::kill(child->pid(), SIGINT), 0); // to kw alone, as `kill` would
        const auto status = child->wait(20s);
        QVERIFY(status);
        QCOMPARE(status->code, 5);
        const auto trace = Json::parse(kw::test::read_trace(tracing.path("t.json")), nullptr, false);
        QVERIFY(trace.is_object());
        QCOMPARE(kw::test::events(trace, "X", "kernel"), std::size_t{10});
    }

    void reads_streams_and_nothing_else() {
        const Tracing tracing;
        const auto outcome = tracing.steps({"init", "launch:10", "litter"});
        VERIFY_STATUS(outcome, 0);
        QCOMPARE(kernels(outcome), std::size_t{10});
        QVERIFY(!tracing.left_something());
    }

    void two_of_one_name_are_each_whole() {
        const Tracing tracing;
        std::vector<kw::Child> running;
        for (int i = 0; i < 3; ++i) {
            auto child = kw::Child::spawn({.arguments = tracing.command({kProgram, "init", "launch:20000"}),
                                           .input = kw::SpawnOptions::Stream::null,
                                           .output = kw::SpawnOptions::Stream::null,
                                           .errors = kw::SpawnOptions::Stream::null});
            QVERIFY(child);
            running.push_back(std::move(*child));
        }
        for (auto& child : running) {
            const auto status = child.wait(30s);
            QVERIFY(status && status->success());
        }
        const auto trace = Json::parse(kw::test::read_trace(tracing.path("t.json")), nullptr, false);
        QVERIFY(trace.is_object());
        QCOMPARE(kw::test::events(trace, "X", "kernel"), std::size_t{20000});
    }

    void does_not_write_two_outputs_into_one_file() {
        Tracing tracing;
        tracing.options = {"--report", tracing.path("./t.json").string()};
        const auto outcome = tracing.steps({"say:ran"});
        VERIFY_STATUS(outcome, 2);
        QVERIFY(outcome.run.output.empty() && outcome.run.errors.contains("twice"));
    }

    void leaves_nothing_half_done_when_interrupted_while_it_writes() {
        Tracing tracing;
        kw::SpawnOptions options{.arguments = tracing.command({kProgram, "init", "launch:200000"}),
                                 .environment = {{"TMPDIR", tracing.folder.path().toStdString()}},
                                 .input = kw::SpawnOptions::Stream::null};
        auto child = kw::Child::spawn(options);
        QVERIFY(child);
        const auto writes = [&] {
            for (const auto& entry : fs::directory_iterator{fs::path{tracing.folder.path().toStdString()}})
                if (entry.path().filename().string().starts_with("t.json")) return true;
            return false;
        };
        for (int i = 0; i < 10'000 && !writes(); ++i) std::this_thread::sleep_for(1ms);
        QCOMPARE(::kill(child->pid(), SIGINT), 0);
        const auto status = child->wait(20s);
        QVERIFY(status);
        QCOMPARE(status->code, 130);
        QVERIFY(fs::is_empty(fs::path{tracing.folder.path().toStdString()}));
    }

    void tells_while_it_runs() {
        Tracing tracing;
        tracing.options = {"--live"};
        const auto outcome = tracing.steps({"init", "launch:1000", "sleep:1500"});
        VERIFY_STATUS(outcome, 0);
        QVERIFY2(outcome.run.errors.contains("kw trace: 1 s: 1000 kernels"), outcome.run.errors.c_str());
    }

    void hides_nothing_from_the_program() {
        Tracing tracing;
        tracing.environment["CUDA_INJECTION64_PATH"] = "/opt/other.so";
        const auto outcome = tracing.steps({"environment:CUDA_INJECTION64_PATH", "environment:HOME"});
        VERIFY_STATUS(outcome, 0);
        QVERIFY(outcome.run.output.contains("libkw_trace.so\n"));
        QVERIFY(outcome.run.output.contains(std::getenv("HOME") ? std::getenv("HOME") : "(unset)"));
        QVERIFY2(outcome.run.errors.contains("takes the place of /opt/other.so"), outcome.run.errors.c_str());
    }
};

QTEST_GUILESS_MAIN(TestTraceCommand)
#include "test_trace_command.moc"
