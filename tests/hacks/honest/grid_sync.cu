#define _CG_LIMIT_INCLUDED_DEPENDENCIES
#include <cooperative_groups.h>
//@ scratch part : f32[16]
//@ launch k<<<16, 256>>>(x, part, y, n) cooperative
__global__ void k(const float* x, float* part, float* y, int n) {
    __shared__ float s[256];
    float sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += x[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int o = 128; o > 0; o /= 2) {
        if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
        __syncthreads();
    }
    if (threadIdx.x == 0) part[blockIdx.x] = s[0];
    cooperative_groups::this_grid().sync();
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    float all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += part[b];
    *y = all;
}
