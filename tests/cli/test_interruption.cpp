#include "tests/cli/task_folder.h"

#include <QtTest/QtTest>

#include <array>
#include <chrono>
#include <thread>

using namespace std::chrono_literals;
using kw::test::candidate;
using kw::test::children_of;
using kw::test::is_dead;
using kw::test::TaskFolder;

/// kw in the middle of an evaluation that would last, and what is done to it there.
class InterruptionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void ends_on_ctrl_c();
    void reports_a_killed_worker();
    void takes_everything_along_when_killed();
    void reports_a_killed_executor();
};

namespace {

/// kw, its worker, and the process that runs kernels, all at work on a kernel without an end.
struct Running {
    TaskFolder task;
    std::optional<kw::Child> kw;
    pid_t worker = 0;
    pid_t executor = 0;

    bool start() {
        task.write("scale.cu", candidate("while (true) { if (x[i % n] == 1234.5f) break; }"));
        auto child = kw::Child::spawn(
            {.arguments = {kw::test::program("kw"), "eval", task.string(), "--device", "sim", "--timeout", "60"}});
        if (!child) return false;
        kw.emplace(std::move(*child));
        for (int i = 0; i < 100 && executor == 0; ++i) {
            std::this_thread::sleep_for(20ms);
            const auto workers = children_of(kw->pid());
            if (workers.empty()) continue;
            worker = workers.front();
            const auto executors = children_of(worker);
            if (!executors.empty()) executor = executors.front();
        }
        // By now the kernel has been compiled and runs.
        std::this_thread::sleep_for(600ms);
        return executor != 0;
    }

    std::string errors() {
        std::string text;
        std::array<char, 4096> buffer{};
        for (;;) {
            const auto n = kw::read_some(kw->errors().get(), buffer.data(), buffer.size());
            if (n <= 0) return text;
            text.append(buffer.data(), static_cast<std::size_t>(n));
        }
    }
};

} // namespace

void InterruptionTest::initTestCase() {
    const auto doctor = kw::test::run_kw({"doctor"});
    QVERIFY(doctor);
    if (!doctor->status.success()) QSKIP(("not run: " + doctor->errors).c_str());
}

void InterruptionTest::ends_on_ctrl_c() {
    Running running;
    QVERIFY(running.start());
    const auto start = std::chrono::steady_clock::now();
    running.kw->kill(SIGINT);
    const auto status = running.kw->wait(5s);
    const auto took = (std::chrono::steady_clock::now() - start) / 1ms;
    QVERIFY(status);
    QCOMPARE(status->code, 130);
    QVERIFY2(took < 400, std::to_string(took).c_str());
    QVERIFY(running.errors().find("cancelled") != std::string::npos);
    QTRY_VERIFY(is_dead(running.worker) && is_dead(running.executor));
}

void InterruptionTest::reports_a_killed_worker() {
    Running running;
    QVERIFY(running.start());
    ::kill(running.worker, SIGKILL);
    const auto status = running.kw->wait(5s);
    QVERIFY(status);
    QCOMPARE(status->code, 3);
    const auto errors = running.errors();
    QVERIFY2(errors.find("the worker ended unexpectedly (signal 9 (SIGKILL))") != std::string::npos, errors.c_str());
    QTRY_VERIFY(is_dead(running.executor));
}

void InterruptionTest::takes_everything_along_when_killed() {
    Running running;
    QVERIFY(running.start());
    running.kw->kill(SIGKILL);
    QVERIFY(running.kw->wait(5s));
    QTRY_VERIFY(is_dead(running.worker) && is_dead(running.executor));
}

void InterruptionTest::reports_a_killed_executor() {
    Running running;
    QVERIFY(running.start());
    ::kill(running.executor, SIGKILL);
    const auto status = running.kw->wait(5s);
    QVERIFY(status);
    QCOMPARE(status->code, 3);
    const auto errors = running.errors();
    QVERIFY2(errors.find("the process that runs kernels ended unexpectedly (signal 9 (SIGKILL))") != std::string::npos,
             errors.c_str());
}

QTEST_GUILESS_MAIN(InterruptionTest)
#include "test_interruption.moc"
