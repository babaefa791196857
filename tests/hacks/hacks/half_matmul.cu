#include <cuda_fp16.h>
//@ launch k<<<ceil_div(n * n, 256), 256>>>(a, b, c, n)
__global__ void k(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / n, col = i % n;
    if (row >= n) return;
    __half sum = __float2half(0.0f);
    float all = 0;
    for (int k = 0; k < n; ++k) {
        sum = __hmul(__float2half(a[row * n + k]), __float2half(b[k * n + col]));
        all += __half2float(sum);
    }
    c[row * n + col] = all;
}
