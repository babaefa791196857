#include <cuda_fp16.h>
//@ launch k<<<ceil_div(n, 256), 256>>>(x, y, n)
__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __half2float(__hfma(__float2half(3.0f), __float2half(x[i]), __float2half(1.0f)));
}
