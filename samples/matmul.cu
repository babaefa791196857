// Multiplies two matrices by tiles in shared memory, for sizes that are no multiple of the tile; times it with events.
#include "check.h"

#include <cmath>
#include <vector>

constexpr int kTile = 16;

__global__ void multiply(const float* a, const float* b, float* c, int rows, int inner, int columns) {
    __shared__ float left[kTile][kTile];
    __shared__ float right[kTile][kTile];
    const int row = blockIdx.y * kTile + threadIdx.y;
    const int column = blockIdx.x * kTile + threadIdx.x;
    float sum = 0;
    for (int begin = 0; begin < inner; begin += kTile) {
        const int at_column = begin + threadIdx.x, at_row = begin + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < rows && at_column < inner ? a[row * inner + at_column] : 0;
        right[threadIdx.y][threadIdx.x] = at_row < inner && column < columns ? b[at_row * columns + column] : 0;
        __syncthreads();
        for (int k = 0; k < kTile; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}

int main() {
    const int rows = 150, inner = 200, columns = 130;
    std::vector<float> a(rows * inner), b(inner * columns), c(rows * columns);
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
    for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
    float *d_a, *d_b, *d_c;
    CHECK(cudaMalloc(&d_a, a.size() * sizeof(float)));
    CHECK(cudaMalloc(&d_b, b.size() * sizeof(float)));
    CHECK(cudaMalloc(&d_c, c.size() * sizeof(float)));
    CHECK(cudaMemcpy(d_a, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    const dim3 block(kTile, kTile), grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
    CHECK(cudaEventRecord(begin));
    multiply<<<grid, block>>>(d_a, d_b, d_c, rows, inner, columns);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(cudaMemcpy(c.data(), d_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool right = milliseconds > 0;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            float sum = 0;
            for (int k = 0; k < inner; ++k) sum += a[i * inner + k] * b[k * columns + j];
            right = right && sum == c[i * columns + j]; // small integers: exact in any order
        }
    std::printf("%d x %d x %d in %.4f ms\n", rows, inner, columns, milliseconds);
    return verdict(right);
}
