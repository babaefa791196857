// Kernels that are right, in the ways in which people write them: with every check on, and in other orders of warps,
// the simulator has nothing to say about them, and their results are right.
#include "engine/compile/compiler.h"
#include "tests/sim/harness.h"

#include <functional>

using namespace kw;
using namespace kw::sim;
using namespace kw::sim::test;

namespace {

using u32 = std::uint32_t;

constexpr const char* kSource = R"(#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>
#include <cuda/barrier>
#include <mma.h>
namespace cg = cooperative_groups;

extern "C" __global__ void warp_sum(const float* in, float* out, int n) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    __shared__ float part[32];
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
        if (threadIdx.x == 0) out[0] = sum;
    }
}

extern "C" __global__ void block_sum(const float* in, float* out, int n) {
    __shared__ float part[256];
    const int t = threadIdx.x;
    float sum = 0;
    for (int i = t; i < n; i += 256) sum += in[i];
    part[t] = sum;
    __syncthreads();
    for (int half = 128; half >= 32; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t < 32) {
        for (int half = 16; half > 0; half /= 2) {
            const float more = t < half ? part[t + half] : 0;
            __syncwarp();
            if (t < half) part[t] += more;
            __syncwarp();
        }
        if (t == 0) out[0] = part[0];
    }
}

__device__ unsigned ticket = 0;
__device__ float partial[64];
extern "C" __global__ void last_block(const float* in, float* out, int n) {
    __shared__ float part[128];
    __shared__ bool last;
    const int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128) sum += in[i];
    part[t] = sum;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = part[0];
        __threadfence();
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        float all = 0;
        for (int b = 0; b < gridDim.x; ++b) all += partial[b];
        out[0] = all;
    }
}

// A scan over blocks by decoupled look-back: a block publishes its sum, adds up those before, then its prefix.
__device__ int sums[64], prefixes[64];
__device__ volatile int states[64];
extern "C" __global__ void look_back(const int* in, int* out, int n) {
    __shared__ int part[64];
    __shared__ int before;
    const int t = threadIdx.x, b = blockIdx.x, i = b * 64 + t;
    part[t] = in[i];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        const int more = t >= d ? part[t - d] : 0;
        __syncthreads();
        part[t] += more;
        __syncthreads();
    }
    if (t == 0) {
        sums[b] = part[63];
        __threadfence();
        states[b] = 1;
        int sum = 0;
        for (int p = b - 1; p >= 0; --p) {
            int state;
            while ((state = states[p]) == 0) {}
            __threadfence();
            if (state == 2) {
                sum += prefixes[p];
                break;
            }
            sum += sums[p];
        }
        before = sum;
        prefixes[b] = sum + part[63];
        __threadfence();
        states[b] = 2;
    }
    __syncthreads();
    out[i] = part[t] + before;
}

extern "C" __global__ void histogram(const int* in, int* out, int n) {
    __shared__ int bins[64];
    for (int i = threadIdx.x; i < 64; i += blockDim.x) bins[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i] & 63], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 64; i += blockDim.x) atomicAdd(&out[i], bins[i]);
}

extern "C" __global__ void bytes(const unsigned char* in, unsigned char* out, int n) {
    __shared__ unsigned char part[256];
    part[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = part[255 - threadIdx.x];
}

__device__ int lock = 0;
extern "C" __global__ void locked(const int* in, int* out, int n) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {}
        __threadfence();
        out[0] += in[blockIdx.x];
        __threadfence();
        atomicExch(&lock, 0);
    }
}

extern "C" __global__ void whole_grid(const float* in, float* out, int n) {
    auto grid = cg::this_grid();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) out[i] = in[i] + 1;
    grid.sync();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) out[n + i] = out[n - 1 - i];
    grid.sync();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) out[i] = out[n + (i + 64) % n];
}

extern "C" __global__ void tiles(const int* in, int* out, int n) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    __shared__ int part[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    part[threadIdx.x] = in[i];
    tile.sync();
    const int other = part[threadIdx.x / 16 * 16 + 15 - threadIdx.x % 16];
    tile.sync();
    const int sum = cg::reduce(tile, other, cg::plus<int>());
    const unsigned odd = tile.ballot(in[i] & 1);
    out[i] = sum * 100 + __popc(odd);
}

extern "C" __global__ void staged(const float* in, float* out, int n) {
    __shared__ __align__(16) float part[2][128];
    const int t = threadIdx.x;
    const auto fetch = [&](int step) {
        if (t < 32) __pipeline_memcpy_async(&part[step & 1][t * 4], in + step * 128 + t * 4, 16);
        __pipeline_commit();
    };
    fetch(0);
    float sum = 0;
    for (int step = 0; step < n / 128; ++step) {
        if (step + 1 < n / 128) fetch(step + 1);
        __pipeline_wait_prior(step + 1 < n / 128 ? 1 : 0);
        __syncthreads();
        sum += part[step & 1][127 - t];
        __syncthreads();
    }
    out[t] = sum;
}

extern "C" __global__ void counted(const float* in, float* out, int n) {
    __shared__ float part[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&ready, block.size());
    block.sync();
    for (int step = 0; step < n / 128; ++step) {
        cuda::memcpy_async(block, part, in + step * 128, sizeof part, ready);
        ready.arrive_and_wait();
        out[step * 128 + threadIdx.x] = part[127 - threadIdx.x];
        ready.arrive_and_wait();
    }
}

// Half of the warps make what the others use, by two named barriers.
extern "C" __global__ void handed_over(const int* in, int* out, int n) {
    __shared__ int part[64];
    const int t = threadIdx.x % 64;
    for (int step = 0; step < n / 64; ++step) {
        if (threadIdx.x < 64) {
            if (step > 0) asm volatile("bar.sync 2, 128;" ::: "memory");
            part[t] = in[step * 64 + t];
            asm volatile("bar.arrive 1, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            out[step * 64 + t] = part[63 - t];
            if (step + 1 < n / 64) asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
    }
}

extern "C" __global__ void fragments(const half* a, const half* b, float* c) {
    using namespace nvcuda;
    __shared__ half sa[256], sb[256];
    __shared__ float sc[256];
    for (int i = threadIdx.x; i < 256; i += 32) sa[i] = a[i], sb[i] = b[i];
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, sa, 16);
    wmma::load_matrix_sync(fb, sb, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(sc, fc, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32) c[i] = sc[i] * 2;
}

struct Padded { char c; int i; };
struct alignas(16) Three { float x, y, z; };
extern "C" __global__ void structures(const int* in, int* out, int n) {
    __shared__ Padded parts[64];
    __shared__ Three threes[64];
    const int t = threadIdx.x;
    parts[t].c = t;
    parts[t].i = in[t];
    threes[t].x = t, threes[t].y = t + 1, threes[t].z = in[t];
    __syncthreads();
    Padded local[2];
    local[t & 1] = parts[63 - t];
    local[~t & 1] = parts[t];
    const Three three = threes[63 - t];
    out[t] = local[0].i + local[1].i + local[0].c + static_cast<int>(three.x + three.z);
}

__device__ int depth(int n) { return n < 2 ? n : depth(n - 1) + depth(n - 2); }
extern "C" __global__ void recursive(const int* in, int* out, int n) { out[threadIdx.x] = depth(threadIdx.x % 8); }

extern "C" __global__ void on_the_heap(const int* in, int* out, int n) {
    int* own = static_cast<int*>(malloc(16));
    for (int i = 0; i < 4; ++i) own[i] = threadIdx.x * i;
    int sum = 0;
    for (int i = 0; i < 4; ++i) sum += own[i];
    free(own);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
)";

class HonestTest : public QObject {
    Q_OBJECT

    std::string ptx_;

    /// Runs a kernel (in, out, n) plainly and looked at, by itself and in other orders; each time its result is right.
    template<class In, class Out>
    void holds(const char* name, device::Dim3 grid, device::Dim3 block, const std::vector<In>& in, std::size_t count,
               int n, const std::function<bool(const std::vector<Out>&)>& right, bool cooperative = false,
               bool zeroed = false) {
        for (int turn = 0; turn < 4; ++turn) {
            SimOptions options;
            options.checks = device::all_checks();
            if (turn > 1) options.checks.schedule = static_cast<std::uint64_t>(turn) * 977;
            options.threads = turn == 1 ? 1 : 2;
            Bench bench(ptx_, "v4", options);
            QVERIFY2(bench.module, bench.error.c_str());
            const auto x = bench.upload(in, "in");
            const auto y = bench.device->allocate(count * sizeof(Out), "out").value();
            if (zeroed)
                bench.device->fill(y, count * sizeof(Out), std::byte{0}).value();
            else
                bench.device->poison(y, count * sizeof(Out), std::byte{0xff}).value();
            const auto ran = bench.launch(name, grid, block, Parameters().add(x).add(y).add(n), 0, cooperative);
            QVERIFY2(ran, ran ? "" : ran.error().message.c_str());
            const auto& fault = ran->fault;
            QVERIFY2(!fault, fault ? (std::string(name) + ", turn " + std::to_string(turn) + ", line "
                                      + std::to_string(fault->where.line) + ": " + fault->message + "; "
                                      + other_party_text(*fault) + " at line "
                                      + std::to_string(fault->other ? fault->other->where.line : 0))
                                         .c_str()
                                   : "");
            QVERIFY2(right(bench.download<Out>(y, count)), name);
        }
    }
    static std::vector<float> floats(std::size_t count) {
        std::vector<float> out(count);
        for (std::size_t index = 0; index < count; ++index) out[index] = static_cast<float>(index * 37 % 101) - 50;
        return out;
    }
    static std::vector<int> integers(std::size_t count) {
        std::vector<int> out(count);
        for (std::size_t index = 0; index < count; ++index) out[index] = static_cast<int>(index * 37 % 101);
        return out;
    }
    template<class T> static T sum(const std::vector<T>& values) {
        T out{};
        for (const T value : values) out += value;
        return out;
    }

private slots:
    void initTestCase() {
        auto compiler = compile::open_compiler();
        if (!compiler) QSKIP(compiler.error().message.c_str());
        compile::Request request;
        request.files["k.cu"] = kSource;
        request.main = "k.cu";
        request.kernels = {"warp_sum",  "block_sum",  "last_block", "look_back",  "histogram", "bytes",
                           "locked",    "whole_grid", "tiles",      "staged",     "counted",   "handed_over",
                           "fragments", "structures", "recursive",  "on_the_heap"};
        request.arch = "sm_90";
        request.cubin = false;
        const auto out = (*compiler)->compile(request, {});
        if (!out) qFatal("%s", describe(out.error()).c_str());
        if (!out->ok) qFatal("%s", out->log.c_str());
        ptx_ = out->ptx;
    }
    void reductions() {
        const auto in = floats(1000);
        const auto right = [&](const std::vector<float>& out) { return out[0] == sum(in); }; // small integers
        holds<float, float>("warp_sum", {1}, {256}, in, 1, 1000, right);
        holds<float, float>("block_sum", {1}, {256}, in, 1, 1000, right);
        holds<float, float>("last_block", {16}, {128}, in, 1, 1000, right);
    }
    void scans() {
        const auto in = integers(64 * 20);
        holds<int, int>("look_back", {20}, {64}, in, in.size(), static_cast<int>(in.size()), [&](const auto& out) {
            int sum = 0;
            for (std::size_t index = 0; index < in.size(); ++index)
                if (out[index] != (sum += in[index])) return false;
            return true;
        });
    }
    void atomics_and_locks() {
        const auto in = integers(3000);
        holds<int, int>(
            "histogram", {4}, {128}, in, 64, 3000, [](const auto& out) { return sum(out) == 3000; }, false, true);
        holds<int, int>(
            "locked", {16}, {64}, in, 1, 0,
            [&](const auto& out) { return out[0] == 2 * sum(std::vector<int>(in.begin(), in.begin() + 16)); }, false,
            true);
    }
    void narrow_elements() {
        std::vector<std::uint8_t> in(512);
        for (std::size_t index = 0; index < 512; ++index) in[index] = static_cast<std::uint8_t>(index * 7);
        holds<std::uint8_t, std::uint8_t>("bytes", {2}, {256}, in, 512, 512,
                                          [&](const auto& out) { return out[3] == in[252] && out[511] == in[256]; });
        const auto values = integers(64);
        holds<int, int>("structures", {1}, {64}, values, 64, 64, [&](const auto& out) {
            for (int t = 0; t < 64; ++t) {
                const auto at = static_cast<std::size_t>(t), back = 63 - at;
                // the element at 0 has come from the other end for even threads
                const int c = t % 2 == 0 ? 63 - t : t;
                if (out[at] != values[at] + 2 * values[back] + c + (63 - t)) return false;
            }
            return true;
        });
    }
    void groups() {
        const auto in = floats(512);
        holds<float, float>(
            "whole_grid", {4}, {64}, in, 1024, 512,
            [&](const auto& out) {
                for (std::size_t index = 0; index < 512; ++index)
                    if (out[index] != in[511 - (index + 64) % 512] + 1) return false;
                return true;
            },
            true);
        const auto values = integers(256);
        holds<int, int>("tiles", {2}, {128}, values, 256, 256, [&](const auto& out) {
            for (std::size_t index = 0; index < 256; ++index) {
                int all = 0, odd = 0;
                for (std::size_t at = index / 16 * 16; at < index / 16 * 16 + 16; ++at)
                    all += values[at], odd += values[at] & 1;
                if (out[index] != all * 100 + odd) return false;
            }
            return true;
        });
    }
    void asynchronous_copies() {
        const auto in = floats(512);
        holds<float, float>("staged", {1}, {128}, in, 128, 512, [&](const auto& out) {
            for (std::size_t t = 0; t < 128; ++t) {
                float all = 0;
                for (std::size_t step = 0; step < 4; ++step) all += in[step * 128 + 127 - t];
                if (out[t] != all) return false;
            }
            return true;
        });
        holds<float, float>("counted", {1}, {128}, in, 512, 512,
                            [&](const auto& out) { return out[0] == in[127] && out[511] == in[384]; });
        const auto values = integers(256);
        holds<int, int>("handed_over", {1}, {128}, values, 256, 256,
                        [&](const auto& out) { return out[0] == values[63] && out[255] == values[192]; });
    }
    void matrix_fragments() {
        std::vector<_Float16> a(256), b(256);
        for (std::size_t index = 0; index < 256; ++index) {
            a[index] = static_cast<_Float16>(static_cast<int>(index * 7 % 11) - 5);
            b[index] = static_cast<_Float16>(static_cast<int>(index * 5 % 13) - 6);
        }
        for (const std::optional<std::uint64_t> seed : {std::optional<std::uint64_t>{}, {4}}) {
            SimOptions options;
            options.checks = device::all_checks();
            options.checks.schedule = seed;
            Bench bench(ptx_, "v4", options);
            const auto pa = bench.upload(a, "a"), pb = bench.upload(b, "b"),
                       pc = bench.device->allocate(1024, "c").value();
            const auto ran = bench.launch("fragments", {1}, {32}, Parameters().add(pa).add(pb).add(pc));
            QVERIFY2(ran && !ran->fault, ran && ran->fault ? ran->fault->message.c_str() : "");
            float first = 0;
            for (std::size_t at = 0; at < 16; ++at) first += static_cast<float>(a[at]) * static_cast<float>(b[at]);
            QCOMPARE(bench.download<float>(pc, 256)[0], 2 * first);
        }
    }
    void stacks_and_heaps() {
        const auto in = integers(128);
        holds<int, int>("recursive", {1}, {32}, in, 32, 32,
                        [](const auto& out) { return out[7] == 13 && out[9] == 1; });
        holds<int, int>("on_the_heap", {4}, {32}, in, 128, 0,
                        [](const auto& out) { return out[5] == 30 && out[127] == 186; });
    }
};

} // namespace

QTEST_APPLESS_MAIN(HonestTest)
#include "test_honest.moc"
