#include "engine/device/cuda/fault_text.h"

#include <QtTest/QtTest>

using kw::cuda::fault_from_assertion;
using kw::cuda::fault_from_memcheck;
using kw::device::Dim3;
using kw::device::FaultKind;

class FaultTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reads_assertions();
    void passes_over_other_text();
    void reads_an_out_of_bounds_write();
    void reads_a_misaligned_read();
    void reads_the_older_wording_data();
    void reads_the_older_wording();
    void reads_code_without_lines();
    void survives_anything_cut_short();
    void adds_to_what_the_driver_told();
};

void FaultTextTest::reads_assertions() {
    const auto fault = fault_from_assertion(
        "something else\n"
        "/dev/null/task/candidate.cu:12: void ns::probe<256>(const float *, int): block: [1,0,2], thread: [44,3,0] "
        "Assertion `i != 300 && x[0] > 0` failed.\n"
        "/dev/null/task/candidate.cu:12: void ns::probe<256>(const float *, int): block: [2,0,0], thread: [0,0,0] "
        "Assertion `i != 300 && x[0] > 0` failed.\n");
    QVERIFY(fault);
    QCOMPARE(fault->kind, FaultKind::assertion);
    QCOMPARE(fault->message, std::string("assertion `i != 300 && x[0] > 0` failed"));
    QCOMPARE(fault->where.file, std::string("candidate.cu"));
    QCOMPARE(fault->where.line, 12);
    QCOMPARE(fault->kernel, std::string("ns::probe"));
    QVERIFY(*fault->block == (Dim3{1, 0, 2}) && *fault->thread == (Dim3{44, 3, 0}));
}

void FaultTextTest::passes_over_other_text() {
    QVERIFY(!fault_from_assertion(""));
    QVERIFY(!fault_from_assertion("Assertion `x` failed.\n: block: [1,2,3], thread: [1,2,3]\n"));
    // The end of a line whose beginning is gone.
    QVERIFY(!fault_from_assertion("read: [44,3,0] Assertion `a` failed.\n"));
    QVERIFY(!fault_from_memcheck(""));
    QVERIFY(!fault_from_memcheck("========= COMPUTE-SANITIZER\n"
                                 "========= Program hit CUDA_ERROR_NOT_FOUND (error 500) due to \"named symbol not "
                                 "found\" on CUDA API call to cuModuleGetFunction.\n"
                                 "=========     Saved host backtrace up to driver entry point at error\n"
                                 "========= ERROR SUMMARY: 1 error\n"));
}

void FaultTextTest::reads_an_out_of_bounds_write() {
    const auto fault = fault_from_memcheck(
        "========= COMPUTE-SANITIZER\n"
        "========= Invalid __global__ write of size 4 bytes\n"
        "=========     at probe(const float *, float *, int)+0x170 in /dev/null/task/candidate.cu:5\n"
        "=========     by thread (32,1,0) in block (3,0,0)\n"
        "=========     Access at 0x7f10c8000080 is out of bounds\n"
        "=========     and is 1 bytes after the nearest allocation at 0x7f10c8000000 of size 128 bytes\n"
        "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
        "=========         Host Frame: main [0x1234] in kw-worker\n"
        "=========\n"
        "========= Invalid __global__ read of size 8 bytes\n"
        "=========     at other()+0x10 in /dev/null/task/candidate.cu:99\n");
    QVERIFY(fault);
    QCOMPARE(fault->kind, FaultKind::out_of_bounds);
    QCOMPARE(fault->where.file, std::string("candidate.cu"));
    QCOMPARE(fault->where.line, 5);
    QCOMPARE(fault->kernel, std::string("probe"));
    QVERIFY(*fault->block == (Dim3{3, 0, 0}) && *fault->thread == (Dim3{32, 1, 0}));
    QCOMPARE(fault->space, std::string("global"));
    QCOMPARE(fault->bytes, 4u);
    QCOMPARE(fault->address, 0x7f10c8000080u);
    QCOMPARE(
        fault->message,
        std::string("write of 4 bytes in global memory at 0x7f10c8000080 is out of bounds, 1 bytes after the nearest "
                    "allocation at 0x7f10c8000000 of size 128 bytes"));
}

void FaultTextTest::reads_a_misaligned_read() {
    const auto fault =
        fault_from_memcheck("========= Invalid __shared__ read of size 8 bytes\n"
                            "=========     at probe+0x30 in /dev/null/task/@0123456789abcdef/inc/a.cuh:7\n"
                            "=========     by thread (0,0,0) in block (0,0,0)\n"
                            "=========     Access at 0x4 is misaligned\n"
                            "=========     Saved host backtrace up to driver entry point\n");
    QVERIFY(fault);
    QCOMPARE(fault->kind, FaultKind::misaligned);
    QCOMPARE(fault->where.file, std::string("inc/a.cuh"));
    QCOMPARE(fault->space, std::string("shared"));
    QCOMPARE(fault->message, std::string("read of 8 bytes in shared memory at 0x4 is misaligned"));
}

void FaultTextTest::reads_the_older_wording_data() {
    QTest::addColumn<QByteArray>("position");
    QTest::addColumn<QByteArray>("kernel");
    QTest::newRow("function") << QByteArray("/dev/null/task/candidate.cu:5:probe(float const *, int)")
                              << QByteArray("probe");
    QTest::newRow("in a namespace") << QByteArray("/dev/null/task/candidate.cu:5:a::b::probe(float const *, int)")
                                    << QByteArray("a::b::probe");
    QTest::newRow("parameter in a namespace")
        << QByteArray("/dev/null/task/candidate.cu:5:probe(a::b *)") << QByteArray("probe");
    QTest::newRow("template") << QByteArray("/dev/null/task/candidate.cu:5:void probe<256>(float const *)")
                              << QByteArray("probe");
}

void FaultTextTest::reads_the_older_wording() {
    QFETCH(QByteArray, position);
    QFETCH(QByteArray, kernel);
    const auto fault = fault_from_memcheck("========= Invalid __global__ write of size 4 bytes\n"
                                           "=========     at 0x170 in "
                                           + position.toStdString()
                                           + "\n=========     by thread (32,0,0) in block (3,0,0)\n"
                                             "=========     Address 0x7f10c8000080 is out of bounds\n");
    QVERIFY(fault);
    QCOMPARE(fault->where.file, std::string("candidate.cu"));
    QCOMPARE(fault->where.line, 5);
    QCOMPARE(fault->kernel, kernel.toStdString());
    QCOMPARE(fault->address, 0x7f10c8000080u);
}

void FaultTextTest::reads_code_without_lines() {
    const auto newer = fault_from_memcheck("========= Invalid __local__ write of size 1 bytes\n"
                                           "=========     at probe(float *)+0x170\n"
                                           "=========     by thread (0,0,0) in block (0,0,0)\n");
    QVERIFY(newer);
    QCOMPARE(newer->kernel, std::string("probe"));
    QVERIFY(newer->where.file.empty());
    const auto older = fault_from_memcheck("========= Invalid __local__ write of size 1 bytes\n"
                                           "=========     at 0x170 in probe(float *)\n");
    QVERIFY(older);
    QCOMPARE(older->kernel, std::string("probe"));
    QVERIFY(older->where.file.empty());
}

void FaultTextTest::survives_anything_cut_short() {
    const std::string assertion = "f.cu:1: void k(): block: [1,0,2], thread: [44,3,0] Assertion `a` failed.";
    const std::string report = "========= Invalid __global__ write of size 4 bytes\n"
                               "=========     at 0x170 in f.cu:5:probe(float const *, int)\n"
                               "=========     by thread (32,0,0) in block (3,0,0)\n"
                               "=========     Address 0x7f10c8000080 is out of bounds\n";
    std::size_t told = 0;
    for (std::size_t size = 0; size <= assertion.size(); ++size) {
        if (const auto fault = fault_from_assertion(std::string_view(assertion).substr(0, size))) {
            ++told;
            QCOMPARE(fault->where.line, 1);
        }
    }
    QCOMPARE(told, 2u); // with and without the full stop
    for (std::size_t size = 0; size <= report.size(); ++size)
        if (const auto fault = fault_from_memcheck(std::string_view(report).substr(0, size)))
            QVERIFY(!fault->message.empty());
}

void FaultTextTest::adds_to_what_the_driver_told() {
    const kw::device::Fault told{.kind = FaultKind::launch_failure,
                                 .message = "it failed",
                                 .kernel = "_Z5probePf",
                                 .space = {},
                                 .allocation = {}};
    const auto found =
        fault_from_assertion("f.cu:1: void probe(float *): block: [1,0,2], thread: [44,3,0] Assertion `a` "
                             "failed.");
    const auto both = kw::cuda::refined(told, *found);
    QCOMPARE(both.kind, FaultKind::assertion);
    QCOMPARE(both.kernel, std::string("_Z5probePf"));
    QCOMPARE(both.where.line, 1);
}

QTEST_APPLESS_MAIN(FaultTextTest)
#include "test_fault_text.moc"
