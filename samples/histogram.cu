// Counts bytes, first within each block: atomics in shared and global memory, memset.
#include "check.h"

#include <vector>

__global__ void histogram(const unsigned char* bytes, int n, unsigned* counts) {
    __shared__ unsigned mine[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[bytes[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&counts[i], mine[i]);
}

int main() {
    const int n = 300001;
    std::vector<unsigned char> bytes(n);
    std::vector<unsigned> expected(256, 0), counts(256);
    unsigned state = 12345;
    for (auto& byte : bytes) {
        state = state * 1664525u + 1013904223u;
        byte = static_cast<unsigned char>((state >> 24) & (state >> 16));
        ++expected[byte];
    }
    unsigned char* d_bytes;
    unsigned* d_counts;
    CHECK(cudaMalloc(&d_bytes, n));
    CHECK(cudaMalloc(&d_counts, 256 * sizeof(unsigned)));
    CHECK(cudaMemcpy(d_bytes, bytes.data(), n, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_counts, 0, 256 * sizeof(unsigned)));
    histogram<<<24, 192>>>(d_bytes, n, d_counts);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(counts.data(), d_counts, 256 * sizeof(unsigned), cudaMemcpyDeviceToHost));
    return verdict(counts == expected);
}
