#include "engine/base/captured_output.h"

#include <QtTest/QtTest>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

/// Each test runs in a process of its own, as a process has one standard output.
class CapturedOutputTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothing_unless_asked_for();
    void keeps_what_is_written();
    void keeps_no_more_than_the_limit();

private:
    /// Status of a child that runs `test`: 0 when it returned true.
    template<class Test> static int in_child(Test test) {
        std::fflush(nullptr);
        const auto pid = ::fork();
        if (pid == 0) ::_exit(test() ? 0 : 1);
        int status = -1;
        ::waitpid(pid, &status, 0);
        return status;
    }
};

void CapturedOutputTest::nothing_unless_asked_for() {
    QVERIFY(!kw::standard_output_is_captured());
    QCOMPARE(kw::take_standard_output(100), std::string{});
}

void CapturedOutputTest::keeps_what_is_written() {
    QCOMPARE(in_child([] {
                 if (!kw::capture_standard_output() || !kw::standard_output_is_captured()) return false;
                 if (!kw::take_standard_output(100).empty()) return false;
                 std::printf("through the library, %d\n", 1);
                 std::fflush(stdout);
                 const char direct[] = "through the descriptor\n";
                 if (::write(STDOUT_FILENO, direct, sizeof direct - 1) < 0) return false;
                 if (kw::take_standard_output(100) != "through the library, 1\nthrough the descriptor\n") return false;
                 // Not flushed by who wrote it.
                 std::printf("again");
                 return kw::take_standard_output(100) == "again" && kw::take_standard_output(100).empty();
             }),
             0);
}

void CapturedOutputTest::keeps_no_more_than_the_limit() {
    QCOMPARE(in_child([] {
                 if (!kw::capture_standard_output()) return false;
                 std::printf("%s", std::string(100'000, 'x').c_str());
                 if (kw::take_standard_output(1000) != std::string(1000, 'x')) return false;
                 std::printf("next");
                 return kw::take_standard_output(1000) == "next";
             }),
             0);
}

QTEST_APPLESS_MAIN(CapturedOutputTest)
#include "test_captured_output.moc"
