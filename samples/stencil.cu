// A weighted stencil, its weights in constant memory and its steps counted in a variable of the device: symbols.
#include "check.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

constexpr int kRadius = 3;
__constant__ float weights[2 * kRadius + 1];
__device__ int steps_done;

__global__ void step(const float* from, float* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0;
        for (int k = -kRadius; k <= kRadius; ++k) sum += weights[k + kRadius] * from[min(max(i + k, 0), n - 1)];
        to[i] = sum;
    }
    if (i == 0) ++steps_done;
}

int main() {
    const int n = 5000, steps = 4;
    float w[2 * kRadius + 1];
    for (int k = 0; k <= 2 * kRadius; ++k) w[k] = 1.0f / (1 << (1 + std::abs(k - kRadius)));
    std::vector<float> values(n), result(n);
    for (int i = 0; i < n; ++i) values[i] = static_cast<float>((i * 37) % 101);
    size_t bytes = 0;
    CHECK(cudaGetSymbolSize(&bytes, weights));
    CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
    float *d_a, *d_b;
    CHECK(cudaMalloc(&d_a, n * sizeof(float)));
    CHECK(cudaMalloc(&d_b, n * sizeof(float)));
    CHECK(cudaMemcpy(d_a, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    for (int s = 0; s < steps; ++s) {
        step<<<(n + 127) / 128, 128>>>(d_a, d_b, n);
        std::swap(d_a, d_b);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result.data(), d_a, n * sizeof(float), cudaMemcpyDeviceToHost));
    int done = 0;
    CHECK(cudaMemcpyFromSymbol(&done, steps_done, sizeof done));
    std::vector<float> other(n);
    for (int s = 0; s < steps; ++s) {
        for (int i = 0; i < n; ++i) {
            float sum = 0;
            for (int k = -kRadius; k <= kRadius; ++k)
                sum = std::fma(w[k + kRadius], values[std::min(std::max(i + k, 0), n - 1)], sum);
            other[i] = sum;
        }
        std::swap(values, other);
    }
    bool right = bytes == sizeof w && done == steps;
    for (int i = 0; i < n; ++i) right = right && std::fabs(values[i] - result[i]) <= 1e-4f * std::fabs(values[i]) + 1e-4f;
    return verdict(right);
}
