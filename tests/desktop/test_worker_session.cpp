#include "app/desktop/worker_session.h"
#include "tests/desktop/task_fixture.h"

#include <QSignalSpy>
#include <QTest>
#include <QThreadPool>

#include <memory>

using namespace kw;
using namespace kw::desktop;

/// What is asked of a worker for the window's sake gives way to what the user asks for.
class TestWorkerSession : public QObject {
    Q_OBJECT
    static rpc::WorkerCommand command() { return {.arguments = {KW_WORKER_PROGRAM, "serve"}, .name = "the worker"}; }

private Q_SLOTS:
    void a_run_does_not_wait_for_outputs() {
        WorkerSession session(command());
        std::vector<ErrorCode> codes;
        connect(&session, &WorkerSession::outputs_failed, this,
                [&](const Error& error) { codes.push_back(error.code); });
        QSignalSpy failed(&session, &WorkerSession::failed);
        session.outputs({}, {}, {});
        session.evaluate({}, {}); // fails for want of a task, but after what would have come first
        QCOMPARE(codes, std::vector{ErrorCode::cancelled});
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 20'000);
        QCOMPARE(codes.size(), std::size_t{1});
        session.outputs({}, {}, {});
        session.cancel_evaluation();
        QCOMPARE(codes.size(), std::size_t{2});
        session.cancel_evaluation();
        QCOMPARE(codes.size(), std::size_t{2}); // nothing was under way
    }

    void a_refused_worker_answers_everything_with_why() {
        WorkerSession session(rpc::WorkerCommand{});
        session.refuse({.stage = Stage::usage, .code = ErrorCode::invalid_input, .message = "no such worker"});
        QStringList told;
        const auto note = [&](const Error& error) { told << QString::fromStdString(error.message); };
        connect(&session, &WorkerSession::devices_failed, this, note);
        connect(&session, &WorkerSession::check_failed, this, note);
        connect(&session, &WorkerSession::compile_failed, this, note);
        connect(&session, &WorkerSession::disassembly_failed, this, note);
        connect(&session, &WorkerSession::outputs_failed, this, note);
        connect(&session, &WorkerSession::failed, this, note);
        session.list_devices();
        session.check({});
        session.compile({});
        session.disassemble({});
        session.outputs({}, {}, {});
        QTRY_COMPARE(told.size(), 5);
        session.evaluate({}, {});
        QTRY_COMPARE(told.size(), 6);
        QCOMPARE(told.count(QStringLiteral("no such worker")), 6);
        QSignalSpy listed(&session, &WorkerSession::devices_listed);
        session.connect_to(command());
        session.list_devices();
        QTRY_COMPARE_WITH_TIMEOUT(listed.count(), 1, 20'000);
    }

    void abandoned_outputs_say_nothing() {
        WorkerSession session(command());
        int told = 0;
        connect(&session, &WorkerSession::outputs_failed, this, [&] { ++told; });
        QSignalSpy listed(&session, &WorkerSession::devices_listed);
        session.outputs({}, {}, {});
        session.abandon_outputs();
        session.list_devices();
        QTRY_COMPARE_WITH_TIMEOUT(listed.count(), 1, 20'000);
        QCOMPARE(told, 0);
        session.outputs({}, {}, {});
        QTRY_COMPARE_WITH_TIMEOUT(told, 1, 20'000);
    }

    void a_source_may_outlive_the_session() {
        auto session = std::make_unique<WorkerSession>(command());
        const auto look = [&]() -> std::shared_ptr<verify::OutputSource> {
            std::shared_ptr<verify::OutputSource> source;
            bool answered = false;
            const auto ready =
                connect(session.get(), &WorkerSession::outputs_ready, this, [&](const rpc::OutputsRun& run) {
                    source = run.source;
                    answered = true;
                });
            const auto failed = connect(session.get(), &WorkerSession::outputs_failed, this, [&](const Error& error) {
                qWarning("%s", error.message.c_str());
                answered = true;
            });
            pipeline::Options options;
            options.device = "sim";
            session->outputs(
                {{"task.toml", testing::kToml}, {"scale.cu", testing::kKernel}, {"reference.cu", testing::kReference}},
                options, {});
            (void)QTest::qWaitFor([&] { return answered; }, 20'000);
            disconnect(ready);
            disconnect(failed);
            return source;
        };
        const auto refused = [](verify::OutputSource& source) {
            const auto gone = std::make_shared<bool>(false);
            source.histogram(0, [gone](const Result<verify::ErrorHistogram>& answer) {
                *gone = !answer && answer.error().code == ErrorCode::not_found;
            });
            return *gone;
        };
        const auto first = look();
        if (!first) QSKIP("nothing compiles here");
        session->connect_to(command());
        QVERIFY(QThreadPool::globalInstance()->waitForDone(20'000)); // the last worker ends in its own time
        QVERIFY(refused(*first));
        const auto second = look();
        QVERIFY(second);
        session.reset();
        QVERIFY(refused(*second));
    }
};

QTEST_MAIN(TestWorkerSession)
#include "test_worker_session.moc"
