// Kernels in CUDA, as NVRTC compiles them for sm_90, against plain computations: clusters, barriers, asynchronous
// copies, cooperative groups, matrix fragments.
#include "engine/compile/compiler.h"
#include "tests/sim/harness.h"

#include <cmath>

using namespace kw;
using namespace kw::sim;
using namespace kw::sim::test;

namespace {

using u32 = std::uint32_t;

class KernelsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<compile::Compiler> compiler_;

    /// The PTX of a source with one extern "C" kernel `k`; fails the test where it does not compile.
    std::string ptx(const std::string& source) {
        compile::Request request;
        request.files["k.cu"] = source;
        request.main = "k.cu";
        request.kernels = {"k"};
        request.arch = "sm_90";
        request.cubin = false;
        const auto out = compiler_->compile(request, {});
        if (!out) qFatal("%s", describe(out.error()).c_str());
        if (!out->ok) qFatal("%s", out->log.c_str());
        return out->ptx;
    }
    static void good(const Result<device::LaunchOutcome>& outcome) {
        QVERIFY2(outcome, outcome ? "" : outcome.error().message.c_str());
        QVERIFY2(!outcome->fault, outcome->fault ? outcome->fault->message.c_str() : "");
    }
    static std::vector<float> ramp(std::size_t count) {
        std::vector<float> out(count);
        for (std::size_t index = 0; index < count; ++index) out[index] = static_cast<float>((index * 37 % 101)) - 50;
        return out;
    }

private slots:
    void initTestCase() {
        auto compiler = compile::open_compiler();
        if (!compiler) QSKIP(compiler.error().message.c_str());
        compiler_ = std::move(*compiler);
    }
    void neighbours_of_a_cluster() {
        Bench bench(ptx(R"(#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const float* in, float* out) {
    __shared__ float part[64];
    const int at = blockIdx.x * 64 + threadIdx.x;
    auto cluster = cg::this_cluster();
    part[threadIdx.x] = in[at];
    cluster.sync();
    const float* other = cluster.map_shared_rank(part, cluster.block_rank() ^ 1);
    out[at] = other[63 - threadIdx.x] + cluster.num_blocks();
    cluster.sync();
}
)"));
        QVERIFY2(bench.module, bench.error.c_str());
        const std::vector<float> in = ramp(256);
        const auto x = bench.upload(in, "x"), y = bench.upload(in, "y");
        good(bench.launch("k", {4}, {64}, Parameters().add(x).add(y)));
        const auto out = bench.download<float>(y, 256);
        for (u32 index = 0; index < 256; ++index) QCOMPARE(out[index], in[(index / 64 ^ 1) * 64 + 63 - index % 64] + 2);
    }
    void a_barrier_that_copies_arrive_at() {
        Bench bench(ptx(R"(#include <cuda/barrier>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(const float* in, float* out) {
    __shared__ float part[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&ready, block.size());
    block.sync();
    cuda::memcpy_async(block, part, in + blockIdx.x * 128, sizeof part, ready);
    ready.arrive_and_wait();
    out[blockIdx.x * 128 + threadIdx.x] = part[127 - threadIdx.x];
}
)"));
        QVERIFY2(bench.module, bench.error.c_str());
        const std::vector<float> in = ramp(384);
        const auto x = bench.upload(in, "x"), y = bench.upload(in, "y");
        good(bench.launch("k", {3}, {128}, Parameters().add(x).add(y)));
        const auto out = bench.download<float>(y, 384);
        for (u32 index = 0; index < 384; ++index) QCOMPARE(out[index], in[index / 128 * 128 + 127 - index % 128]);
    }
    void a_bulk_copy() {
        Bench bench(ptx(R"(#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void k(const float* in, float* out) {
    __shared__ alignas(16) float part[128];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, part, in, sizeof part, &bar);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof part);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    out[threadIdx.x] = part[threadIdx.x] * 3;
    ptx::fence_proxy_async(ptx::space_shared);
}
)"));
        QVERIFY2(bench.module, bench.error.c_str());
        const std::vector<float> in = ramp(128);
        const auto x = bench.upload(in, "x"), y = bench.upload(in, "y");
        good(bench.launch("k", {1}, {128}, Parameters().add(x).add(y)));
        const auto out = bench.download<float>(y, 128);
        for (u32 index = 0; index < 128; ++index) QCOMPARE(out[index], in[index] * 3);
    }
    void a_grid_that_waits_for_itself() {
        Bench bench(ptx(R"(#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(const float* in, float* sums, float* out, int n) {
    auto grid = cg::this_grid();
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    float sum = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i];
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (warp.thread_rank() == 0) atomicAdd(sums, sum);
    grid.sync();
    if (grid.thread_rank() < n) out[grid.thread_rank()] = in[grid.thread_rank()] + *static_cast<volatile float*>(sums);
}
)"));
        QVERIFY2(bench.module, bench.error.c_str());
        const std::vector<float> in = ramp(700);
        float sum = 0; // small integers: exact in any order
        for (const float value : in) sum += value;
        const auto x = bench.upload(in, "x"), s = bench.upload(std::vector<float>(1), "sums"),
                   y = bench.upload(in, "y");
        good(bench.launch("k", {8}, {64}, Parameters().add(x).add(s).add(y).add(700), 0, true));
        const auto out = bench.download<float>(y, 700);
        for (u32 index = 0; index < 512; ++index) QCOMPARE(out[index], in[index] + sum);
    }
    void fragments_of_staged_copies() {
        Bench bench(ptx(R"(#include <cuda_pipeline.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(const half* a, const half* b, float* c) {
    __shared__ __align__(16) half sa[16 * 16], sb[16 * 16];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(sa + t * 8, a + t * 8, 16);
    __pipeline_memcpy_async(sb + t * 8, b + t * 8, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 1.0f);
    wmma::load_matrix_sync(fa, sa, 16);
    wmma::load_matrix_sync(fb, sb, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
)"));
        QVERIFY2(bench.module, bench.error.c_str());
        std::vector<_Float16> a(256), b(256);
        for (std::size_t index = 0; index < 256; ++index) {
            a[index] = static_cast<_Float16>(static_cast<int>(index * 7 % 11) - 5);
            b[index] = static_cast<_Float16>(static_cast<int>(index * 5 % 13) - 6);
        }
        const auto pa = bench.upload(a, "a"), pb = bench.upload(b, "b"),
                   pc = bench.upload(std::vector<float>(256), "c");
        good(bench.launch("k", {1}, {32}, Parameters().add(pa).add(pb).add(pc)));
        const auto c = bench.download<float>(pc, 256);
        for (std::size_t row = 0; row < 16; ++row) {
            for (std::size_t column = 0; column < 16; ++column) {
                float sum = 1;
                for (std::size_t at = 0; at < 16; ++at)
                    sum += static_cast<float>(a[row * 16 + at]) * static_cast<float>(b[column * 16 + at]);
                QCOMPARE(c[row * 16 + column], sum);
            }
        }
    }
    void memory_of_device_code() {
        Bench bench(ptx(R"(extern "C" __global__ void k(int* out) {
    int* own = static_cast<int*>(malloc(4 * sizeof(int)));
    for (int i = 0; i < 4; ++i) own[i] = threadIdx.x * i;
    int sum = 0;
    for (int i = 0; i < 4; ++i) sum += own[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    free(own);
}
)"));
        QVERIFY2(bench.module, bench.error.c_str());
        const auto y = bench.upload(std::vector<int>(128), "y");
        good(bench.launch("k", {2}, {64}, Parameters().add(y)));
        const auto out = bench.download<int>(y, 128);
        for (int index = 0; index < 128; ++index) QCOMPARE(out[static_cast<std::size_t>(index)], index % 64 * 6);
    }
};

} // namespace

QTEST_APPLESS_MAIN(KernelsTest)
#include "test_kernels.moc"
