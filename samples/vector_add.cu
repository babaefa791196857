// Adds two vectors: memory, copies, one launch.
#include "check.h"

#include <cmath>
#include <vector>

__global__ void add(const float* a, const float* b, float* sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 100000;
    std::vector<float> a(n), b(n), sum(n);
    for (int i = 0; i < n; ++i) {
        a[i] = 0.5f * i;
        b[i] = 1.0f - i;
    }
    float *d_a = nullptr, *d_b = nullptr, *d_sum = nullptr;
    const size_t bytes = n * sizeof(float);
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMalloc(&d_sum, bytes));
    CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));
    add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_sum, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sum.data(), d_sum, bytes, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < n; ++i) right = right && sum[i] == a[i] + b[i];
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_sum));
    std::printf("%d elements\n", n);
    return verdict(right);
}
