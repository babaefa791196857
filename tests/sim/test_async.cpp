// Clusters with distributed shared memory, mbarriers, bulk copies, the heap of device code.
#include "tests/sim/harness.h"

using namespace kw;
using namespace kw::sim;
using namespace kw::sim::test;
using device::FaultKind;

namespace {

using u32 = std::uint32_t;

/// %i: index in the grid; %t: in the block; %g0: address of out[%i], %g1: of in[%i]; %s0: address of the block's room.
std::string kernel(const std::string& body, const std::string& directives = {}, const std::string& before = {}) {
    return header() + before + ".visible .entry k(.param .u64 in, .param .u64 out)\n" + directives
           + "{\n.reg .pred %p, %q; .reg .b32 %t, %i, %x<8>, %s<4>; .reg .b64 %g<8>, %d<4>; .reg .b16 %h;\n"
             ".shared .align 16 .b8 room[1024];\n.shared .align 8 .b64 bar;\n"
             "mov.u32 %t, %tid.x; mov.u32 %x0, %ctaid.x; mov.u32 %x1, %ntid.x; mad.lo.s32 %i, %x0, %x1, %t;\n"
             "ld.param.u64 %g2, [out]; mul.wide.u32 %g3, %i, 4; add.u64 %g0, %g2, %g3;\n"
             "ld.param.u64 %g2, [in]; add.u64 %g1, %g2, %g3; mov.u32 %s0, room; mov.u32 %s1, bar;\n"
           + body + "\nret;\n}\n";
}

struct Ran {
    std::vector<u32> values;
    std::optional<device::Fault> fault;
    std::string error;
};

Ran run(const std::string& text, device::Dim3 grid, device::Dim3 block, device::Dim3 cluster = {},
        const char* isa = "v4") {
    Bench bench(text, isa);
    if (!bench.module) return {{}, {}, bench.error};
    const u32 count = grid.x * block.x;
    std::vector<u32> in(count);
    for (u32 index = 0; index < count; ++index) in[index] = 1000 + index;
    const auto pin = bench.upload(in, "in"), pout = bench.upload(std::vector<u32>(count), "out");
    auto outcome = bench.device->launch(*bench.module, "k", {grid, block, cluster, 0, false},
                                        Parameters().add(pin).add(pout).span(), {});
    if (!outcome) return {{}, {}, outcome.error().message};
    return {bench.download<u32>(pout, count), outcome->fault, {}};
}

/// Each block keeps its part in shared memory and reads the neighbour's.
const std::string kExchange =
    "ld.global.u32 %x2, [%g1]; shl.b32 %x3, %t, 2; add.u32 %s2, %s0, %x3; st.shared.u32 [%s2], %x2;\n"
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
    "mov.u32 %x4, %cluster_ctarank; xor.b32 %x4, %x4, 1; mapa.shared::cluster.u32 %s3, %s2, %x4;\n"
    "ld.shared::cluster.u32 %x5, [%s3]; st.global.u32 [%g0], %x5;\n"
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";

class AsyncTest : public QObject {
    Q_OBJECT

private slots:
    void blocks_of_a_cluster_read_each_other() {
        for (const std::string& isa : instruction_sets()) {
            const Ran ran =
                run(kernel(kExchange, ".explicitcluster .reqnctapercluster 2, 1, 1\n"), {6}, {64}, {}, isa.c_str());
            QVERIFY2(ran.error.empty() && !ran.fault, ran.error.c_str());
            for (u32 index = 0; index < ran.values.size(); ++index)
                QCOMPARE(ran.values[index], 1000 + ((index / 64) ^ 1) * 64 + index % 64);
        }
    }
    void a_launch_can_ask_for_the_cluster() {
        const Ran ran = run(kernel(kExchange), {4}, {64}, {2});
        QVERIFY2(ran.error.empty() && !ran.fault, ran.error.c_str());
        QCOMPARE(ran.values[0], 1064u);
    }
    void generic_addresses_reach_other_blocks() {
        // atomics of all blocks on a counter of the first one, which reads it at the end
        const Ran ran =
            run(kernel("setp.eq.u32 %p, %t, 0; mov.u32 %x2, 0; @%p st.shared.u32 [%s0], %x2;\n"
                       "barrier.cluster.arrive; barrier.cluster.wait;\n"
                       "cvt.u64.u32 %d0, %s0; cvta.shared.u64 %d0, %d0; mov.u32 %x3, 0; mapa.u64 %d1, %d0, %x3;\n"
                       "isspacep.shared::cluster %q, %d1; selp.u32 %x4, 1, 0, %q; atom.add.u32 %x5, [%d1], %x4;\n"
                       "getctarank.u64 %x6, %d1; barrier.cluster.arrive; barrier.cluster.wait;\n"
                       "ld.shared.u32 %x2, [%s0]; add.u32 %x2, %x2, %x6; st.global.u32 [%g0], %x2;"),
                {4}, {32}, {4});
        QVERIFY2(ran.error.empty() && !ran.fault, ran.error.c_str());
        QCOMPARE(ran.values[0], 128u);
        QCOMPARE(ran.values[32], 0u);
    }
    void cluster_registers() {
        const Ran ran =
            run(kernel("mov.u32 %x2, %cluster_ctaid.x; mov.u32 %x3, %cluster_nctaid.x; mov.u32 %x4, %clusterid.x; "
                       "mov.u32 %x5, %nclusterid.x; mov.u32 %x6, %cluster_nctarank; mad.lo.u32 %x2, %x3, 10, %x2; "
                       "mad.lo.u32 %x2, %x4, 100, %x2; mad.lo.u32 %x2, %x5, 1000, %x2; mad.lo.u32 %x2, %x6, 10000, "
                       "%x2; st.global.u32 [%g0], %x2;"),
                {6}, {32}, {2});
        QVERIFY2(ran.error.empty() && !ran.fault, ran.error.c_str());
        for (u32 block = 0; block < 6; ++block) QCOMPARE(ran.values[block * 32], 23020 + block % 2 + block / 2 * 100);
    }
    void clusters_that_cannot_be_are_refused() {
        const Ran odd = run(kernel("barrier.cluster.arrive;"), {3}, {32}, {2});
        QVERIFY(odd.fault && odd.fault->kind == FaultKind::launch_failure);
        QVERIFY(odd.fault->message.find("multiple of the cluster") != std::string::npos);
        const Ran outside =
            run(kernel("mov.u32 %x2, 7; mapa.shared::cluster.u32 %s2, %s0, %x2; ld.shared::cluster.u32 %x3, [%s2];"),
                {2}, {32}, {2});
        QVERIFY(outside.fault && outside.fault->kind == FaultKind::out_of_bounds);
    }
    void a_block_that_never_reaches_the_clusters_barrier() {
        const Ran ran = run(kernel("mov.u32 %x2, %cluster_ctarank; setp.eq.u32 %p, %x2, 0; @%p bra OTHER;\n"
                                   "barrier.cluster.arrive; barrier.cluster.wait; ret;\nOTHER: bar.sync 1, 64;"),
                            {2}, {32}, {2});
        QVERIFY(ran.fault);
        QCOMPARE(ran.fault->kind, FaultKind::deadlock);
    }
    void mbarriers_count_arrivals_of_warps() {
        // two rounds: each warp adds, all wait, each reads the sum
        const std::string text =
            kernel("setp.eq.u32 %p, %t, 0; mov.u32 %x2, 0; @%p st.shared.u32 [%s0], %x2; @%p "
                   "mbarrier.init.shared::cta.b64 [%s1], 128;\n"
                   "bar.sync 0; mov.u32 %x6, 0;\n"
                   "ROUND: atom.shared.add.u32 %x3, [%s0], 1; mbarrier.arrive.shared::cta.b64 %d0, [%s1];\n"
                   "WAIT: mbarrier.try_wait.shared::cta.b64 %q, [%s1], %d0; @!%q bra WAIT;\n"
                   "ld.shared.u32 %x4, [%s0]; bar.sync 0; add.u32 %x6, %x6, 1; setp.lt.u32 %p, %x6, 2; @%p bra ROUND;\n"
                   "st.global.u32 [%g0], %x4;");
        for (const std::string& isa : instruction_sets()) {
            const Ran ran = run(text, {2}, {128}, {}, isa.c_str());
            QVERIFY2(ran.error.empty() && !ran.fault, ran.error.c_str());
            for (u32 value : ran.values) QCOMPARE(value, 256u);
        }
    }
    void bulk_copies_complete_at_their_mbarrier() {
        const std::string text =
            kernel("setp.ne.u32 %p, %t, 0; @%p bra WAIT;\n"
                   "mbarrier.init.shared::cta.b64 [%s1], 1; fence.mbarrier_init.release.cluster; "
                   "fence.proxy.async.shared::cta;\n"
                   "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s0], [%g1], 256, [%s1];\n"
                   "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %d0, [%s1], 256;\n"
                   "WAIT: bar.sync 0;\nAGAIN: mbarrier.try_wait.parity.shared::cta.b64 %q, [%s1], 0; @!%q bra AGAIN;\n"
                   "shl.b32 %x3, %t, 2; add.u32 %s2, %s0, %x3; ld.shared.u32 %x4, [%s2]; add.u32 %x4, %x4, 5; "
                   "st.shared.u32 [%s2], %x4;\n"
                   "fence.proxy.async.shared::cta; bar.sync 0; setp.ne.u32 %p, %t, 0; @%p ret;\n"
                   "cp.async.bulk.global.shared::cta.bulk_group [%g0], [%s0], 256; cp.async.bulk.commit_group; "
                   "cp.async.bulk.wait_group.read 0;");
        for (const std::string& isa : instruction_sets()) {
            const Ran ran = run(text, {3}, {64}, {}, isa.c_str());
            QVERIFY2(ran.error.empty(), ran.error.c_str());
            QVERIFY2(!ran.fault, ran.fault ? ran.fault->message.c_str() : "");
            for (u32 index = 0; index < 192; ++index) QCOMPARE(ran.values[index], 1005 + index);
        }
    }
    void a_bulk_copy_into_every_block_of_a_cluster() {
        const std::string text =
            kernel("setp.ne.u32 %p, %t, 0; @%p bra READY; mbarrier.init.shared::cta.b64 [%s1], 1;\n"
                   "mbarrier.arrive.expect_tx.shared::cta.b64 %d0, [%s1], 128;\nREADY: barrier.cluster.arrive; "
                   "barrier.cluster.wait;\n"
                   "mov.u32 %x2, %cluster_ctarank; or.b32 %x3, %x2, %t; setp.ne.u32 %p, %x3, 0; mov.u16 %h, 3;\n"
                   "@!%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%s0], "
                   "[%g1], 128, [%s1], %h;\n"
                   "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %q, [%s1], 0; @!%q bra AGAIN;\n"
                   "shl.b32 %x3, %t, 2; add.u32 %s2, %s0, %x3; ld.shared.u32 %x4, [%s2]; st.global.u32 [%g0], %x4;");
        const Ran ran = run(text, {2}, {32}, {2});
        QVERIFY2(ran.error.empty() && !ran.fault, ran.error.c_str());
        for (u32 index = 0; index < 64; ++index) QCOMPARE(ran.values[index], 1000 + index % 32);
    }
    void mbarriers_that_are_none() {
        const Ran none = run(kernel("mbarrier.arrive.shared::cta.b64 %d0, [%s1];"), {1}, {32});
        QVERIFY(none.fault);
        QCOMPARE(none.fault->kind, FaultKind::uninitialized_read);
        const Ran many = run(kernel("setp.eq.u32 %p, %t, 0; @%p mbarrier.init.shared.b64 [%s1], 40; bar.sync 0; "
                                    "mov.u32 %x2, 2; mbarrier.arrive.shared.b64 %d0, [%s1], %x2;"),
                             {1}, {32});
        QVERIFY(!many.fault); // 20 lanes complete the phase, 12 begin the next
        const Ran over = run(kernel("setp.eq.u32 %p, %t, 0; @%p mbarrier.init.shared.b64 [%s1], 3; bar.sync 0; "
                                    "mov.u32 %x2, 2; mbarrier.arrive.shared.b64 %d0, [%s1], %x2;"),
                             {1}, {32});
        QVERIFY(over.fault);
        QCOMPARE(over.fault->kind, FaultKind::trap);
    }
    void the_heap_gives_and_takes() {
        const std::string functions =
            ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n";
        const std::string body = "{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call.uni (r), malloc, (a); "
                                 "ld.param.b64 %d0, [r]; }\n"
                                 "st.u32 [%d0], %i; bar.sync 0; ld.u32 %x2, [%d0]; st.global.u32 [%g0], %x2;\n"
                                 "{ .param .b64 a; st.param.b64 [a], %d0; call.uni free, (a); }";
        const Ran ran = run(kernel(body, {}, functions), {4}, {64});
        QVERIFY2(ran.error.empty() && !ran.fault, ran.error.c_str());
        for (u32 index = 0; index < 256; ++index) QCOMPARE(ran.values[index], index);
        const Ran twice = run(
            kernel(body + "{ .param .b64 a; st.param.b64 [a], %d0; call.uni free, (a); }", {}, functions), {1}, {1});
        QVERIFY(twice.fault);
        QVERIFY(twice.fault->message.find("free is called with") != std::string::npos);
    }
};

} // namespace

QTEST_APPLESS_MAIN(AsyncTest)
#include "test_async.moc"
