// GPU data sheets, occupancy, counters and estimates.
#include "engine/device/sim/estimate.h"
#include "engine/device/sim/occupancy.h"
#include "tests/sim/harness.h"

using namespace kw;
using namespace kw::sim;
using namespace kw::sim::test;

namespace {

/// y[i] = x[i * stride], and per block a shared-memory access with a bank conflict of `stride` ways.
const std::string kCopy = header() + R"(
.shared .align 4 .b8 s[8192];
.visible .entry copy(.param .u64 x, .param .u64 y, .param .u32 stride) {
  .reg .b32 %r<9>; .reg .b64 %g<6>; .reg .f32 %f<3>; .reg .pred %p;
  ld.param.u64 %g0, [x]; ld.param.u64 %g1, [y]; ld.param.u32 %r0, [stride];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x; mad.lo.s32 %r4, %r3, %r2, %r1;
  mul.lo.s32 %r5, %r4, %r0; mul.wide.u32 %g2, %r5, 4; add.s64 %g2, %g0, %g2; ld.global.f32 %f0, [%g2];
  mul.lo.s32 %r6, %r1, %r0; and.b32 %r6, %r6, 2047; shl.b32 %r6, %r6, 2; mov.u32 %r7, s; add.s32 %r6, %r6, %r7; st.shared.f32 [%r6], %f0;
  fma.rn.f32 %f0, %f0, %f0, %f0;
  mul.wide.u32 %g3, %r4, 4; add.s64 %g3, %g1, %g3; st.global.f32 [%g3], %f0;
  and.b32 %r8, %r1, 1; setp.eq.u32 %p, %r8, 0; @%p bra END; add.u32 %r8, %r8, 1;
END:
  ret;
}
)";

class ModelTest : public QObject {
    Q_OBJECT

    static device::Measurement measure(Bench& bench, std::uint32_t blocks, std::uint32_t stride) {
        const std::size_t n = std::size_t{blocks} * 128;
        const auto x = bench.upload(std::vector<float>(n * stride), "x");
        const auto y = bench.upload(std::vector<float>(n), "y");
        const device::Work work{
            "copy",
            [&](std::size_t) { return bench.launch("copy", {blocks}, {128}, Parameters().add(x).add(y).add(stride)); }};
        auto measured = bench.device->measure(std::span(&work, 1), {}, {}, {});
        if (!measured) qFatal("%s", measured.error().message.c_str());
        bench.device->release(x);
        bench.device->release(y);
        return std::move(measured->front());
    }

private slots:
    void data_sheets_load() {
        QCOMPARE(gpu_models().size(), std::size_t{3});
        QCOMPARE(find_gpu_model("h200")->sm_count, 132u);
        QCOMPARE(find_gpu_model("rtx4090")->warps_per_sm, 48u);
        QVERIFY(!find_gpu_model("gtx1"));
        QVERIFY(!parse_gpu_model("id = \"x\""));
        QVERIFY(!parse_gpu_model("id = "));
    }
    void occupancy_follows_the_rules() {
        const GpuModel h200 = *find_gpu_model("h200");
        QCOMPARE(occupancy(h200, 256, 32, 0).blocks_per_sm, 8u);
        QCOMPARE(occupancy(h200, 256, 64, 0).blocks_per_sm, 4u);
        QCOMPARE(occupancy(h200, 256, 64, 0).limiter, std::string_view("registers"));
        QCOMPARE(occupancy(h200, 32, 16, 0).limiter, std::string_view("blocks"));
        QCOMPARE(occupancy(h200, 128, 32, 100 * 1024).blocks_per_sm, 2u);
        QCOMPARE(occupancy(h200, 128, 32, 100 * 1024).limiter, std::string_view("shared memory"));
        QCOMPARE(occupancy(h200, 1024, 0, 0).fraction, 1.0);
    }
    void counters_match_the_access_pattern() {
        Bench bench(kCopy);
        for (const std::uint32_t stride : {1u, 2u, 32u}) {
            const device::Measurement measured = measure(bench, 4, stride);
            QVERIFY(measured.estimated && !measured.sampled && !measured.fault);
            const device::LaunchCounters& counters = measured.counters.at(0);
            const device::Events& events = counters.events;
            QCOMPARE(events.global_load_requests, std::uint64_t{16});
            QCOMPARE(events.global_load_sectors, std::uint64_t{16} * std::min(4 * stride, 32u));
            QCOMPARE(events.unique_load_sectors, events.global_load_sectors);
            QCOMPARE(events.global_store_sectors, std::uint64_t{64});
            QCOMPARE(events.shared_store_wavefronts, std::uint64_t{16} * stride);
            QCOMPARE(events.shared_bank_conflicts, std::uint64_t{16} * (stride - 1));
            QCOMPARE(events.flops_fp32, std::uint64_t{1024});
            QCOMPARE(events.branches, std::uint64_t{16});
            QCOMPARE(events.divergent_branches, std::uint64_t{16});
            device::Events sum;
            for (const device::LineEvents& line : counters.lines) sum += line.events;
            QVERIFY(sum == events);
            QVERIFY(device::launch_counters_from_json(device::to_json(counters)).events == events);
        }
    }
    void matrix_loads_count_what_they_read() {
        const std::string text = header() + R"(
.shared .align 16 .b8 s[2048];
.visible .entry copy(.param .u64 x, .param .u64 y, .param .u32 stride) {
  .reg .b32 %r<20>; .reg .b64 %g<3>;
  ld.param.u64 %g0, [x]; mov.u32 %r1, %laneid; and.b32 %r1, %r1, 7; shl.b32 %r1, %r1, 4; mov.u32 %r2, s; add.u32 %r1, %r1, %r2;
  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r1];
  mov.u32 %r4, 16;
  wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12}, [%g0], %r4;
  ret;
}
)";
        Bench bench(text);
        QVERIFY2(bench.module, bench.error.c_str());
        const device::Events events = measure(bench, 1, 16).counters.at(0).events;
        QCOMPARE(events.shared_load_requests, std::uint64_t{4});
        QCOMPARE(events.shared_load_wavefronts, std::uint64_t{4}); // 8 rows of 16 bytes
        QCOMPARE(events.global_load_requests, std::uint64_t{4});   // of each warp, on the same 512 bytes
        QCOMPARE(events.global_load_sectors, std::uint64_t{64});
        QCOMPARE(events.unique_load_sectors, std::uint64_t{16});
    }
    void atomics_count_where_they_happen() {
        const std::string text = header() + R"(
.shared .align 4 .b8 s[64];
.visible .entry copy(.param .u64 x, .param .u64 y, .param .u32 stride) {
  .reg .b32 %r<5>; .reg .b64 %g<4>;
  ld.param.u64 %g0, [x]; mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 1; mul.wide.u32 %g1, %r1, 32; add.s64 %g2, %g0, %g1;
  red.global.add.u32 [%g2], 1;
  mov.u32 %r2, s; red.shared.add.u32 [%r2], 1;
  ret;
}
)";
        Bench bench(text);
        QVERIFY2(bench.module, bench.error.c_str());
        const device::Events events = measure(bench, 1, 1).counters.at(0).events;
        QCOMPARE(events.atomic_requests, std::uint64_t{4});
        QCOMPARE(events.atomic_serialized, std::uint64_t{4 * 32}); // two sectors, 16 lanes on each one's address
        QCOMPARE(events.global_load_requests, std::uint64_t{0});
        QCOMPARE(events.global_store_sectors, std::uint64_t{8});
        QCOMPARE(events.shared_store_wavefronts, std::uint64_t{4 * 32});
        // However many SMs send them, one slice of L2 takes them one by one.
        device::LaunchCounters counters;
        counters.blocks = counters.blocks_executed = 132;
        counters.threads_per_block = 1024;
        counters.events.atomic_serialized = 19'800'000;
        counters.events.unique_store_sectors = 1;
        const Estimate hot = estimate(*find_gpu_model("h200"), counters);
        QCOMPARE(hot.limited_by, "atomics");
        QVERIFY(hot.us > 9900 && hot.us < 10100);
    }
    void tensor_types_have_their_own_rates() {
        device::LaunchCounters counters;
        counters.blocks = counters.blocks_executed = 132;
        counters.threads_per_block = 1024;
        counters.events.flops_tensor = 1'000'000'000'000;
        const GpuModel h200 = *find_gpu_model("h200");
        const double fp16 = estimate(h200, counters).us;
        counters.events.flops_tensor_bf16 = counters.events.flops_tensor;
        QVERIFY(std::abs(estimate(h200, counters).us / fp16 - 1) < 0.01);
        counters.events.flops_tensor_bf16 = 0;
        counters.events.flops_tensor_tf32 = counters.events.flops_tensor;
        QVERIFY(std::abs(estimate(h200, counters).us / fp16 - 2) < 0.02);
    }
    void large_grids_are_sampled() {
        SimOptions options;
        options.sampling_budget = 20000;
        Bench bench(kCopy, "v4", options);
        const device::Measurement sampled = measure(bench, 4000, 1);
        QVERIFY(sampled.sampled);
        QVERIFY(sampled.counters.at(0).blocks_executed < 1000);
        options.sampling_budget = 1'000'000'000;
        Bench whole(kCopy, "v4", options);
        const device::Measurement exact = measure(whole, 4000, 1);
        QVERIFY(!exact.sampled);
        QVERIFY(std::abs(sampled.samples_us.at(0) / exact.samples_us.at(0) - 1) < 0.05);
    }
    void a_sample_touches_no_more_than_there_is() {
        // 65536 blocks share 256 pieces of 512 bytes; few of a sample's blocks share one.
        const std::string text = header() + R"(
.visible .entry copy(.param .u64 x) {
  .reg .b32 %r<6>; .reg .b64 %g<3>; .reg .f32 %f;
  ld.param.u64 %g0, [x]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;
  mul.lo.u32 %r2, %r0, 37; and.b32 %r2, %r2, 255; mad.lo.u32 %r3, %r2, 128, %r1;
  mul.wide.u32 %g1, %r3, 4; add.s64 %g1, %g0, %g1; ld.global.f32 %f, [%g1];
  ret;
}
)";
        SimOptions options;
        options.sampling_budget = 4000;
        Bench bench(text, "v4", options);
        QVERIFY2(bench.module, bench.error.c_str());
        const std::uint64_t bytes = 256 * 512;
        const auto x = bench.upload(std::vector<std::byte>(bytes), "x");
        const device::Work work{"copy",
                                [&](std::size_t) { return bench.launch("copy", {65536}, {128}, Parameters().add(x)); }};
        const auto measured = bench.device->measure(std::span(&work, 1), {}, {}, {});
        QVERIFY(measured && measured->front().sampled);
        const auto& counters = measured->front().counters.at(0);
        QVERIFY(counters.blocks_executed < 256);
        const double dram = estimate(*find_gpu_model("h200"), counters).dram_bytes;
        // The memory has gaps around allocations.
        QVERIFY(dram > 0.8 * static_cast<double>(bytes) && dram < 1.5 * static_cast<double>(bytes));
    }
    void estimates_name_their_bound() {
        const GpuModel h200 = *find_gpu_model("h200");
        device::LaunchCounters counters;
        counters.blocks = counters.blocks_executed = 132 * 64;
        counters.threads_per_block = 256;
        counters.events.warp_instructions = 1'000'000;
        counters.events.unique_load_sectors = counters.events.global_load_sectors = std::uint64_t{1} << 27; // 4 GiB
        const Estimate memory = estimate(h200, counters);
        QCOMPARE(memory.limited_by, "DRAM");
        QVERIFY(memory.us > 900 && memory.us < 1000); // 4 GiB at 4800 GB/s, and L2 beside it
        counters.events.unique_load_sectors = counters.events.global_load_sectors = 1000;
        counters.events.fp32 = counters.events.warp_instructions = 1'000'000'000;
        const Estimate arithmetic = estimate(h200, counters);
        QVERIFY(arithmetic.limited_by == "FP32" || arithmetic.limited_by == "issue");
        QVERIFY(arithmetic.us > 950 && arithmetic.us < 1200); // 4 warp instructions per clock, 132 SMs, 1.98 GHz
        QCOMPARE(estimate(h200, {}).limited_by, "launch");
    }
};

} // namespace

QTEST_APPLESS_MAIN(ModelTest)
#include "test_model.moc"
