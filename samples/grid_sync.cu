// A whole grid works in steps of one launch: cooperative groups, as many blocks as fit.
#include "check.h"

#include <cooperative_groups.h>

#include <algorithm>
#include <vector>

namespace cg = cooperative_groups;

__global__ void sum_in_place(int* values, int n) {
    const cg::grid_group grid = cg::this_grid();
    for (int width = n / 2; width > 0; width /= 2) {
        for (int i = static_cast<int>(grid.thread_rank()); i < width; i += static_cast<int>(grid.size())) values[i] += values[i + width];
        grid.sync();
    }
}

int main() {
    int n = 1 << 16, threads = 128, per_sm = 0;
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    if (!properties.cooperativeLaunch) {
        std::printf("this device has no cooperative launches\n");
        return verdict(true);
    }
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, sum_in_place, threads, 0));
    const int blocks = std::min(per_sm * properties.multiProcessorCount, 32);
    std::vector<int> values(n);
    int expected = 0, sum = 0;
    for (int i = 0; i < n; ++i) expected += values[i] = i % 23 - 7;
    int* d_values;
    CHECK(cudaMalloc(&d_values, n * sizeof(int)));
    CHECK(cudaMemcpy(d_values, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    void* arguments[] = {&d_values, &n};
    CHECK(cudaLaunchCooperativeKernel(sum_in_place, dim3(blocks), dim3(threads), arguments));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&sum, d_values, sizeof sum, cudaMemcpyDeviceToHost));
    return verdict(sum == expected);
}
