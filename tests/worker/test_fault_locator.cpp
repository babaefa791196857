#include "engine/rpc/server.h"
#include "engine/worker/fault_locator.h"
#include "engine/worker/stdio_guard.h"

#include <QtTest/QtTest>

#include <unistd.h>

#include <chrono>
#include <thread>

using namespace std::chrono_literals;
using kw::Json;
using kw::device::FaultKind;

/// Looking for a fault's place with this program as the process that runs kernels (--child), and a compute-sanitizer
/// that is a script.
class FaultLocatorTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void asks_the_simulator_first();
    void asks_the_sanitizer_where_the_simulator_shows_nothing_data();
    void asks_the_sanitizer_where_the_simulator_shows_nothing();
    void leaves_out_what_the_sanitizer_has_no_words_for();
    void works_without_a_sanitizer();
    void can_be_cancelled_data();
    void can_be_cancelled();

private:
    std::optional<kw::device::Fault> locate(const char* simulator, const char* job,
                                            FaultKind told = FaultKind::out_of_bounds, std::stop_token stop = {}) {
        phases_.clear();
        return kw::worker::locate_fault({QCoreApplication::applicationFilePath().toStdString(), "--child"},
                                        toolkit_.path().toStdString(), Json{{"simulator", simulator}, {"do", job}},
                                        told, std::move(stop),
                                        [this](std::string_view what, double) { phases_.emplace_back(what); });
    }
    QTemporaryDir toolkit_;
    std::vector<std::string> phases_;
};

static kw::Result<Json> simulate(const Json& job, const std::stop_token& stop) {
    const auto what = job.at("simulator").get<std::string>();
    if (what == "shows")
        return Json{{"fault",
                     {{"kind", "out_of_bounds"},
                      {"message", "write past y"},
                      {"kernel", "k"},
                      {"where", {{"file", "k.cu"}, {"line", 5}}}}}};
    if (what == "crashes") ::_exit(9);
    if (what == "nonsense") return Json{{"fault", {{"kind", 5}}}};
    if (what == "hangs")
        while (true) std::this_thread::sleep_for(1s);
    if (what == "listens")
        while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
    return Json::object();
}

static int child_main() {
    auto channel = kw::worker::take_stdio();
    if (!channel) return 1;
    kw::rpc::Server server{std::move(channel->input), std::move(channel->output)};
    server.add("locate", {[](const Json& params, std::stop_token stop, const kw::rpc::Progress&) {
                              return simulate(params.at("job"), stop);
                          },
                          "jobs"});
    server.add("execute", {[](const Json& job, std::stop_token, const kw::rpc::Progress&) -> kw::Result<Json> {
                               while (job.at("do") == "hang") std::this_thread::sleep_for(1s);
                               return Json{{"ok", false}};
                           },
                           "jobs"});
    const auto served = server.serve();
    ::_exit(served ? 0 : 1);
}

void FaultLocatorTest::initTestCase() {
    QVERIFY(toolkit_.isValid());
    QVERIFY(QDir(toolkit_.path()).mkpath("bin"));
    // --tool memcheck --log-file REPORT --print-limit 1 PROGRAM --child
    QFile script(toolkit_.filePath("bin/compute-sanitizer"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("#!/bin/sh\ncat > \"$4\" <<'END'\n"
                 "========= Invalid __global__ write of size 4 bytes\n"
                 "=========     at k(float *)+0x70 in /dev/null/task/k.cu:9\n"
                 "=========     by thread (3,0,0) in block (1,0,0)\n"
                 "=========     Address 0x7f0000001000 is out of bounds\n"
                 "=========\nEND\nshift 6\nexec \"$@\"\n");
    script.close();
    QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
}

void FaultLocatorTest::asks_the_simulator_first() {
    const auto fault = locate("shows", "");
    QVERIFY(fault);
    QCOMPARE(fault->where.line, 5);
    QCOMPARE(phases_.size(), std::size_t{1});
}

void FaultLocatorTest::asks_the_sanitizer_where_the_simulator_shows_nothing_data() {
    QTest::addColumn<QByteArray>("simulator");
    for (const char* how : {"nothing", "crashes", "nonsense", "hangs"}) QTest::newRow(how) << QByteArray(how);
}

void FaultLocatorTest::asks_the_sanitizer_where_the_simulator_shows_nothing() {
    QFETCH(QByteArray, simulator);
    QElapsedTimer timer;
    timer.start();
    const auto fault = locate(simulator.constData(), "");
    QVERIFY(fault);
    QCOMPARE(fault->where, (kw::Where{"k.cu", 9, 0}));
    QVERIFY(fault->thread && fault->thread->x == 3);
    QCOMPARE(phases_.size(), std::size_t{2});
    QVERIFY(phases_.back().find("compute-sanitizer") != std::string::npos);
    QVERIFY(timer.elapsed() < (simulator == "hangs" ? 6000 : 2000));
}

void FaultLocatorTest::leaves_out_what_the_sanitizer_has_no_words_for() {
    QVERIFY(!locate("nothing", "", FaultKind::endless_loop));
    QCOMPARE(phases_.size(), std::size_t{1});
}

void FaultLocatorTest::works_without_a_sanitizer() {
    const QTemporaryDir empty;
    QVERIFY(!kw::worker::locate_fault({"/nowhere/kw-worker"}, empty.path().toStdString(), Json::object(),
                                      FaultKind::out_of_bounds, {}, [](std::string_view, double) {}));
}

void FaultLocatorTest::can_be_cancelled_data() {
    QTest::addColumn<QByteArray>("simulator");
    QTest::newRow("on the simulator") << QByteArray("listens");
    QTest::newRow("on a simulator that hears nothing") << QByteArray("hangs");
    QTest::newRow("under compute-sanitizer") << QByteArray("nothing");
}

void FaultLocatorTest::can_be_cancelled() {
    QFETCH(QByteArray, simulator);
    std::stop_source stop;
    std::jthread stopper{[&] {
        std::this_thread::sleep_for(300ms);
        stop.request_stop();
    }};
    QElapsedTimer timer;
    timer.start();
    QVERIFY(!locate(simulator.constData(), "hang", FaultKind::out_of_bounds, stop.get_token()));
    QVERIFY2(timer.elapsed() < 1500, std::to_string(timer.elapsed()).c_str());
}

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view{argv[1]} == "--child") return child_main();
    QCoreApplication app{argc, argv};
    FaultLocatorTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_fault_locator.moc"
