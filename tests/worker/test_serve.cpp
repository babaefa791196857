#include "engine/rpc/worker_client.h"
#include "tests/cli/task_folder.h"

#include <QtTest/QtTest>

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <csignal>
#include <future>
#include <thread>

using namespace std::chrono_literals;
using kw::Json;
using kw::rpc::CompileQuery;
using kw::rpc::WorkerClient;

/// `kw-worker serve` through the client that kw and the desktop program use.
class ServeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void shakes_hands();
    void refuses_another_version();
    void needs_a_handshake();
    void compiles();
    void reports_directives_as_diagnostics();
    void compiles_without_a_task();
    void keeps_only_the_newest_compilation();
    void evaluates_twice();
    void cancels_an_evaluation_within_200_ms();
    void types_while_evaluating();
    void restarts_after_a_kill();
    void refuses_names_that_leave_the_task();
    void shuts_down();

private:
    static std::unique_ptr<WorkerClient> make() {
        return std::make_unique<WorkerClient>(
            kw::rpc::WorkerCommand{{kw::test::program("kw-worker"), "serve"}, "the worker"});
    }
    static kw::task::Files files(const std::string& source = kw::test::candidate(kw::test::kRight)) {
        return {{"task.toml", std::string{kw::test::kTask}},
                {"reference.cu", std::string{kw::test::kReference}},
                {"scale.cu", source}};
    }
    static kw::task::Files endless() {
        return files(kw::test::candidate("while (true) { if (x[i % n] == 1234.5f) break; }"));
    }
    static kw::pipeline::Options on_simulator() {
        kw::pipeline::Options options;
        options.device = "sim";
        return options;
    }
    void need_compiler() const {
        if (!compiler_.empty()) QSKIP(compiler_.c_str());
    }
    std::string compiler_;
};

static const char* text(const kw::Error& error) {
    static std::string kept;
    kept = describe(error) + "\n" + error.detail;
    return kept.c_str();
}

#define VERIFY_RESULT(result) QVERIFY2((result).has_value(), (result) ? "" : text((result).error()))

void ServeTest::initTestCase() {
    const auto worker = make();
    const auto compiled = worker->compile({.files = {{"a.cu", "__global__ void f() {}"}}, .main = "a.cu"});
    if (!compiled) compiler_ = "not run: " + compiled.error().message;
}

void ServeTest::shakes_hands() {
    const auto worker = make();
    const auto capabilities = worker->capabilities();
    VERIFY_RESULT(capabilities);
    QCOMPARE(capabilities->protocol, kw::rpc::kProtocolVersion);
    QVERIFY(std::ranges::find(capabilities->methods, "evaluate") != capabilities->methods.end());
    const auto devices = worker->devices();
    VERIFY_RESULT(devices);
    QVERIFY(!devices->at("devices").empty());
}

void ServeTest::refuses_another_version() {
    auto client = kw::rpc::Client::start({.arguments = {kw::test::program("kw-worker"), "serve"}}, "the worker");
    QVERIFY(client);
    const auto hello = (*client)->call("initialize", Json{{"protocol", 999}});
    QVERIFY(!hello);
    QCOMPARE(hello.error().code, kw::ErrorCode::unsupported);
    QVERIFY(hello.error().message.find("install the same version") != std::string::npos);
}

void ServeTest::needs_a_handshake() {
    auto client = kw::rpc::Client::start({.arguments = {kw::test::program("kw-worker"), "serve"}}, "the worker");
    QVERIFY(client);
    const auto devices = (*client)->call("devices", Json::object());
    QVERIFY(!devices);
    QVERIFY(devices.error().message.find("initialize") != std::string::npos);
}

void ServeTest::compiles() {
    need_compiler();
    const auto worker = make();
    for (const bool syntax_only : {false, true}) {
        const auto right =
            worker->compile({.files = files(), .main = {}, .device = "sim", .syntax_only = syntax_only, .ptx = true});
        VERIFY_RESULT(right);
        QVERIFY2(right->at("ok").get<bool>(), right->dump().c_str());
        if (!syntax_only) QVERIFY(right->at("ptx").get<std::string>().find(".entry") != std::string::npos);
        const auto wrong = worker->compile({.files = files(kw::test::candidate("y[i] = undeclared;")),
                                            .main = "scale.cu",
                                            .device = "sim",
                                            .syntax_only = syntax_only});
        VERIFY_RESULT(wrong);
        QVERIFY(!wrong->at("ok").get<bool>());
        QCOMPARE(wrong->at("diagnostics")[0]["line"].get<int>(), 6);
    }
}

void ServeTest::reports_directives_as_diagnostics() {
    need_compiler();
    const auto worker = make();
    auto source = kw::test::candidate(kw::test::kRight);
    source.replace(source.find("(x, y,"), 6, "(x, q,");
    for (const bool syntax_only : {false, true}) {
        const auto answer =
            worker->compile({.files = files(source), .main = "scale.cu", .device = "sim", .syntax_only = syntax_only});
        VERIFY_RESULT(answer);
        QVERIFY(!answer->at("ok").get<bool>());
        QCOMPARE(answer->at("diagnostics")[0]["line"].get<int>(), 2);
        QVERIFY(answer->at("diagnostics")[0]["message"].get<std::string>().find("'q'") != std::string::npos);
    }
}

void ServeTest::compiles_without_a_task() {
    need_compiler();
    const auto worker = make();
    const auto answer = worker->compile(
        {.files = {{"a.cu", "#include \"b.cuh\"\n__global__ void f(int* x) { *x = B; }"}, {"b.cuh", "#define B 3\n"}},
         .main = "a.cu"});
    VERIFY_RESULT(answer);
    QVERIFY2(answer->at("ok").get<bool>(), answer->dump().c_str());
    QCOMPARE(answer->at("kernels").size(), std::size_t{1});
}

void ServeTest::keeps_only_the_newest_compilation() {
    need_compiler();
    const auto worker = make();
    std::array<std::promise<kw::Result<Json>>, 6> answers;
    for (std::size_t i = 0; i < answers.size(); ++i)
        worker->compile_async(
            {.files = files(kw::test::candidate(fmt::format("y[i] = {};", i))), .main = "scale.cu", .device = "sim"},
            [&answers, i](kw::Result<Json> answer) { answers[i].set_value(std::move(answer)); });
    std::size_t cancelled = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const auto answer = answers[i].get_future().get();
        if (!answer) {
            QCOMPARE(answer.error().code, kw::ErrorCode::cancelled);
            ++cancelled;
        }
        if (i + 1 == answers.size()) VERIFY_RESULT(answer);
    }
    QVERIFY2(cancelled >= 3, std::to_string(cancelled).c_str());
}

void ServeTest::evaluates_twice() {
    need_compiler();
    const auto worker = make();
    for (int round = 0; round < 2; ++round) {
        bool heard = false;
        const auto evaluation =
            worker->evaluate(files(), on_simulator(), {}, [&](std::string_view, double) { heard = true; });
        VERIFY_RESULT(evaluation);
        QVERIFY(evaluation->ok());
        QVERIFY(heard);
        QVERIFY(evaluation->reward->value >= 1);
    }
}

void ServeTest::cancels_an_evaluation_within_200_ms() {
    need_compiler();
    const auto worker = make();
    for (int round = 0; round < 2; ++round) {
        std::stop_source stop;
        std::chrono::steady_clock::time_point asked;
        std::jthread stopper{[&] {
            std::this_thread::sleep_for(700ms);
            asked = std::chrono::steady_clock::now();
            stop.request_stop();
        }};
        const auto evaluation = worker->evaluate(endless(), on_simulator(), stop.get_token());
        const auto took = (std::chrono::steady_clock::now() - asked) / 1ms;
        QVERIFY(!evaluation);
        QCOMPARE(evaluation.error().code, kw::ErrorCode::cancelled);
        QVERIFY2(took < 200, std::to_string(took).c_str());
    }
    VERIFY_RESULT(worker->evaluate(files(), on_simulator()));
}

void ServeTest::types_while_evaluating() {
    need_compiler();
    const auto worker = make();
    std::promise<void> ended;
    const auto ticket = worker->evaluate_async(
        endless(), on_simulator(), [&](const kw::Result<kw::pipeline::Evaluation>&) { ended.set_value(); }, {});
    std::this_thread::sleep_for(300ms);
    const auto start = std::chrono::steady_clock::now();
    VERIFY_RESULT(worker->compile({.files = files(), .main = {}, .device = "sim"}));
    QVERIFY(std::chrono::steady_clock::now() - start < 2s);
    ticket.cancel();
    QVERIFY(ended.get_future().wait_for(2s) == std::future_status::ready);
}

void ServeTest::restarts_after_a_kill() {
    const auto worker = make();
    VERIFY_RESULT(worker->devices());
    const auto first = worker->pid();
    QVERIFY(first > 0);
    const auto children = kw::test::children_of(first);
    QVERIFY(!children.empty());
    ::kill(first, SIGKILL);
    QTRY_VERIFY(!worker->alive());
    VERIFY_RESULT(worker->devices());
    QVERIFY(worker->pid() != first);
    QTRY_VERIFY(kw::test::is_dead(children.front()));
}

void ServeTest::refuses_names_that_leave_the_task() {
    const auto worker = make();
    for (const auto* name : {"../a.cu", "/etc/passwd", "a/../../b.cu", ""}) {
        const auto answer = worker->compile({.files = {{name, "x"}}, .main = name});
        QVERIFY(!answer);
        QCOMPARE(answer.error().code, kw::ErrorCode::invalid_input);
    }
}

void ServeTest::shuts_down() {
    const auto worker = make();
    VERIFY_RESULT(worker->devices());
    const auto pid = worker->pid();
    const auto children = kw::test::children_of(pid);
    worker->shutdown();
    QVERIFY(kw::test::is_dead(pid));
    for (const auto child : children) QTRY_VERIFY(kw::test::is_dead(child));
}

QTEST_GUILESS_MAIN(ServeTest)
#include "test_serve.moc"
