// Inclusive prefix sums of any length: blocks scan, their totals are scanned by the same code, and are added.
#include "check.h"

#include <vector>

constexpr int kThreads = 256;

__global__ void scan_blocks(const unsigned* from, unsigned* to, unsigned* totals, int n) {
    __shared__ unsigned values[kThreads];
    const int i = blockIdx.x * kThreads + threadIdx.x;
    values[threadIdx.x] = i < n ? from[i] : 0;
    __syncthreads();
    for (int reach = 1; reach < kThreads; reach *= 2) {
        const unsigned before = threadIdx.x >= reach ? values[threadIdx.x - reach] : 0;
        __syncthreads();
        values[threadIdx.x] += before;
        __syncthreads();
    }
    if (i < n) to[i] = values[threadIdx.x];
    if (threadIdx.x == kThreads - 1) totals[blockIdx.x] = values[threadIdx.x];
}

__global__ void add_before(unsigned* values, const unsigned* totals, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n && blockIdx.x > 0) values[i] += totals[blockIdx.x - 1];
}

void scan(const unsigned* from, unsigned* to, int n) {
    const int blocks = (n + kThreads - 1) / kThreads;
    unsigned* totals;
    CHECK(cudaMalloc(&totals, blocks * sizeof(unsigned)));
    scan_blocks<<<blocks, kThreads>>>(from, to, totals, n);
    CHECK(cudaGetLastError());
    if (blocks > 1) {
        scan(totals, totals, blocks);
        add_before<<<blocks, kThreads>>>(to, totals, n);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaFree(totals));
}

int main() {
    const int n = 200003;
    std::vector<unsigned> values(n), sums(n);
    for (int i = 0; i < n; ++i) values[i] = i * 7919u % 13u;
    unsigned *d_from, *d_to;
    CHECK(cudaMalloc(&d_from, n * sizeof(unsigned)));
    CHECK(cudaMalloc(&d_to, n * sizeof(unsigned)));
    CHECK(cudaMemcpy(d_from, values.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    scan(d_from, d_to, n);
    CHECK(cudaMemcpy(sums.data(), d_to, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    bool right = true;
    unsigned sum = 0;
    for (int i = 0; i < n; ++i) right = right && sums[i] == (sum += values[i]);
    return verdict(right);
}
