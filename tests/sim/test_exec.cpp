// Whole kernels: divergence, calls, barriers, memory, faults, limits.
#include "engine/device/sim/exec/thread_pool.h"
#include "engine/device/sim/memory.h"
#include "tests/sim/harness.h"

#include <atomic>
#include <chrono>
#include <random>
#include <stdexcept>
#include <thread>

using namespace kw;
using namespace kw::sim;
using namespace kw::sim::test;
using device::FaultKind;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;

/// Address of element %i (thread) of array `parameter`, 4 bytes each, in %g; common to most kernels below.
const std::string kThread =
    ".reg .pred %p, %q; .reg .b32 %r<12>; .reg .f32 %f<4>; .reg .b64 %g<6>;\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %ctaid.x; mad.lo.s32 %r0, %r2, %r1, %r0;\n"
    "ld.param.u64 %g0, [out]; mul.wide.u32 %g1, %r0, 4; add.s64 %g1, %g0, %g1;\n";

std::string one_array(const std::string& body, const std::string& before = {}) {
    return header() + before + ".visible .entry k(.param .u64 out, .param .u32 n) {\n" + kThread + body + "\nret;\n}\n";
}

class ExecTest : public QObject {
    Q_OBJECT

    struct Ran {
        std::vector<u32> values;
        std::optional<device::Fault> fault;
        std::string output;
        std::string error;
    };
    static Ran run(const std::string& ptx, device::Dim3 grid, device::Dim3 block, u32 count, u32 n = 0,
                   const char* isa = "v4", u32 shared = 0, SimOptions options = {}, bool cooperative = false) {
        Bench bench(ptx, isa, options);
        if (!bench.module) return {{}, {}, {}, bench.error};
        const auto out = bench.upload(std::vector<u32>(count), "out");
        auto outcome = bench.launch("k", grid, block, Parameters().add(out).add(n), shared, cooperative);
        if (!outcome) return {{}, {}, {}, outcome.error().message};
        return {bench.download<u32>(out, count), outcome->fault, outcome->output, {}};
    }

private slots:
    void divergence_in_loops_reconverges() {
        // Collatz steps: every lane leaves its loop at another time, with a branch inside; then a vote that needs all
        // of them.
        const std::string text = one_array("add.u32 %r3, %r0, 1; mov.u32 %r4, 0;\n"
                                           "LOOP: setp.eq.u32 %p, %r3, 1; @%p bra DONE;\n"
                                           "and.b32 %r5, %r3, 1; setp.eq.u32 %q, %r5, 0; @%q bra EVEN;\n"
                                           "mad.lo.u32 %r3, %r3, 3, 1; bra.uni NEXT;\nEVEN: shr.u32 %r3, %r3, 1;\n"
                                           "NEXT: add.u32 %r4, %r4, 1; bra.uni LOOP;\n"
                                           "DONE: activemask.b32 %r6; setp.eq.u32 %p, %r6, -1; selp.u32 %r7, 1000, 0, "
                                           "%p; add.u32 %r4, %r4, %r7; st.global.u32 [%g1], %r4;");
        for (const std::string& isa : instruction_sets()) {
            const Ran ran = run(text, {2}, {64}, 128, 0, isa.c_str());
            QVERIFY2(ran.error.empty(), ran.error.c_str());
            for (u32 index = 0; index < 128; ++index) {
                u32 steps = 0;
                for (u32 x = index + 1; x != 1; x = x % 2 ? 3 * x + 1 : x / 2) ++steps;
                QCOMPARE(ran.values[index], steps + 1000);
            }
        }
    }
    void early_return_and_partial_warps() {
        const std::string text = one_array("ld.param.u32 %r3, [n]; setp.ge.u32 %p, %r0, %r3; @%p ret;\n and.b32 %r4, "
                                           "%r0, 1; setp.eq.u32 %q, %r4, 1; @%q exit; st.global.u32 [%g1], %r0;");
        const Ran ran = run(text, {2}, {50}, 100, 77);
        QVERIFY2(ran.error.empty(), ran.error.c_str());
        for (u32 index = 0; index < 100; ++index)
            QCOMPARE(ran.values[index], index < 77 && index % 2 == 0 ? index : 0u);
    }
    void recursion_with_divergence() {
        const std::string fib = ".func (.param .b32 result) fib(.param .b32 x) {\n .reg .pred %p; .reg .b32 %a<6>;\n "
                                "ld.param.u32 %a0, [x]; setp.lt.u32 %p, %a0, 2; @%p bra SMALL;\n"
                                "add.s32 %a1, %a0, -1; { .param .b32 p0; st.param.b32 [p0], %a1; .param .b32 r0; "
                                "call.uni (r0), fib, (p0); ld.param.b32 %a2, [r0]; }\n"
                                "add.s32 %a3, %a0, -2; { .param .b32 p0; st.param.b32 [p0], %a3; .param .b32 r0; "
                                "call.uni (r0), fib, (p0); ld.param.b32 %a4, [r0]; }\n"
                                "add.s32 %a0, %a2, %a4;\nSMALL: st.param.b32 [result], %a0; ret;\n}\n";
        const std::string text = one_array(
            "rem.u32 %r3, %r0, 13; { .param .b32 p0; st.param.b32 [p0], %r3; .param .b32 r0; call.uni (r0), fib, (p0); "
            "ld.param.b32 %r4, [r0]; } "
            "activemask.b32 %r5; popc.b32 %r5, %r5; mad.lo.u32 %r4, %r5, 1000, %r4; st.global.u32 [%g1], %r4;",
            fib);
        const Ran ran = run(text, {1}, {32}, 32);
        QVERIFY2(ran.error.empty() && !ran.fault, ran.error.c_str());
        const u32 expected[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144};
        for (u32 index = 0; index < 32; ++index) QCOMPARE(ran.values[index], 32000 + expected[index % 13]);
    }
    void endless_recursion_overflows_the_stack() {
        const std::string text = one_array("{ .param .b32 p0; st.param.b32 [p0], %r0; call.uni down, (p0); }",
                                           ".func down(.param .b32 x) { .reg .b32 %a<2>; ld.param.u32 %a0, [x]; { "
                                           ".param .b32 p0; st.param.b32 [p0], %a0; call.uni down, (p0); } ret; }\n");
        const Ran ran = run(text, {1}, {32}, 32);
        QVERIFY(ran.fault);
        QCOMPARE(ran.fault->kind, FaultKind::stack_overflow);
    }
    void function_pointers_diverge() {
        const std::string functions = ".func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %a; ld.param.u32 %a, "
                                      "[x]; add.u32 %a, %a, %a; st.param.b32 [r], %a; ret; }\n"
                                      ".func (.param .b32 r) square(.param .b32 x) { .reg .b32 %a; ld.param.u32 %a, "
                                      "[x]; mul.lo.u32 %a, %a, %a; st.param.b32 [r], %a; ret; }\n"
                                      ".global .align 8 .u64 table[2] = {twice, square};\n";
        const std::string text =
            one_array("mov.u64 %g2, table; and.b32 %r3, %r0, 1; mul.wide.u32 %g3, %r3, 8; add.s64 %g2, %g2, %g3; "
                      "ld.global.u64 %g4, [%g2];\n"
                      "{ .param .b32 p0; st.param.b32 [p0], %r0; .param .b32 r0; P: .callprototype (.param .b32 _) _ "
                      "(.param .b32 _); call (r0), %g4, (p0), P; ld.param.b32 %r4, [r0]; }\n"
                      "st.global.u32 [%g1], %r4;",
                      functions);
        const Ran ran = run(text, {1}, {32}, 32);
        QVERIFY2(ran.error.empty(), ran.error.c_str());
        for (u32 index = 0; index < 32; ++index) QCOMPARE(ran.values[index], index % 2 ? index * index : 2 * index);
    }
    void switch_tables() {
        const std::string text =
            one_array("and.b32 %r3, %r0, 3; mov.u32 %r4, 7;\n T: .branchtargets A, B, C, D;\n brx.idx %r3, T;\n A: "
                      "mov.u32 %r4, 10; bra.uni E;\n B: mov.u32 %r4, 20; bra.uni E;\n"
                      "C: mov.u32 %r4, 30;\n D: add.u32 %r4, %r4, 1;\n E: st.global.u32 [%g1], %r4;");
        const Ran ran = run(text, {1}, {32}, 32);
        QVERIFY2(ran.error.empty(), ran.error.c_str());
        const u32 expected[] = {10, 20, 31, 8};
        for (u32 index = 0; index < 32; ++index) QCOMPARE(ran.values[index], expected[index % 4]);
    }
    void barriers_and_shared_memory() {
        const std::string text =
            one_array("mov.u32 %r3, %tid.x; shl.b32 %r4, %r3, 2; mov.u32 %r5, s; add.u32 %r6, %r5, %r4; st.shared.u32 "
                      "[%r6], %r3; bar.sync 0;\n"
                      "sub.u32 %r7, 255, %r3; shl.b32 %r7, %r7, 2; add.u32 %r7, %r5, %r7; ld.shared.u32 %r8, [%r7]; "
                      "setp.lt.u32 %p, %r3, 100; bar.red.popc.u32 %r9, 0, %p;\n"
                      "mad.lo.u32 %r8, %r9, 1000, %r8; st.global.u32 [%g1], %r8;",
                      ".shared .align 4 .b8 s[1024];\n");
        const Ran ran = run(text, {2}, {256}, 512);
        QVERIFY2(ran.error.empty() && !ran.fault, ran.error.c_str());
        for (u32 index = 0; index < 512; ++index) QCOMPARE(ran.values[index], 100000 + 255 - index % 256);
    }
    void named_barriers_pair_producers_with_consumers() {
        const std::string text =
            one_array("mov.u32 %r3, %warpid; setp.ne.u32 %p, %r3, 0; @%p bra CONSUME;\n mov.u32 %r5, s; st.shared.u32 "
                      "[%r5], 42; bar.arrive 1, 64; bra.uni END;\n"
                      "CONSUME: bar.sync 1, 64; ld.shared.u32 %r6, [s]; st.global.u32 [%g1], %r6;\nEND:",
                      ".shared .align 4 .b8 s[4];\n");
        const Ran ran = run(text, {1}, {64}, 64);
        QVERIFY2(ran.error.empty() && !ran.fault, ran.error.c_str());
        for (u32 index = 32; index < 64; ++index) QCOMPARE(ran.values[index], 42u);
    }
    void deadlock_is_told() {
        const Ran waits = run(one_array("mov.u32 %r3, %warpid; setp.ne.u32 %p, %r3, 0; @%p bra OTHER; bar.sync 1, 64; "
                                        "bra.uni END; OTHER: bar.sync 2, 64; END:"),
                              {1}, {64}, 64);
        QVERIFY(waits.fault);
        QCOMPARE(waits.fault->kind, FaultKind::deadlock);
        const Ran parted =
            run(one_array(
                    "setp.lt.u32 %p, %r0, 7; @%p bra OTHER; bar.sync 1, 64; bra.uni END; OTHER: bar.sync 2, 64; END:"),
                {1}, {64}, 64);
        QVERIFY(parted.fault);
        QCOMPARE(parted.fault->kind, FaultKind::divergent_barrier);
    }
    void shuffles_and_votes() {
        const std::string text =
            one_array("shfl.sync.bfly.b32 %r3|%p, %r0, 5, 0x1f, -1; shfl.sync.up.b32 %r4|%q, %r0, 3, 0, -1; selp.u32 "
                      "%r5, 100, 0, %q;\n"
                      "shfl.sync.down.b32 %r6, %r0, 4, 0x181f, -1; setp.gt.u32 %p, %r0, 9; vote.sync.ballot.b32 %r7, "
                      "%p, -1; popc.b32 %r7, %r7;\n"
                      "redux.sync.add.s32 %r8, %r0, -1; and.b32 %r9, %r0, 3; match.any.sync.b32 %r10, %r9, -1; "
                      "popc.b32 %r10, %r10;\n"
                      "add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; mad.lo.u32 %r3, %r6, 1000, %r3; mad.lo.u32 %r7, "
                      "%r7, 100000, %r8; add.u32 %r3, %r3, %r7; add.u32 %r3, %r3, %r10;\n"
                      "st.global.u32 [%g1], %r3;");
        for (const std::string& isa : instruction_sets()) {
            const Ran ran = run(text, {1}, {32}, 32, 0, isa.c_str());
            QVERIFY2(ran.error.empty(), ran.error.c_str());
            for (u32 lane = 0; lane < 32; ++lane) {
                // segments of 8 lanes for the shuffle down
                const u32 down = (lane & 7) + 4 > 7 ? lane : lane + 4;
                const u32 expected = (lane ^ 5) + (lane < 3 ? lane : lane - 3) + (lane < 3 ? 0 : 100) + down * 1000
                                     + 22 * 100000 + 496 + 8;
                QCOMPARE(ran.values[lane], expected);
            }
        }
    }
    void a_shuffle_waits_for_lanes_on_other_paths() {
        // the halves arrive along different paths and must exchange values where they meet
        const std::string text =
            one_array("setp.lt.u32 %p, %r0, 16; @%p bra LOW; mul.lo.u32 %r3, %r0, 3; bra.uni MEET; LOW: mul.lo.u32 "
                      "%r3, %r0, 5;\n MEET: shfl.sync.bfly.b32 %r4, %r3, 16, 31, -1; st.global.u32 [%g1], %r4;");
        const Ran ran = run(text, {1}, {32}, 32);
        QVERIFY2(ran.error.empty() && !ran.fault, ran.error.c_str());
        for (u32 lane = 0; lane < 32; ++lane) QCOMPARE(ran.values[lane], lane < 16 ? (lane + 16) * 3 : (lane - 16) * 5);
    }
    void a_shuffle_that_lanes_never_reach_is_invalid() {
        const Ran ran = run(one_array("setp.lt.u32 %p, %r0, 16; @%p bra LOW; shfl.sync.idx.b32 %r4, %r0, 1, 31, -1; "
                                      "bra.uni END; LOW: bar.sync 0; END:"),
                            {1}, {32}, 32);
        QVERIFY(ran.fault);
        QCOMPARE(ran.fault->kind, FaultKind::invalid_shuffle);
    }
    void atomics_across_blocks() {
        const std::string text =
            one_array("atom.global.add.u32 %r3, [%g0], 1; atom.global.max.s32 %r4, [%g0+4], %r0; red.global.or.b32 "
                      "[%g0+8], 5; atom.global.inc.u32 %r5, [%g0+12], 9;\n"
                      "red.global.add.f32 [%g0+16], 0f3F800000; LOCK: atom.global.cas.b32 %r6, [%g0+20], 0, 1; "
                      "setp.ne.u32 %p, %r6, 0; @%p bra LOCK;\n"
                      "ld.volatile.global.u32 %r7, [%g0+24]; add.u32 %r7, %r7, 1; st.volatile.global.u32 [%g0+24], "
                      "%r7; membar.gl; atom.global.exch.b32 %r8, [%g0+20], 0;");
        const Ran ran = run(text, {20}, {96}, 2000);
        QVERIFY2(ran.error.empty(), ran.error.c_str());
        QVERIFY2(!ran.fault, ran.fault ? ran.fault->message.c_str() : "");
        QCOMPARE(ran.values[0], 1920u);
        QCOMPARE(ran.values[1], 1919u);
        QCOMPARE(ran.values[2], 5u);
        QCOMPARE(ran.values[3], 0u);
        QCOMPARE(std::bit_cast<float>(ran.values[4]), 1920.0f);
        QCOMPARE(ran.values[6], 1920u); // a spin lock per thread, lanes of one warp included
    }
    void blocks_wait_for_each_other_in_cooperative_grids() {
        const std::string text =
            one_array("mov.u32 %r3, %nctaid.x; atom.global.add.u32 %r4, [%g0], 1;\nSPIN: ld.acquire.gpu.global.u32 "
                      "%r5, [%g0]; setp.lt.u32 %p, %r5, %r3; @%p bra SPIN; st.global.u32 [%g1+4], %r5;");
        const Ran ran = run(text, {200}, {1}, 400, 0, "v4", 0, {}, true);
        QVERIFY2(ran.error.empty() && !ran.fault, ran.error.c_str());
        for (u32 index = 1; index <= 200; ++index) QCOMPARE(ran.values[index], 200u);
    }
    void generic_addresses_reach_every_space() {
        const std::string text =
            header() + ".visible .entry k(.param .u64 out, .param .u32 n) {\n.local .align 8 .b8 depot[16];\n" + kThread
            + "mov.u64 %g2, depot; cvta.local.u64 %g2, %g2; st.u32 [%g2+4], %r0; mov.u64 %g3, s; cvta.shared.u64 %g3, "
              "%g3; mul.wide.u32 %g4, %r0, 4; add.s64 %g3, %g3, %g4;\n"
              "shl.b32 %r3, %r0, 4; st.u32 [%g3], %r3; and.b32 %r4, %r0, 1; setp.eq.u32 %p, %r4, 1; selp.b64 %g5, %g2, "
              "%g3, %p; @!%p add.s64 %g5, %g5, -4;\n"
              "isspacep.shared %q, %g3; ld.u32 %r5, [%g5+4]; selp.u32 %r6, 1, 0, %q; add.u32 %r5, %r5, %r6; st.u32 "
              "[%g1], %r5; ret; }\n";
        const std::string with_shared = header() + ".shared .align 4 .b8 s[128];\n" + text.substr(header().size());
        const Ran ran = run(with_shared, {1}, {32}, 32);
        QVERIFY2(ran.error.empty(), ran.error.c_str());
        QVERIFY2(!ran.fault, ran.fault ? ran.fault->message.c_str() : "");
        for (u32 index = 0; index < 32; ++index) QCOMPARE(ran.values[index], index % 2 ? index + 1 : index * 16 + 1);
    }
    void vectors_and_narrow_accesses() {
        const std::string text =
            one_array("mul.wide.u32 %g2, %r0, 16; add.s64 %g2, %g0, %g2; shl.b32 %r3, %r0, 4; add.u32 %r4, %r3, 1; "
                      "st.global.v4.u32 [%g2], {%r3, %r4, 7, %r0}; ld.global.v2.u32 {%r5, %r6}, [%g2+8];\n"
                      "st.global.u8 [%g2+8], %r6; ld.global.s8 %r7, [%g2+8]; add.u32 %r8, %r5, %r7; st.global.u16 "
                      "[%g2+10], %r8;");
        const Ran ran = run(text, {1}, {32}, 128);
        QVERIFY2(ran.error.empty(), ran.error.c_str());
        for (u32 index = 0; index < 32; ++index) {
            QCOMPARE(ran.values[4 * index], index * 16);
            QCOMPARE(ran.values[4 * index + 1], index * 16 + 1);
            QCOMPARE(ran.values[4 * index + 2], index | (index + 7) << 16);
            QCOMPARE(ran.values[4 * index + 3], index);
        }
    }
    void out_of_bounds_names_everything() {
        const std::string located = header() + ".visible .entry k(.param .u64 out, .param .u32 n) {\n" + kThread
                                    + ".loc 1 17 5\nst.global.u32 [%g1], %r0;\nret;\n}\n.file 1 \"k.cu\"\n";
        for (const std::string& isa : instruction_sets()) {
            const Ran ran = run(located, {2}, {32}, 50, 0, isa.c_str());
            QVERIFY2(ran.fault, ran.error.c_str());
            QCOMPARE(ran.fault->kind, FaultKind::out_of_bounds);
            QCOMPARE(ran.fault->where.file, "k.cu");
            QCOMPARE(ran.fault->where.line, 17);
            QCOMPARE(ran.fault->kernel, "k");
            QCOMPARE(ran.fault->block->x, 1u);
            QCOMPARE(ran.fault->thread->x, 18u);
            QCOMPARE(ran.fault->bytes, 4u);
            QCOMPARE(ran.fault->space, "global");
            QCOMPARE(ran.fault->allocation, "out");
            QVERIFY2(ran.fault->message.find("starts right at the end of out (200 bytes)") != std::string::npos,
                     ran.fault->message.c_str());
        }
    }
    void other_memory_faults() {
        QCOMPARE(run(one_array("add.s64 %g1, %g1, 2; st.global.u32 [%g1], %r0;"), {1}, {1}, 4).fault.value().kind,
                 FaultKind::misaligned);
        QCOMPARE(run(one_array("mov.u64 %g1, 0; ld.global.u32 %r3, [%g1];"), {1}, {32}, 4).fault.value().kind,
                 FaultKind::out_of_bounds);
        QCOMPARE(run(one_array("ld.shared.u32 %r3, [%r0];"), {1}, {1}, 4).fault.value().space, "shared");
        QCOMPARE(run(one_array("st.shared.u32 [%r0+60], %r0;", ".shared .align 4 .b8 unused[4];\n"), {1}, {1}, 4)
                     .fault.value()
                     .space,
                 "shared");
        const Ran constant =
            run(one_array("mov.u64 %g2, c; st.global.u32 [%g2], %r0;", ".const .align 4 .u32 c = 5;\n"), {1}, {1}, 4);
        QVERIFY(constant.fault);
        QVERIFY(constant.fault->message.find("constant") != std::string::npos);
        QCOMPARE(run(one_array("trap;"), {1}, {1}, 4).fault.value().kind, FaultKind::trap);
    }
    void endless_loops_end() {
        SimOptions options;
        options.most_warp_instructions = 1'000'000;
        QCOMPARE(run(one_array("LOOP: add.u32 %r3, %r3, 1; bra.uni LOOP;"), {4}, {64}, 4, 0, "v4", 0, options)
                     .fault.value()
                     .kind,
                 FaultKind::endless_loop);
    }
    void a_cancel_is_quick() {
        Bench bench(one_array("LOOP: add.u32 %r3, %r3, 1; bra.uni LOOP;"));
        const auto out = bench.upload(std::vector<u32>(4));
        std::stop_source stop;
        std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            stop.request_stop();
        });
        const auto start = std::chrono::steady_clock::now();
        const auto outcome =
            bench.launch("k", {8}, {64}, Parameters().add(out).add(u32{0}), 0, false, stop.get_token());
        QVERIFY(!outcome);
        QCOMPARE(outcome.error().code, ErrorCode::cancelled);
        QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
    }
    void printf_and_assert() {
        const std::string declarations =
            ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.extern .func __assertfail(.param "
            ".b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);\n"
            ".global .align 1 .b8 format[] = {37, 115, 32, 37, 48, 51, 100, 32, 37, 46, 50, 102, 10, 0};\n.global "
            ".align 1 .b8 word[] = {104, 105, 0};\n";
        const std::string text =
            header() + declarations
            + ".visible .entry k(.param .u64 out, .param .u32 n) {\n.local .align 8 .b8 depot[24];\n" + kThread
            + "mov.u64 %g2, depot; cvta.local.u64 %g3, %g2; mov.u64 %g4, word; st.local.u64 [%g2], %g4; st.local.u32 "
              "[%g2+8], %r0; mov.b64 %g5, 0d4004000000000000; st.local.u64 [%g2+16], %g5; mov.u64 %g4, format;\n"
              "{ .param .b64 p0; st.param.b64 [p0], %g4; .param .b64 p1; st.param.b64 [p1], %g3; .param .b32 r0; "
              "call.uni (r0), vprintf, (p0, p1); }\n"
              "mov.u64 %g4, word; setp.ne.u32 %p, %r0, 1; @%p bra FINE; { .param .b64 p0; st.param.b64 [p0], %g4; "
              ".param .b64 p1; st.param.b64 [p1], %g4; .param .b32 p2; st.param.b32 [p2], 12; .param .b64 p3; "
              "st.param.b64 [p3], %g4;"
              ".param .b64 p4; st.param.b64 [p4], 1; call.uni __assertfail, (p0, p1, p2, p3, p4); }\nFINE: ret; }\n";
        const Ran ran = run(text, {1}, {2}, 4);
        QVERIFY2(ran.error.empty(), ran.error.c_str());
        QCOMPARE(ran.output, "hi 000 2.50\nhi 001 2.50\n");
        QVERIFY(ran.fault);
        QCOMPARE(ran.fault->kind, FaultKind::assertion);
        QCOMPARE(ran.fault->thread->x, 1u);
        QCOMPARE(ran.fault->message, "assertion \"hi\" failed in hi at hi:12");
    }
    void bad_launches_are_refused() {
        Bench bench(one_array("st.global.u32 [%g1], %r0;", ".shared .align 4 .b8 s[4];\n"));
        const auto out = bench.upload(std::vector<u32>(4));
        const Parameters good = Parameters().add(out).add(u32{0});
        QVERIFY(!bench.launch("nothing", {1}, {1}, good));
        QVERIFY(!bench.launch("k", {1}, {1}, Parameters().add(out)));
        const auto refused = [](const Result<device::LaunchOutcome>& outcome) {
            return outcome && outcome->fault && outcome->fault->kind == FaultKind::launch_failure
                   && outcome->fault->message.starts_with("kernel k cannot be launched: ");
        };
        QVERIFY(refused(bench.launch("k", {0}, {1}, good)));
        QVERIFY(refused(bench.launch("k", {1}, {0}, good)));
        QVERIFY(refused(bench.launch("k", {1}, {1025}, good)));
        QVERIFY(refused(bench.launch("k", {1, 70000}, {1}, good)));
        QVERIFY(refused(bench.launch("k", {1}, {1}, good, 1 << 20)));
        QVERIFY(refused(bench.launch("k", {100000}, {1}, good, 0, true)));
        QVERIFY(refused(bench.device->launch(*bench.module, "k", {{3}, {1}, {2}, 0, false}, good.span(), {})));
        const auto good_launch = bench.launch("k", {1}, {1}, good);
        QVERIFY(good_launch && !good_launch->fault);
    }
    void too_much_local_memory_is_the_kernels_fault() {
        Bench bench(header() + ".visible .entry _Z4bulkILi3EEvv() {\n.local .align 4 .b8 depot[104857600];\nret;\n}\n");
        QVERIFY2(bench.module, bench.error.c_str());
        const auto outcome = bench.launch("_Z4bulkILi3EEvv", {1}, {1}, Parameters());
        QVERIFY(outcome && outcome->fault);
        QCOMPARE(outcome->fault->kind, FaultKind::launch_failure);
        QVERIFY2(outcome->fault->message.starts_with("function bulk<3> needs more than"),
                 outcome->fault->message.c_str());
    }
    void a_negative_precision_is_none() {
        // printf("%.*d|%*d|%q\n", -1, 5, -3, 7)
        std::string format;
        for (const char letter : std::string("%.*d|%*d|%q\n"))
            format += std::to_string(static_cast<int>(letter)) + ", ";
        const std::string declarations = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                                         ".global .align 1 .b8 format[] = {"
                                         + format + "0};\n";
        const std::string text =
            header() + declarations
            + ".visible .entry k(.param .u64 out, .param .u32 n) {\n.local .align 8 .b8 depot[16];\n" + kThread
            + "mov.u64 %g2, depot; cvta.local.u64 %g3, %g2; st.local.u32 [%g2], -1; st.local.u32 [%g2+4], 5; "
              "st.local.u32 [%g2+8], -3; st.local.u32 [%g2+12], 7; mov.u64 %g4, format;\n"
              "{ .param .b64 p0; st.param.b64 [p0], %g4; .param .b64 p1; st.param.b64 [p1], %g3; .param .b32 r0; "
              "call.uni (r0), vprintf, (p0, p1); }\nret; }\n";
        const Ran ran = run(text, {1}, {1}, 4);
        QVERIFY2(ran.error.empty(), ran.error.c_str());
        QCOMPARE(ran.output, "5|7  |%q\n");
    }
    void an_exception_in_the_pool_reaches_the_caller() {
        ThreadPool pool(4);
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, pool.run(4, [](u32) { throw std::runtime_error("lost"); }));
        std::atomic<u32> ran{0};
        pool.run(4, [&](u32) { ++ran; });
        QVERIFY(ran.load() >= 1);
    }
    void memory_of_many_sizes_is_reused() {
        auto memory = DeviceMemory::reserve(u64{64} << 20);
        QVERIFY(memory);
        std::mt19937 random(3);
        std::vector<std::pair<u64, u64>> live;
        for (int round = 0; round < 20000; ++round) {
            if (live.size() > 20 || (!live.empty() && random() % 2 == 0)) {
                const std::size_t at = random() % live.size();
                memory->release(live[at].first);
                live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
            } else {
                const u64 bytes = random() % (2 << 20) + 1;
                const auto address = memory->allocate(bytes, "x");
                QVERIFY2(address, address ? "" : address.error().message.c_str());
                *memory->host(*address, bytes) = std::byte{1};
                for (const auto& [other, size] : live) QVERIFY(*address + bytes <= other || other + size <= *address);
                live.emplace_back(*address, bytes);
            }
        }
        for (const auto& [address, bytes] : live) memory->release(address);
        QCOMPARE(memory->high_water(), kGlobalBase);
        QCOMPARE(memory->used(), u64{0});
    }
    void the_devices_own_memory_is_never_where_something_was_released() {
        auto memory = DeviceMemory::reserve(u64{64} << 20);
        QVERIFY(memory);
        const u64 first = memory->allocate(5000, "first").value(), second = memory->allocate(40000, "second").value();
        const u64 third = memory->allocate(100, "third").value();
        memory->release(first);
        memory->release(third);
        const u64 apart = memory->allocate_apart(64, "apart").value();
        QVERIFY(apart > third);
        memory->release(second);
        QVERIFY(memory->allocate_apart(64, "apart").value() > apart);
        QVERIFY(memory->find(apart) && !memory->find(first) && !memory->find(second) && !memory->find(third));
        QCOMPARE(memory->allocate(60000, "others").value(), first); // they may have all of it, as one range
        QVERIFY(!memory->allocate_apart(u64{64} << 20, "too large"));
        memory->release(first);
        QCOMPARE(memory->allocate(60000, "others").value(), first);
    }
    void a_released_buffer_is_out_of_bounds_in_the_first_launch() {
        Bench bench(one_array("ld.global.u32 %r2, [%g1];")); // which what belongs to the device would allow
        QVERIFY2(bench.module, bench.error.c_str());
        const auto kept = bench.upload(std::vector<u32>(4));
        const auto released = bench.upload(std::vector<u32>(4));
        bench.device->release(released);
        for (const auto pointer : {kept, released}) {
            const auto outcome = bench.launch("k", {1}, {1}, Parameters().add(pointer).add(u32{0}));
            QVERIFY(outcome);
            QCOMPARE(outcome->fault.has_value(), pointer == released);
            if (outcome->fault) QCOMPARE(outcome->fault->kind, FaultKind::out_of_bounds);
        }
    }
    void unsupported_instructions_are_named_when_their_kernel_runs() {
        const std::string text =
            one_array("st.global.u32 [%g1], 3;")
            + ".visible .entry other() {\n.loc 1 9 2\ntcgen05.alloc.sync [%rd1], 32;\nret;\n}\n.file 1 \"t.cu\"\n";
        Bench bench(text);
        QVERIFY2(bench.module, bench.error.c_str());
        const auto out = bench.upload(std::vector<u32>(4));
        QVERIFY(bench.launch("k", {1}, {1}, Parameters().add(out).add(u32{0})));
        const auto refused = bench.launch("other", {1}, {1}, Parameters());
        QVERIFY(refused && refused->fault);
        QCOMPARE(refused->fault->kind, FaultKind::unsupported_instruction);
        QVERIFY2(refused->fault->message.find("tcgen05.alloc.sync") != std::string::npos,
                 refused->fault->message.c_str());
        QCOMPARE(refused->fault->where.line, 9);
        QCOMPARE(refused->fault->where.file, "t.cu");
    }
    /// Random straight-line programs with branches: all instruction sets and thread counts agree bit by bit.
    void instruction_sets_agree_on_random_programs() {
        std::mt19937 random(11);
        const char* binary[] = {"add.s32", "sub.s32", "mul.lo.s32", "and.b32", "xor.b32", "min.s32",    "max.u32",
                                "shl.b32", "shr.s32", "mul.hi.u32", "add.f32", "mul.f32", "div.rn.f32", "max.f32"};
        const char* unary[] = {"popc.b32",       "clz.b32",     "brev.b32",       "not.b32",         "abs.s32",
                               "ex2.approx.f32", "sqrt.rn.f32", "cvt.rn.f32.s32", "cvt.rzi.s32.f32", "sin.approx.f32"};
        for (int program = 0; program < 25; ++program) {
            std::string body = "mul.lo.u32 %r3, %r0, 2654435761; xor.b32 %r4, %r3, 0x3f800000; add.u32 %r5, %r0, 77; "
                               "mov.u32 %r6, %r3;\n";
            const auto reg = [&] { return "%r" + std::to_string(3 + random() % 4); };
            for (int line = 0; line < 40; ++line) {
                if (random() % 6 == 0) {
                    const std::string label = "L" + std::to_string(line);
                    body += "setp.lt.s32 %p, " + reg() + ", " + reg() + "; @%p bra " + label + ";\n";
                    for (int inner = 0; inner < 3; ++inner)
                        body += std::string(binary[random() % std::size(binary)]) + " " + reg() + ", " + reg() + ", "
                                + reg() + ";\n";
                    body += label + ":\n";
                } else if (random() % 3 == 0) {
                    body += std::string(unary[random() % std::size(unary)]) + " " + reg() + ", " + reg() + ";\n";
                } else {
                    body += std::string(binary[random() % std::size(binary)]) + " " + reg() + ", " + reg() + ", "
                            + reg() + ";\n";
                }
            }
            body += "xor.b32 %r3, %r3, %r4; xor.b32 %r5, %r5, %r6; xor.b32 %r3, %r3, %r5; st.global.u32 [%g1], %r3;";
            const Ran reference = run(one_array(body), {3}, {70}, 210, 0, "v2");
            QVERIFY2(reference.error.empty(), reference.error.c_str());
            for (const char* isa : {"v3", "v4"}) {
                const Ran other = run(one_array(body), {3}, {70}, 210, 0, isa);
                QVERIFY2(reference.values == other.values, body.c_str());
            }
        }
    }
};

} // namespace

QTEST_APPLESS_MAIN(ExecTest)
#include "test_exec.moc"
