#include "engine/rpc/worker_client.h"

#include <QtTest/QtTest>

using kw::rpc::worker_command;
using Words = std::vector<std::string>;

class WorkerClientTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void splits_specifications();
    void quotes_for_a_remote_shell();
    void refuses_what_names_no_worker();
    void starts_anew_from_a_callback();
    void does_not_wait_for_ever_for_the_handshake();
    void gives_remote_workers_time();
};

void WorkerClientTest::splits_specifications() {
    const auto ssh = worker_command("ssh:gpu7", {"--log", "info"});
    QVERIFY(ssh);
    QCOMPARE(ssh->arguments,
             (Words{"ssh", "-T", "-o", "BatchMode=yes", "--", "gpu7", "kw-worker", "--log", "info", "serve"}));
    const auto srun = worker_command("srun:--gres=gpu:1  -p debug", {"--toolkit", "/opt/my cuda"});
    QVERIFY(srun);
    // No shell reads these.
    QCOMPARE(srun->arguments, (Words{"srun", "--quiet", "--ntasks=1", "--gres=gpu:1", "-p", "debug", "kw-worker",
                                     "--toolkit", "/opt/my cuda", "serve"}));
}

void WorkerClientTest::quotes_for_a_remote_shell() {
    const auto ssh = worker_command("ssh:gpu7", {"--toolkit", "/opt/it's; rm -rf $HOME"});
    QVERIFY(ssh);
    QCOMPARE(ssh->arguments.at(8), std::string{R"('/opt/it'\''s; rm -rf $HOME')"});
}

void WorkerClientTest::refuses_what_names_no_worker() {
    for (const auto* bad : {"ssh:", "ssh:-x", "ssh:a b", "moon", "command:"}) QVERIFY(!worker_command(bad));
}

void WorkerClientTest::starts_anew_from_a_callback() {
    // Each dies at once; a callback on the thread of one starts the next while others do the same.
    kw::rpc::WorkerClient worker{{{"false"}, "the worker"}};
    for (int round = 0; round < 20; ++round) {
        std::atomic<int> left = 2;
        worker.call_async("devices", {}, [&](const kw::Result<kw::Json>&) {
            --left;
            worker.call_async("devices", {}, [&](const kw::Result<kw::Json>&) { --left; });
        });
        QVERIFY(!worker.devices());
        QTRY_COMPARE(left.load(), 0);
    }
}

void WorkerClientTest::does_not_wait_for_ever_for_the_handshake() {
    kw::rpc::WorkerClient worker{
        {.arguments = {"sleep", "20"}, .name = "the worker on gpu7", .start_time = std::chrono::milliseconds{100}}};
    QElapsedTimer clock;
    clock.start();
    const auto devices = worker.devices();
    QVERIFY(clock.elapsed() < 2000);
    QVERIFY(!devices);
    QCOMPARE(devices.error().code, kw::ErrorCode::timeout);
    QVERIFY2(
        QString::fromStdString(devices.error().message)
            .startsWith("the worker on gpu7 did not answer within 0.1 s; check that 'sleep 20' starts kw-worker there"),
        devices.error().message.c_str());
}

void WorkerClientTest::gives_remote_workers_time() {
    const auto ssh = worker_command("ssh:gpu7");
    const auto srun = worker_command("srun");
    const kw::rpc::WorkerCommand local{};
    QVERIFY(local.start_time < ssh->start_time && ssh->start_time < srun->start_time);
}

QTEST_GUILESS_MAIN(WorkerClientTest)
#include "test_worker_client.moc"
