// Sums a million numbers in rounds, each a launch: dynamic shared memory, shuffles within a warp.
#include "check.h"

#include <utility>
#include <vector>

__global__ void sum_blocks(const int* values, int* sums, int n) {
    extern __shared__ int of_warps[];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x * 2 + threadIdx.x, end = min(n, static_cast<int>((blockIdx.x + 1) * blockDim.x * 2)); i < end; i += blockDim.x)
        sum += values[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0) of_warps[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < blockDim.x / 32 ? of_warps[lane] : 0;
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
        if (lane == 0) sums[blockIdx.x] = sum;
    }
}

int main() {
    const int n = 1 << 20, threads = 256;
    std::vector<int> values(n);
    long long expected = 0;
    for (int i = 0; i < n; ++i) {
        values[i] = i % 17 - 5;
        expected += values[i];
    }
    int *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    CHECK(cudaMemcpy(d_in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    int left = n, rounds = 0;
    while (left > 1) {
        const int blocks = (left + threads * 2 - 1) / (threads * 2);
        sum_blocks<<<blocks, threads, threads / 32 * sizeof(int)>>>(d_in, d_out, left);
        CHECK(cudaGetLastError());
        std::swap(d_in, d_out);
        left = blocks;
        ++rounds;
    }
    int sum = 0;
    CHECK(cudaMemcpy(&sum, d_in, sizeof sum, cudaMemcpyDeviceToHost));
    std::printf("%d rounds: %d\n", rounds, sum);
    return verdict(sum == expected && rounds == 3);
}
