// What the simulator finds when it is asked to look: a minimal kernel for each fault, with both of its parties, and
// the nearest kernels that are right.
#include "tests/sim/harness.h"

using namespace kw;
using namespace kw::sim;
using namespace kw::sim::test;
using device::FaultKind;

namespace {

using u32 = std::uint32_t;

/// %t: index in the block; %i: in the grid; %g0: address of out[%i], %g1: of in[%i], %g2: of out, %g3: of in; %s0:
/// address of room[%t], %s1: of room. Statements are on lines of their own in the file "k.cu", counted from 1.
std::string kernel(const std::vector<std::string>& lines, const std::string& before = {}) {
    std::string text = header() + ".file 1 \"k.cu\"\n" + before
                       + ".visible .entry k(.param .u64 in, .param .u64 out)\n"
                         "{\n.reg .pred %p, %q; .reg .b32 %t, %i, %x<8>, %s<4>; .reg .b64 %g<8>, %d<4>; .reg .b16 %h;\n"
                         ".reg .f32 %f<4>;\n.shared .align 16 .b8 room[1024];\n.local .align 16 .b8 own[64];\n"
                         "mov.u32 %t, %tid.x; mov.u32 %x0, %ctaid.x; mov.u32 %x1, %ntid.x; "
                         "mad.lo.s32 %i, %x0, %x1, %t;\n"
                         "ld.param.u64 %g2, [out]; mul.wide.u32 %g4, %i, 4; add.u64 %g0, %g2, %g4;\n"
                         "ld.param.u64 %g3, [in]; add.u64 %g1, %g3, %g4; mov.u32 %s1, room; shl.b32 %x2, %t, 2; "
                         "add.u32 %s0, %s1, %x2;\n";
    int number = 0;
    for (const std::string& line : lines) text += ".loc 1 " + std::to_string(++number) + " 1\n" + line + "\n";
    return text + "ret;\n}\n";
}

struct Ran {
    std::optional<device::Fault> fault{};
    std::string error{};
    std::vector<u32> values{};
};

struct Launch {
    device::Dim3 grid{1};
    device::Dim3 block{32};
    device::Dim3 cluster{};
    device::Checks checks = device::all_checks();
    const char* isa = "v4";
    u32 threads = 0;
};

Ran run(const std::string& text, const Launch& launch = {}) {
    SimOptions options;
    options.checks = launch.checks;
    options.threads = launch.threads;
    Bench bench(text, launch.isa, options);
    if (!bench.module) return {{}, bench.error};
    const u32 count = launch.grid.x * launch.block.x;
    std::vector<u32> in(count);
    for (u32 index = 0; index < count; ++index) in[index] = 1000 + index;
    const auto from = bench.upload(in, "in");
    const auto to = bench.device->allocate(count * 4, "out").value();
    bench.device->poison(to, count * 4, std::byte{0xff}).value();
    auto outcome = bench.device->launch(*bench.module, "k", {launch.grid, launch.block, launch.cluster, 0, false},
                                        Parameters().add(from).add(to).span(), {});
    if (!outcome) return {{}, outcome.error().message};
    return {std::move(outcome->fault), {}, bench.download<u32>(to, count)};
}

/// The fault's kind and the lines of both parties.
void found(const Ran& ran, FaultKind kind, int line, int other) {
    QVERIFY2(ran.error.empty(), ran.error.c_str());
    QVERIFY2(ran.fault, "no fault");
    QVERIFY2(ran.fault->kind == kind, ran.fault->message.c_str());
    QCOMPARE(ran.fault->where.line, line);
    QVERIFY(ran.fault->thread && ran.fault->block);
    if (other == 0) {
        QVERIFY(!ran.fault->other);
        return;
    }
    QVERIFY(ran.fault->other && ran.fault->other->thread && ran.fault->other->block);
    QCOMPARE(ran.fault->other->where.line, other);
    QVERIFY(!(*ran.fault->other->thread == *ran.fault->thread && *ran.fault->other->block == *ran.fault->block));
}
void silent(const Ran& ran) {
    QVERIFY2(ran.error.empty(), ran.error.c_str());
    QVERIFY2(!ran.fault,
             ran.fault ? (ran.fault->message + " at line " + std::to_string(ran.fault->where.line)).c_str() : "");
}

/// Each warp but the first is at the label OTHER.
const std::string kByWarp = "setp.ge.u32 %p, %t, 32; @%p bra OTHER;";

class ChecksTest : public QObject {
    Q_OBJECT

private slots:
    void a_read_of_global_memory_never_written() {
        for (const std::string& isa : instruction_sets()) {
            const Ran ran =
                run(kernel({"ld.global.u32 %x3, [%g0];", "st.global.u32 [%g0], %x3;"}), {.isa = isa.c_str()});
            found(ran, FaultKind::uninitialized_read, 1, 0);
            QCOMPARE(ran.fault->allocation, "out");
        }
        silent(run(kernel({"st.global.u32 [%g0], %t;", "ld.global.u32 %x3, [%g0];"})));
        silent(run(kernel({"ld.global.u32 %x3, [%g1];", "st.global.u32 [%g0], %x3;"})));
        // an atomic reads, too
        found(run(kernel({"atom.global.add.u32 %x3, [%g0], 1;"})), FaultKind::uninitialized_read, 1, 0);
    }
    void a_read_of_shared_memory_never_written() {
        found(run(kernel({"ld.shared.u32 %x3, [%s0];"})), FaultKind::uninitialized_read, 1, 0);
        found(run(kernel({"setp.lt.u32 %p, %t, 16; @%p st.shared.u32 [%s0], %t;", "bar.warp.sync -1;",
                          "ld.shared.u32 %x3, [%s0];"})),
              FaultKind::uninitialized_read, 3, 0);
        silent(run(kernel({"st.shared.u32 [%s0], %t;", "ld.shared.u32 %x3, [%s0];"})));
        // what an earlier block left does not count
        found(run(kernel({"mov.u32 %x3, %ctaid.x; setp.eq.u32 %p, %x3, 0; @%p st.shared.u32 [%s0], %t;",
                          "@!%p ld.shared.u32 %x3, [%s0];"}),
                  {.grid = {2}, .threads = 1}),
              FaultKind::uninitialized_read, 2, 0);
    }
    void a_read_of_local_memory_never_written() {
        found(run(kernel({"mov.u64 %d0, own;", "st.local.u32 [%d0], %t;", "ld.local.u32 %x4, [%d0+4];"})),
              FaultKind::uninitialized_read, 3, 0);
        silent(run(kernel({"mov.u64 %d0, own;", "st.local.u32 [%d0+4], %t;", "ld.local.u32 %x4, [%d0+4];"})));
    }
    void bytes_count_one_by_one_but_padding_does_not() {
        // half of the word is written: it may be a structure with padding
        silent(run(kernel({"cvt.u16.u32 %h, %t; st.shared.u16 [%s0], %h;", "ld.shared.u32 %x3, [%s0];"})));
        found(run(kernel({"cvt.u16.u32 %h, %t; st.shared.u16 [%s0], %h;", "ld.shared.u16 %h, [%s0+2];"})),
              FaultKind::uninitialized_read, 2, 0);
        // an element of a vector that is only copied along, then one that is used
        const std::string write = "shl.b32 %x3, %t, 4; add.u32 %s2, %s1, %x3; st.shared.u32 [%s2], %t; st.shared.u32 "
                                  "[%s2+4], %t; st.shared.u32 [%s2+8], %t;";
        silent(run(kernel({write, "ld.shared.v4.u32 {%x3, %x4, %x5, %x6}, [%s2]; add.u32 %x3, %x4, %x5;"}),
                   {.block = {16}}));
        found(run(kernel({write, "ld.shared.v4.u32 {%x3, %x4, %x5, %x6}, [%s2]; add.u32 %x3, %x4, %x6;"}),
                  {.block = {16}}),
              FaultKind::uninitialized_read, 2, 0);
    }
    void a_race_between_warps_in_shared_memory() {
        const std::string neighbour = "xor.b32 %x3, %t, 32; shl.b32 %x3, %x3, 2; add.u32 %s2, %s1, %x3;";
        const std::string read = "ld.shared.u32 %x4, [%s2]; st.global.u32 [%g0], %x4;";
        const auto text = kernel({"st.shared.u32 [%s0], %t;", neighbour, read});
        for (const std::string& isa : instruction_sets()) {
            auto checks = device::all_checks();
            checks.init = false; // the first warp reads what the second has yet to write
            const Ran ran = run(text, {.block = {64}, .checks = checks, .isa = isa.c_str()});
            QVERIFY(ran.fault && ran.fault->other);
            QCOMPARE(ran.fault->kind, FaultKind::race);
            QVERIFY(ran.fault->where.line == 1 ? ran.fault->other->where.line == 3
                                               : ran.fault->where.line == 3 && ran.fault->other->where.line == 1);
        }
        silent(run(kernel({"st.shared.u32 [%s0], %t;", neighbour, "bar.sync 0;", read}), {.block = {64}}));
    }
    void writes_after_reads_race_as_well() {
        // the second round's write may come before the first round's read of another warp
        const std::vector<std::string> round = {"st.shared.u32 [%s0], %t;", "bar.sync 0;",
                                                "xor.b32 %x3, %t, 32; shl.b32 %x3, %x3, 2; add.u32 %s2, %s1, %x3;",
                                                "ld.shared.u32 %x4, [%s2]; add.u32 %x4, %x4, 7;",
                                                "st.shared.u32 [%s0], %x4;"};
        const Ran ran = run(kernel(round), {.block = {64}});
        QVERIFY(ran.fault && ran.fault->other && ran.fault->kind == FaultKind::race);
        QCOMPARE(ran.fault->where.line + ran.fault->other->where.line, 9); // whichever comes first
        auto fixed = round;
        fixed[3] += " bar.sync 0;";
        silent(run(kernel(fixed), {.block = {64}}));
    }
    void lanes_of_a_warp_race_without_a_sync() {
        const std::string other = "xor.b32 %x3, %t, 1; shl.b32 %x3, %x3, 2; add.u32 %s2, %s1, %x3;";
        const std::string read = "ld.shared.u32 %x4, [%s2]; st.global.u32 [%g0], %x4;";
        found(run(kernel({"st.shared.u32 [%s0], %t;", other, read})), FaultKind::race, 3, 1);
        silent(run(kernel({"st.shared.u32 [%s0], %t;", other, "bar.warp.sync -1;", read})));
        // halves that meet apart
        const std::string half = "setp.lt.u32 %p, %t, 16; selp.b32 %x5, 0x0000ffff, 0xffff0000, %p;";
        silent(run(kernel({"st.shared.u32 [%s0], %t;", other + half, "bar.warp.sync %x5;", read})));
        const std::string across = "xor.b32 %x3, %t, 16; shl.b32 %x3, %x3, 2; add.u32 %s2, %s1, %x3;";
        found(run(kernel({"st.shared.u32 [%s0], %t;", across + half, "bar.warp.sync %x5;", read})), FaultKind::race, 4,
              1);
    }
    void lanes_of_one_store_race_unless_they_agree() {
        found(run(kernel({"st.shared.u32 [%s1], %t;"})), FaultKind::race, 1, 1);
        silent(run(kernel({"mov.u32 %x3, 5; st.shared.u32 [%s1], %x3;"})));
        found(run(kernel({"st.global.u32 [%g2], %t;"})), FaultKind::race, 1, 1);
        silent(run(kernel({"mov.u32 %x3, 5; st.global.u32 [%g2], %x3;"}), {.grid = {4}}));
    }
    void bytes_of_neighbours_are_no_race() {
        silent(run(kernel({"add.u32 %s2, %s1, %t; cvt.u16.u32 %h, %t; st.shared.u8 [%s2], %h;", "bar.sync 0;",
                           "ld.shared.u8 %h, [%s2];"}),
                   {.block = {64}}));
        silent(run(kernel({"cvt.u64.u32 %d0, %i; add.u64 %d0, %g2, %d0; cvt.u16.u32 %h, %t; st.global.u8 [%d0], %h;"}),
                   {.grid = {2}, .block = {64}}));
    }
    void atomics_do_not_race_with_each_other() {
        const std::string zero = "setp.eq.u32 %p, %t, 0; mov.u32 %x3, 0; @%p st.shared.u32 [%s1], %x3;";
        silent(run(kernel({zero, "bar.sync 0;", "atom.shared.add.u32 %x4, [%s1], 1;", "bar.sync 0;",
                           "ld.shared.u32 %x4, [%s1];"}),
                   {.block = {128}}));
        found(run(kernel({zero, "atom.shared.add.u32 %x4, [%s1], 1;"}), {.block = {32}}), FaultKind::race, 2, 1);
        found(run(kernel({zero, "bar.sync 0;", "atom.shared.add.u32 %x4, [%s1], 1;", "ld.shared.u32 %x4, [%s1];"}),
                  {.block = {64}}),
              FaultKind::race, 4, 3);
        silent(run(kernel({"atom.global.add.u32 %x4, [%g3], 1;"}), {.grid = {8}, .block = {64}}));
    }
    void blocks_race_in_global_memory() {
        // each block writes what the next one reads
        const std::string next = "add.u32 %x3, %i, 32; rem.u32 %x3, %x3, 128; mul.wide.u32 %d0, %x3, 4; "
                                 "add.u64 %d1, %g3, %d0;";
        const Ran ran =
            run(kernel({"st.global.u32 [%g1], %t;", next, "ld.global.u32 %x4, [%d1]; st.global.u32 [%g0], %x4;"}),
                {.grid = {4}});
        QVERIFY(ran.fault && ran.fault->other && ran.fault->kind == FaultKind::race);
        QVERIFY(!(*ran.fault->block == *ran.fault->other->block));
        QCOMPARE(ran.fault->allocation, "in");
        silent(run(kernel({next, "ld.global.u32 %x4, [%d1]; st.global.u32 [%g0], %x4;"}), {.grid = {4}}));
    }
    void a_flag_orders_blocks_only_behind_a_fence() {
        // block 0 hands in[0] over to block 1; in[1] is the flag, which starts at 1001
        const auto hand_over = [](const std::string& fence) {
            return kernel({"mov.u32 %x3, %ctaid.x; setp.ne.u32 %p, %x3, 0; setp.ne.u32 %q, %t, 0; @%q bra END; @%p bra "
                           "READER;",
                           "st.global.u32 [%g3], 77;", fence, "st.volatile.global.u32 [%g3+4], 5; bra END;",
                           "READER: ld.volatile.global.u32 %x4, [%g3+4]; setp.ne.u32 %p, %x4, 5; @%p bra READER;",
                           "membar.gl; ld.global.u32 %x4, [%g3];", "st.global.u32 [%g0], %x4;", "END:"});
        };
        const Ran good = run(hand_over("membar.gl;"), {.grid = {2}});
        silent(good);
        QCOMPARE(good.values[32], 77u);
        found(run(hand_over(""), {.grid = {2}, .threads = 1}), FaultKind::race, 6, 2);
        silent(run(kernel({"mov.u32 %x3, %ctaid.x; setp.ne.u32 %p, %x3, 0; setp.ne.u32 %q, %t, 0; @%q bra END; @%p "
                           "bra READER;",
                           "st.global.u32 [%g3], 77;", "st.release.gpu.global.u32 [%g3+4], 5; bra END;",
                           "READER: ld.acquire.gpu.global.u32 %x4, [%g3+4]; setp.ne.u32 %p, %x4, 5; @%p bra READER;",
                           "ld.global.u32 %x4, [%g3];", "st.global.u32 [%g0], %x4;", "END:"}),
                   {.grid = {2}}));
    }
    void the_last_block_may_read_what_all_have_fenced() {
        // in[64]: the counter; each block writes out[block], the last adds them up
        const auto reduce = [](const std::string& fence) {
            return kernel({"setp.ne.u32 %q, %t, 0; @%q bra END; mov.u32 %x3, %ctaid.x; mul.wide.u32 %d0, %x3, 4; "
                           "add.u64 %d1, %g2, %d0; add.u32 %x3, %x3, 1;",
                           "st.global.u32 [%d1], %x3;", fence, "atom.global.add.u32 %x4, [%g3+64], 1;",
                           "setp.ne.u32 %p, %x4, 1023; @%p bra END;",
                           "ld.global.u32 %x5, [%g2]; ld.global.u32 %x6, "
                           "[%g2+28]; add.u32 %x5, %x5, %x6;",
                           "st.global.u32 [%g2+32], %x5;", "END:"});
        };
        // in[16] is 1016 at first, so the eighth block finds 1023
        const Ran good = run(reduce("membar.gl;"), {.grid = {8}});
        silent(good);
        QCOMPARE(good.values[8], 9u);
        const Ran bad = run(reduce(""), {.grid = {8}});
        found(bad, FaultKind::race, 6, 2);
    }
    void a_leader_publishes_what_all_have_fenced_before_a_barrier() {
        // Each thread stores out[%i], thread 0 of each block counts in in[0] from 1000 on, and the last block of four
        // reads what block 0 stored. The third warp is not at `barrier`.
        const auto reduce = [](const std::string& fence, const std::string& barrier) {
            return run(kernel({"setp.ge.u32 %p, %t, 64; @%p bra WAIT; setp.lt.u32 %p, %t, 32;",
                               "st.global.u32 [%g0], %i;", fence, barrier,
                               "setp.ne.u32 %q, %t, 0; @%q bra WAIT; atom.global.add.u32 %x4, [%g3], 1; "
                               "st.shared.u32 [%s1], %x4;",
                               "WAIT: bar.sync 0; ld.shared.u32 %x4, [%s1]; setp.ne.u32 %p, %x4, 1003; "
                               "setp.ge.or.u32 %p, %t, 64, %p; @%p bra END;",
                               "mul.wide.u32 %d0, %t, 4; add.u64 %d1, %g2, %d0; ld.global.u32 %x5, [%d1];", "END:"}),
                       {.grid = {4}, .block = {96}, .threads = 1});
        };
        const std::string some = "bar.sync 1, 64;";
        silent(reduce("membar.gl;", some));
        silent(reduce("", some + " @%p membar.gl;")); // the leader's own fence covers what its barrier has shown it
        found(reduce("", some), FaultKind::race, 7, 2);
        found(reduce("@%p membar.gl;", some), FaultKind::race, 7, 2); // the leader's warp alone has fenced
        found(reduce("membar.gl;", ""), FaultKind::race, 7, 2);
        found(reduce("", some + " @!%p membar.gl;"), FaultKind::race, 7, 2); // too late for the leader to know
        // with a barrier of the whole block
        const auto whole = [](const std::string& fence) {
            return run(kernel({"setp.lt.u32 %p, %t, 32;", "st.global.u32 [%g0], %i;", fence,
                               "bar.sync 0; setp.ne.u32 %q, %t, 0; @%q bra WAIT; atom.global.add.u32 %x4, [%g3], 1; "
                               "st.shared.u32 [%s1], %x4;",
                               "WAIT: bar.sync 0; ld.shared.u32 %x4, [%s1]; setp.ne.u32 %p, %x4, 1003; @%p bra END;",
                               "mul.wide.u32 %d0, %t, 4; add.u64 %d1, %g2, %d0; ld.global.u32 %x5, [%d1];", "END:"}),
                       {.grid = {4}, .block = {64}, .threads = 1});
        };
        silent(whole("membar.gl;"));
        silent(whole("@!%p membar.gl; bar.sync 0; @%p membar.gl;"));
        found(whole(""), FaultKind::race, 6, 2);
        found(whole("@%p membar.gl;"), FaultKind::race, 6, 2);
    }
    void named_barriers_order_those_that_take_part() {
        const auto text = [](const std::string& id) {
            // the first two warps meet at barrier 1; the reader is in the second or the third
            return kernel({"setp.ge.u32 %p, %t, 64; @%p bra OTHER; st.shared.u32 [%s0], %t; bar.sync 1, 64;",
                           "xor.b32 %x3, %t, 32; shl.b32 %x3, %x3, 2; add.u32 %s2, %s1, %x3; ld.shared.u32 %x4, [%s2]; "
                           "bra END;",
                           "OTHER:" + id, "END:"});
        };
        silent(run(text(""), {.block = {96}}));
        found(run(text("ld.shared.u32 %x4, [%s1+4];"), {.block = {96}}), FaultKind::race, 3, 1);
    }
    void a_copy_that_nobody_waited_for() {
        const auto text = [](const std::string& wait, const std::string& lane) {
            return kernel(
                {"mad.wide.u32 %d0, %t, 12, %g1; shl.b32 %x3, %t, 4; add.u32 %s2, %s1, %x3; setp.lt.u32 %p, %t, 8;",
                 "@%p cp.async.ca.shared.global [%s2], [%d0], 16;", "cp.async.commit_group;", wait,
                 "xor.b32 %x3, %t, " + lane
                     + "; shl.b32 %x3, %x3, 2; add.u32 %s2, %s1, %x3; ld.shared.u32 %x4, [%s2];"});
        };
        const auto lines = [](const Ran& ran, FaultKind kind, int line, int other) {
            QVERIFY(ran.fault && ran.fault->kind == kind && ran.fault->other); // which may be the thread itself
            QCOMPARE(ran.fault->where.line, line);
            QCOMPARE(ran.fault->other->where.line, other);
        };
        lines(run(text("", "0")), FaultKind::race, 5, 2);
        lines(run(text("bar.sync 0;", "1")), FaultKind::race, 5, 2);
        lines(run(text("cp.async.wait_group 1; bar.sync 0;", "1")), FaultKind::race, 5, 2);
        silent(run(text("cp.async.wait_group 0; bar.sync 0;", "1")));
        silent(run(text("cp.async.wait_all; bar.warp.sync -1;", "1")));
        lines(run(text("cp.async.wait_group 0;", "4")), FaultKind::race, 5, 2); // another's copy
    }
    void a_shuffle_from_a_lane_that_is_not_there() {
        const Ran ran = run(kernel({"setp.ge.u32 %p, %t, 16; @%p bra END;",
                                    "mov.u32 %x4, 20; shfl.sync.idx.b32 %x3, %t, %x4, 31, 0x0000ffff;", "END:"}));
        QVERIFY(ran.fault && ran.fault->kind == FaultKind::invalid_shuffle && ran.fault->other);
        QCOMPARE(ran.fault->where.line, 2);
        QCOMPARE(ran.fault->other->thread->x, 20u);
        silent(run(kernel({"setp.ge.u32 %p, %t, 16; @%p bra END;",
                           "mov.u32 %x4, 12; shfl.sync.idx.b32 %x3, %t, %x4, 31, 0x0000ffff;", "END:"})));
        silent(run(kernel({"shfl.sync.down.b32 %x3, %t, 16, 31, -1;", "shfl.sync.up.b32 %x3, %t, 3, 0, -1;"})));
    }
    void a_mask_that_lacks_the_caller() {
        for (const char* what :
             {"shfl.sync.bfly.b32 %x3, %t, 1, 31, 0x00ffffff;", "vote.sync.ballot.b32 %x3, 1, 0x00ffffff;",
              "bar.warp.sync 0x00ffffff;", "redux.sync.add.s32 %x3, %t, 0x00ffffff;"}) {
            const Ran ran = run(kernel({what}));
            found(ran, FaultKind::invalid_shuffle, 1, 0);
            QCOMPARE(ran.fault->thread->x, 24u);
        }
    }
    void a_barrier_that_a_warp_reaches_at_two_places() {
        const auto text =
            kernel({"setp.lt.u32 %p, %t, 16; @%p bra LOW;", "bar.sync 0; bra END;", "LOW: bar.sync 0;", "END:"});
        const Ran ran = run(text);
        QVERIFY(ran.fault && ran.fault->other);
        QCOMPARE(ran.fault->kind, FaultKind::divergent_barrier);
        QCOMPARE(ran.fault->where.line + ran.fault->other->where.line, 5);
        silent(run(text, {.checks = *device::checks_from("none")}));
        // the instruction set has one for such code
        silent(run(kernel(
            {"setp.lt.u32 %p, %t, 16; @%p bra LOW;", "barrier.sync 0; bra END;", "LOW: barrier.sync 0;", "END:"})));
    }
    void what_is_not_asked_for_is_not_found() {
        const auto text = kernel({"st.shared.u32 [%s1], %t;", "ld.global.u32 %x3, [%g0];"});
        silent(run(text, {.checks = {}}));
        silent(run(text, {.checks = *device::checks_from("memory,sync")}));
        found(run(text, {.checks = *device::checks_from("init")}), FaultKind::uninitialized_read, 2, 0);
        found(run(text, {.checks = *device::checks_from("race")}), FaultKind::race, 1, 1);
    }
    void a_launch_that_was_not_looked_at_may_have_written_anything() {
        SimOptions options;
        const auto store = kernel({"st.global.u32 [%g0], %t;"}), load = kernel({"ld.global.u32 %x3, [%g0];"});
        Bench bench(store, "v4", options);
        auto second = bench.device->load({load, {}, {}});
        QVERIFY(second);
        const auto x = bench.upload(std::vector<u32>(32), "in");
        const auto y = bench.device->allocate(128, "out").value();
        QVERIFY(!bench.launch("k", {1}, {32}, Parameters().add(x).add(y))->fault);
        bench.device->look_for(device::all_checks());
        const auto ran =
            bench.device->launch(**second, "k", {{1}, {32}, {}, 0, false}, Parameters().add(x).add(y).span(), {});
        QVERIFY(ran && !ran->fault);
        QVERIFY(bench.device->poison(y, 128, std::byte{0xff}));
        const auto again =
            bench.device->launch(**second, "k", {{1}, {32}, {}, 0, false}, Parameters().add(x).add(y).span(), {});
        QVERIFY(again && again->fault && again->fault->kind == FaultKind::uninitialized_read);
    }
    void blocks_of_a_cluster_race_in_shared_memory() {
        const auto exchange = [](const std::string& sync) {
            return kernel(
                {"st.shared.u32 [%s0], %t;", sync,
                 "mov.u32 %x4, %cluster_ctarank; xor.b32 %x4, %x4, 1; mapa.shared::cluster.u32 %s3, %s0, %x4; "
                 "ld.shared::cluster.u32 %x5, [%s3];",
                 "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"});
        };
        const std::string meet = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
        silent(run(exchange(meet), {.grid = {4}, .cluster = {2}}));
        auto checks = device::all_checks();
        checks.init = false;
        const Ran ran = run(exchange(""), {.grid = {2}, .cluster = {2}, .checks = checks});
        QVERIFY(ran.fault && ran.fault->kind == FaultKind::race && ran.fault->other);
        QVERIFY(!(*ran.fault->block == *ran.fault->other->block));
    }
    void parted_lanes_meet_at_a_shuffle_in_any_order() {
        // lane 31 takes another way around the loop, in which all shuffle
        const auto text =
            kernel({"mov.u32 %x3, 0; mov.u32 %x4, %t;",
                    "ROUND: shfl.sync.up.b32 %x5, %x4, 1, 0, -1; setp.eq.u32 %p, %t, 31; @%p bra EDGE;",
                    "add.u32 %x4, %x5, 1; bra NEXT;", "EDGE: add.u32 %x4, %x5, 2;",
                    "NEXT: add.u32 %x3, %x3, 1; setp.lt.u32 %p, %x3, 8; @%p bra ROUND;", "st.global.u32 [%g0], %x4;"});
        const auto expected = run(text).values;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            auto checks = device::all_checks();
            checks.schedule = seed;
            const Ran ran = run(text, {.checks = checks});
            silent(ran);
            QCOMPARE(ran.values, expected);
        }
    }
    void a_schedule_shows_what_relies_on_warps_in_step() {
        // warps add to a word of shared memory in turn, without a barrier: the order of the grid's layout happens to
        // work
        const auto text = kernel({"setp.ne.u32 %q, %t, 0; mov.u32 %x3, 1; @!%q st.shared.u32 [%s1], %x3;",
                                  "setp.lt.u32 %p, %t, 32; @%p bra END;",
                                  "ld.shared.u32 %x3, [%s1]; st.global.u32 [%g0], %x3;", "END:"});
        const auto values = [&](std::optional<std::uint64_t> seed, u32 threads) {
            auto checks = *device::checks_from("none");
            checks.schedule = seed;
            return run(text, {.block = {64}, .checks = checks, .threads = threads}).values[32];
        };
        QCOMPARE(values({}, 1), 1u);
        int wrong = 0;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const u32 one = values(seed, 1);
            QCOMPARE(values(seed, 4), one);
            wrong += one != 1;
        }
        QVERIFY(wrong > 0 && wrong < 20);
    }
};

} // namespace

QTEST_APPLESS_MAIN(ChecksTest)
#include "test_checks.moc"
