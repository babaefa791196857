#include "engine/rpc/server.h"
#include "engine/worker/child_executor.h"
#include "engine/worker/stdio_guard.h"

#include <QtTest/QtTest>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

using namespace std::chrono_literals;
using kw::Json;

/// The executor with this program as its child (--child), which does on request what kernels do to a process.
class ChildExecutorTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void executes();
    void keeps_the_child_warm();
    void keeps_prints_out_of_the_protocol();
    void restarts_after_a_crash();
    void kills_at_the_deadline();
    void passes_a_cancel_on();
    void kills_what_does_not_heed_a_cancel();
    void passes_errors_on();
    void restarts_after_a_lost_device_data();
    void restarts_after_a_lost_device();
    void answers_about_devices_while_a_job_runs();
    void tells_when_there_is_no_child();
    void says_how_long_recovery_took_data();
    void says_how_long_recovery_took();
    void has_nothing_to_recover_from_after_a_good_job();
    void says_why_it_could_not_recover();
    void finds_the_place_of_an_assert_data();
    void finds_the_place_of_an_assert();

private:
    static kw::worker::ChildExecutor make() { return kw::worker::ChildExecutor{{program(), "--child"}}; }
    static std::string program() { return QCoreApplication::applicationFilePath().toStdString(); }
    static kw::Result<Json> run(kw::worker::ChildExecutor& executor, const char* what, double timeout_s = 10,
                                std::stop_token stop = {}) {
        return executor.execute(Json{{"do", what}}, timeout_s, stop, {});
    }
};

static kw::Result<Json> act(const Json& params, const std::stop_token& stop) {
    const auto what = params.at("do").get<std::string>();
    if (what == "pid") return Json(::getpid());
    if (what == "print") std::puts("Content-Length: nonsense");
    if (what == "crash") {
        std::fputs("illegal address\n", stderr);
        ::raise(SIGSEGV);
    }
    if (what == "listen")
        while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
    if (what == "hang") std::this_thread::sleep_for(60s);
    if (what == "lose") return Json{{"device_lost", true}, {"pid", ::getpid()}};
    if (what == "lose and fail")
        return Json{{"device_lost", true},
                    {"error", kw::rpc::to_json(kw::Error{kw::Stage::task, kw::ErrorCode::invalid_input, "reference"})}};
    if (what == "assert") {
        // As the driver does, before the error reaches whoever waits for the kernel.
        const char text[] =
            "/dev/null/task/k.cu:7: void k(float *): block: [1,0,0], thread: [44,0,0] Assertion `i < n` "
            "failed.\n";
        const bool printed = params.value("printed", false);
        if (!printed) std::fputs(text, stderr);
        return Json{{"device_lost", true},
                    {"ok", false},
                    {"because", "k failed an assert"},
                    {"output", printed ? text : ""},
                    {"fault", {{"kind", "assertion"}, {"message", "k failed an assert"}, {"kernel", "_Z1kPf"}}}};
    }
    if (what == "fail") return kw::fail(kw::Stage::verify, kw::ErrorCode::wrong, "no");
    if (stop.stop_requested()) return kw::fail(kw::Stage::verify, kw::ErrorCode::cancelled, "stopped");
    return Json("done");
}

static int child_main() {
    auto channel = kw::worker::take_stdio();
    if (!channel) return 1;
    kw::rpc::Server server{std::move(channel->input), std::move(channel->output)};
    server.add(
        "execute",
        {[](const Json& params, std::stop_token stop, const kw::rpc::Progress&) { return act(params, stop); }, "jobs"});
    server.add("open", {[](const Json& params, std::stop_token, const kw::rpc::Progress&) -> kw::Result<Json> {
                            if (params.at("device") == "cuda:0") return Json{{"id", "cuda:0"}};
                            return kw::fail(kw::Stage::device, kw::ErrorCode::device, "the GPU has gone");
                        },
                        "jobs"});
    server.add("devices", {[](const Json&, std::stop_token, const kw::rpc::Progress&) -> kw::Result<Json> {
                               return Json{{"devices", {::getpid()}}};
                           },
                           "inspect"});
    const auto served = server.serve();
    ::_exit(served ? 0 : 1);
}

template<class Work> static qint64 milliseconds(Work work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return (std::chrono::steady_clock::now() - start) / 1ms;
}

void ChildExecutorTest::executes() {
    auto executor = make();
    const auto answer = run(executor, "anything");
    QVERIFY(answer);
    QCOMPARE(answer->get<std::string>(), std::string("done"));
}

void ChildExecutorTest::keeps_the_child_warm() {
    auto executor = make();
    executor.warm_up();
    const auto first = run(executor, "pid");
    const auto second = run(executor, "pid");
    QVERIFY(first && second);
    QVERIFY(*first == *second);
}

void ChildExecutorTest::keeps_prints_out_of_the_protocol() {
    auto executor = make();
    QVERIFY(run(executor, "print"));
    QVERIFY(run(executor, "print"));
}

void ChildExecutorTest::restarts_after_a_crash() {
    auto executor = make();
    const auto before = run(executor, "pid");
    const auto crash = run(executor, "crash");
    QVERIFY(!crash);
    QCOMPARE(crash.error().code, kw::ErrorCode::crashed);
    QCOMPARE(crash.error().message,
             std::string("the process that runs kernels ended unexpectedly (signal 11 (SIGSEGV)): illegal address"));
    const auto after = run(executor, "pid");
    QVERIFY(before && after);
    QVERIFY(*before != *after);
}

void ChildExecutorTest::kills_at_the_deadline() {
    auto executor = make();
    const auto pid = run(executor, "pid");
    QVERIFY(pid);
    kw::Result<Json> answer;
    const auto took = milliseconds([&] { answer = run(executor, "hang", 0.2); });
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, kw::ErrorCode::timeout);
    QVERIFY2(took < 1000, std::to_string(took).c_str());
    QTRY_VERIFY(::kill(pid->get<pid_t>(), 0) != 0);
    QVERIFY(run(executor, "anything"));
}

void ChildExecutorTest::passes_a_cancel_on() {
    auto executor = make();
    const auto before = run(executor, "pid");
    std::stop_source stop;
    std::jthread stopper{[&] {
        std::this_thread::sleep_for(50ms);
        stop.request_stop();
    }};
    kw::Result<Json> answer;
    const auto took = milliseconds([&] { answer = run(executor, "listen", 10, stop.get_token()); });
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, kw::ErrorCode::cancelled);
    QVERIFY2(took < 250, std::to_string(took).c_str());
    // It obeyed, so it may live.
    const auto after = run(executor, "pid");
    QVERIFY(before && after && *before == *after);
}

void ChildExecutorTest::kills_what_does_not_heed_a_cancel() {
    auto executor = make();
    const auto before = run(executor, "pid");
    std::stop_source stop;
    std::jthread stopper{[&] {
        std::this_thread::sleep_for(50ms);
        stop.request_stop();
    }};
    kw::Result<Json> answer;
    const auto took = milliseconds([&] { answer = run(executor, "hang", 10, stop.get_token()); });
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, kw::ErrorCode::cancelled);
    QVERIFY2(took < 250, std::to_string(took).c_str());
    const auto after = run(executor, "pid");
    QVERIFY(before && after && *before != *after);
}

void ChildExecutorTest::passes_errors_on() {
    auto executor = make();
    const auto before = run(executor, "pid");
    const auto answer = run(executor, "fail");
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, kw::ErrorCode::wrong);
    QCOMPARE(answer.error().stage, kw::Stage::verify);
    const auto after = run(executor, "pid");
    QVERIFY(before && after && *before == *after);
}

void ChildExecutorTest::restarts_after_a_lost_device_data() {
    QTest::addColumn<QByteArray>("how");
    QTest::newRow("with a report") << QByteArray("lose");
    QTest::newRow("with an error") << QByteArray("lose and fail");
}

void ChildExecutorTest::restarts_after_a_lost_device() {
    QFETCH(QByteArray, how);
    auto executor = make();
    const auto before = run(executor, "pid");
    const auto answer = run(executor, how.constData());
    if (how == "lose") {
        QVERIFY(answer && answer->at("pid") == *before);
    } else {
        QVERIFY(!answer);
        QCOMPARE(answer.error().stage, kw::Stage::task);
        QCOMPARE(answer.error().message, std::string("reference"));
    }
    const auto after = run(executor, "pid");
    QVERIFY(before && after && *before != *after);
    QTRY_VERIFY(::kill(before->get<pid_t>(), 0) != 0);
}

void ChildExecutorTest::answers_about_devices_while_a_job_runs() {
    auto executor = make();
    const auto pid = run(executor, "pid");
    kw::Result<Json> answer;
    std::jthread job{[&] { answer = run(executor, "hang", 0.5); }};
    std::this_thread::sleep_for(50ms);
    kw::Result<Json> devices;
    const auto took = milliseconds([&] { devices = executor.devices({}); });
    QVERIFY(pid && devices);
    QCOMPARE(devices->at("devices").at(0), *pid);
    QVERIFY2(took < 400, std::to_string(took).c_str());
    job.join();
    QCOMPARE(answer.error().code, kw::ErrorCode::timeout);
}

void ChildExecutorTest::tells_when_there_is_no_child() {
    kw::worker::ChildExecutor executor{{"/nowhere/kw-worker", "exec"}};
    executor.warm_up();
    const auto answer = run(executor, "anything");
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, kw::ErrorCode::not_found);
}

void ChildExecutorTest::says_how_long_recovery_took_data() {
    QTest::addColumn<QByteArray>("how");
    for (const char* how : {"crash", "hang", "lose", "lose and fail"}) QTest::newRow(how) << QByteArray(how);
}

void ChildExecutorTest::says_how_long_recovery_took() {
    QFETCH(QByteArray, how);
    auto executor = make();
    static_cast<void>(run(executor, how.constData(), 0.2));
    const auto recovery = executor.recover("cuda:0", {});
    QVERIFY(recovery);
    QCOMPARE(recovery->problem, std::string{});
    QVERIFY2(recovery->milliseconds > 0 && recovery->milliseconds < 2000,
             std::to_string(recovery->milliseconds).c_str());
    QVERIFY(!executor.recover("cuda:0", {}));
    QVERIFY(run(executor, "anything"));
}

void ChildExecutorTest::has_nothing_to_recover_from_after_a_good_job() {
    auto executor = make();
    QVERIFY(!executor.recover("cuda:0", {}));
    static_cast<void>(run(executor, "crash"));
    // What an earlier job did is none of this one's.
    QVERIFY(run(executor, "anything"));
    QVERIFY(!executor.recover("cuda:0", {}));
    QVERIFY(!run(executor, "fail"));
    QVERIFY(!executor.recover("cuda:0", {}));
}

void ChildExecutorTest::says_why_it_could_not_recover() {
    auto executor = make();
    static_cast<void>(run(executor, "lose"));
    const auto recovery = executor.recover("cuda:1", {});
    QVERIFY(recovery);
    QCOMPARE(recovery->problem, std::string("the GPU has gone"));
}

void ChildExecutorTest::finds_the_place_of_an_assert_data() {
    QTest::addColumn<bool>("printed");
    QTest::newRow("on standard error") << false;
    QTest::newRow("in what the kernel printed") << true;
}

void ChildExecutorTest::finds_the_place_of_an_assert() {
    QFETCH(bool, printed);
    auto executor = make();
    const auto answer = executor.execute(Json{{"do", "assert"}, {"printed", printed}}, 10, {}, {});
    QVERIFY(answer);
    const auto fault = kw::device::fault_from_json(answer->at("fault"));
    QCOMPARE(fault.where, (kw::Where{"k.cu", 7, 0}));
    QCOMPARE(fault.kernel, std::string("_Z1kPf"));
    QVERIFY(fault.block && fault.block->x == 1 && fault.thread && fault.thread->x == 44);
    QCOMPARE(answer->at("because").get<std::string>(), std::string("assertion `i < n` failed"));
}

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view{argv[1]} == "--child") return child_main();
    QCoreApplication app{argc, argv};
    ChildExecutorTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_child_executor.moc"
