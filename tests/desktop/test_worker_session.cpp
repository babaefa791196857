#include "app/desktop/worker_session.h"

#include <QSignalSpy>
#include <QTest>

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

    void answers_under_way_do_not_outlive_it() {
        for (int round = 0; round < 5; ++round) {
            WorkerSession session(command());
            session.outputs({}, {}, {});
            if (round % 2 == 0) session.connect_to(command());
            QTest::qWait(round * 20);
        }
    }
};

QTEST_MAIN(TestWorkerSession)
#include "test_worker_session.moc"
