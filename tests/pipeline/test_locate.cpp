#include "engine/pipeline/locate.h"

#include <QtTest/QtTest>

using namespace kw;
using namespace kw::pipeline;
using device::FaultKind;

namespace {

constexpr const char* kTask = R"toml(
name = "copy"
kernel = "copy.cu"
reference = "copy.cu"
[sizes]
n = 4096
[[case]]
n = 70
[[tensor]]
name = "x"
type = "u32"
shape = ["n"]
role = "input"
fill = "integers(0, 10)"
[[tensor]]
name = "y"
type = "u32"
shape = ["n"]
role = "output"
[sim.sizes]
n = 64
)toml";
constexpr const char* kSource =
    "//@ launch copy<<<ceil_div(n, 32), 32>>>(x, y, n)\n__global__ void copy(const unsigned*, unsigned*, int) {}\n";

/// A kernel of `body`, whose element's index is in %r1, n in %r2, x and y in %rd1 and %rd2, addresses of the elements
/// in %rd3 and %rd4.
std::string ptx(const std::string& body) {
    return R"(.version 8.0
.target sm_90
.address_size 64
.global .align 4 .u32 runs;
.visible .entry copy(.param .u64 x, .param .u64 y, .param .u32 n) {
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<12>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.param.u32 %r2, [n];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.s32 %r1, %r3, %r4, %r5;
    mul.wide.u32 %rd5, %r1, 4;
    add.s64 %rd3, %rd1, %rd5;
    add.s64 %rd4, %rd2, %rd5;
    .loc 1 7 1
)" + body + "\n    ret;\n}\n.file 1 \"copy.cu\"\n";
}

const std::string kGuarded = R"(setp.ge.s32 %p1, %r1, %r2;
    @%p1 ret;
)";
const std::string kOverrun = "st.global.u32 [%rd4+4096], %r1;";
/// Past the end in the first block of a grid of 4096 elements only.
const std::string kOverrunWhenLarge = kGuarded + R"(setp.lt.s32 %p2, %r2, 4096;
    @%p2 ret;
    st.global.u32 [%rd4+16384], %r1;)";
const std::string kOverrunInFifthRun = kGuarded + R"(st.global.u32 [%rd4], %r1;
    setp.ne.s32 %p2, %r1, 0;
    @%p2 ret;
    atom.global.add.u32 %r6, [runs], 1;
    setp.lt.u32 %p3, %r6, 5;
    @%p3 ret;
    st.global.u32 [%rd4+16384], %r1;)";
const std::string kMisaligned = "ld.global.u32 %r6, [%rd1+2];";
const std::string kEndless = "again: bra again;";
const std::string kTrap = "trap;";
const std::string kGood = kGuarded + "st.global.u32 [%rd4], %r1;";

Job job_of(const std::string& body, Job::Kind kind = Job::Kind::verify) {
    Job job;
    job.kind = kind;
    job.files = {{"task.toml", kTask}, {"copy.cu", {}}};
    compile::Kernel kernel;
    kernel.name = kernel.lowered = "copy";
    kernel.max_threads = 1024;
    kernel.parameters = {
        {.type = "const unsigned*", .pointer = true, .offset = 0, .bytes = 8, .align = 8, .ptx_type = "u64"},
        {.type = "unsigned*", .pointer = true, .offset = 8, .bytes = 8, .align = 8, .ptx_type = "u64"},
        {.type = "int", .pointer = false, .offset = 16, .bytes = 4, .align = 4, .ptx_type = "u32"}};
    job.candidate = {
        .file = "copy.cu", .text = kSource, .configuration = {}, .ptx = ptx(body), .cubin = {}, .kernels = {kernel}};
    job.options.stages = {.verify = true, .bench = kind == Job::Kind::bench, .profile = false};
    job.seed = 7;
    return job;
}

} // namespace

/// The simulator as witness of a GPU's fault.
class LocateTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void finds_data() {
        QTest::addColumn<std::string>("body");
        QTest::addColumn<int>("told");
        QTest::addColumn<int>("shown");
        QTest::addColumn<QByteArray>("sizes");
        const auto row = [](const char* name, const std::string& body, FaultKind told, FaultKind shown,
                            const char* sizes) {
            QTest::newRow(name) << body << static_cast<int>(told) << static_cast<int>(shown) << QByteArray(sizes);
        };
        using enum FaultKind;
        row("illegal address", kOverrun, out_of_bounds, out_of_bounds, "n=64");
        row("only at the GPU's size", kOverrunWhenLarge, out_of_bounds, out_of_bounds, "n=4096");
        row("unspecified failure", kOverrun, launch_failure, out_of_bounds, "n=64");
        row("misaligned", kMisaligned, misaligned, misaligned, "n=64");
        row("trap", kTrap, trap, trap, "n=64");
        row("trap told as a failure", kTrap, launch_failure, trap, "n=64");
        row("endless", kEndless, endless_loop, endless_loop, "n=64");
    }
    void finds() {
        QFETCH(std::string, body);
        QFETCH(int, told);
        QFETCH(int, shown);
        QFETCH(QByteArray, sizes);
        const auto found = find_on_simulator(job_of(body), static_cast<FaultKind>(told), {});
        QVERIFY2(found, found ? "" : describe(found.error()).c_str());
        QVERIFY(*found);
        const auto& fault = **found;
        QCOMPARE(fault.kind, static_cast<FaultKind>(shown));
        QCOMPARE(fault.where.file, std::string("copy.cu"));
        QVERIFY(fault.where.line == 7);
        QVERIFY(fault.thread && fault.block);
        const auto expected = "(shown by the simulator at " + sizes.toStdString() + ")";
        QVERIFY2(fault.message.ends_with(expected), fault.message.c_str());
    }

    void finds_what_only_repeated_runs_do() {
        const auto found =
            find_on_simulator(job_of(kOverrunInFifthRun, Job::Kind::bench), FaultKind::out_of_bounds, {});
        QVERIFY2(found, found ? "" : describe(found.error()).c_str());
        QVERIFY(*found);
        QCOMPARE((*found)->allocation, std::string("y"));
    }

    void finds_nothing_data() {
        QTest::addColumn<std::string>("body");
        QTest::addColumn<int>("told");
        QTest::newRow("a good kernel") << kGood << static_cast<int>(FaultKind::out_of_bounds);
        QTest::newRow("a fault of another kind") << kMisaligned << static_cast<int>(FaultKind::out_of_bounds);
        QTest::newRow("a loop where memory was told of") << kTrap << static_cast<int>(FaultKind::misaligned);
        QTest::newRow("an instruction it lacks")
            << std::string("wgmma.fence.sync.aligned;") << static_cast<int>(FaultKind::launch_failure);
    }
    void finds_nothing() {
        QFETCH(std::string, body);
        QFETCH(int, told);
        const auto found = find_on_simulator(job_of(body), static_cast<FaultKind>(told), {});
        QVERIFY2(found || found.error().code != ErrorCode::internal, found ? "" : describe(found.error()).c_str());
        QVERIFY(!found || !*found);
    }

    void keeps_to_small_sizes_where_memory_is_short() {
        auto job = job_of(kOverrunWhenLarge);
        job.options.memory_limit_bytes = 16'000;
        const auto found = find_on_simulator(job, FaultKind::out_of_bounds, {});
        QVERIFY2(found, found ? "" : describe(found.error()).c_str());
        QVERIFY(!*found);
    }

    void stops() {
        std::stop_source stop;
        stop.request_stop();
        const auto found = find_on_simulator(job_of(kGood), FaultKind::out_of_bounds, stop.get_token());
        QVERIFY(!found);
        QCOMPARE(found.error().code, ErrorCode::cancelled);
    }

    void every_kind_that_a_driver_names_has_a_witness() {
        using enum FaultKind;
        for (const auto told :
             {out_of_bounds, misaligned, launch_failure, stack_overflow, assertion, trap, endless_loop})
            QVERIFY(may_be_same_fault(told, told) || told == launch_failure);
        QVERIFY(may_be_same_fault(endless_loop, deadlock));
        QVERIFY(may_be_same_fault(launch_failure, misaligned));
        QVERIFY(!may_be_same_fault(misaligned, out_of_bounds));
        QVERIFY(!may_be_same_fault(launch_failure, unsupported_instruction));
    }
};

QTEST_APPLESS_MAIN(LocateTest)
#include "test_locate.moc"
