/// Time from an edited kernel to its diagnostics in a warm compiler, against nvcc on the same file. Prints one table.
/// Usage: compile_bench [rounds]

#include "engine/base/file.h"
#include "engine/base/process.h"
#include "engine/compile/compiler.h"
#include "engine/compile/scratch_folder.h"
#include "engine/compile/toolkit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

using namespace kw;
using namespace kw::compile;

namespace {

constexpr std::string_view kMatmul = R"(#define TILE 32

template<int T>
__global__ void __launch_bounds__(T * T) matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    __shared__ float as[T][T];
    __shared__ float bs[T][T + 1];
    const int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = EDIT;
    for (int k0 = 0; k0 < n; k0 += T) {
        as[threadIdx.y][threadIdx.x] = row < n && k0 + threadIdx.x < n ? a[row * n + k0 + threadIdx.x] : 0.0f;
        bs[threadIdx.y][threadIdx.x] = col < n && k0 + threadIdx.y < n ? b[(k0 + threadIdx.y) * n + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < T; ++k) sum = fmaf(as[threadIdx.y][k], bs[k][threadIdx.x], sum);
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}

template __global__ void matmul<TILE>(const float*, const float*, float*, int);
)";

constexpr std::string_view kHeaders = "#include <cuda_fp16.h>\n#include <mma.h>\n";
constexpr std::string_view kGroups = "#include <cooperative_groups.h>\n";

/// A text that no round before had.
std::string edited(std::string_view headers, int round) {
    std::string text = std::string(headers) + std::string(kMatmul);
    const std::size_t at = text.find("EDIT");
    return text.replace(at, 4, fmt::format("{}.0f", round));
}

struct Times {
    double median = 0, p95 = 0;
};

/// Milliseconds of each round; the first two warm up. Negative when a round fails.
Times measure(int rounds, const std::function<bool(int)>& round) {
    std::vector<double> times;
    for (int i = -2; i < rounds; ++i) {
        const auto start = std::chrono::steady_clock::now();
        if (!round(i + 100)) return {-1, -1};
        const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        if (i >= 0) times.push_back(ms);
    }
    std::ranges::sort(times);
    return {times[times.size() / 2], times[times.size() * 95 / 100]};
}

void print(std::string_view source, std::string_view what, const Times& times) {
    if (times.median < 0)
        fmt::print("{:<28} {:<24} {:>10} {:>10}\n", source, what, "failed", "");
    else
        fmt::print("{:<28} {:<24} {:>10.1f} {:>10.1f}\n", source, what, times.median, times.p95);
}

} // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 20;
    auto compiler = open_compiler();
    if (!compiler) {
        fmt::print(stderr, "{}\n", describe(compiler.error()));
        return exit_code(compiler.error());
    }
    fmt::print("NVRTC {}, edited matmul kernel, {} rounds\n", (*compiler)->version(), rounds);
    fmt::print("{:<28} {:<24} {:>10} {:>10}\n", "source", "to", "median ms", "p95 ms");
    const std::pair<std::string_view, std::string_view> sources[] = {
        {"matmul", ""}, {"matmul, cuda_fp16.h, mma.h", kHeaders}, {"matmul, cooperative_groups.h", kGroups}};
    for (const auto& [name, headers] : sources) {
        const auto compile = [&](bool syntax_only, bool cubin) {
            return measure(rounds, [&](int round) {
                Request request;
                request.main = "matmul.cu";
                request.files[request.main] = edited(headers, round);
                request.syntax_only = syntax_only;
                request.cubin = cubin;
                const auto out = (*compiler)->compile(request, {});
                return out && out->ok;
            });
        };
        print(name, "diagnostics, syntax only", compile(true, false));
        print(name, "diagnostics and PTX", compile(false, false));
        print(name, "diagnostics and cubin", compile(false, true));
    }

    const std::string nvcc = find_tool("nvcc", {}).path.string();
    if (nvcc.empty()) return 0;
    const ScratchFolder folder;
    const std::string file = (folder.path() / "matmul.cu").string(), cubin = (folder.path() / "matmul.cubin").string();
    print("matmul", "nvcc -cubin", measure(std::min(rounds, 5), [&](int round) {
              if (!write_file(file, edited({}, round))) return false;
              const auto ran = run({nvcc, "-cubin", "-arch=sm_90", "-lineinfo", "-o", cubin, file});
              return ran && ran->status.success();
          }));
}
