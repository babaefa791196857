#include <cuda_fp16.h>
//@ launch k<<<ceil_div(n, 256), 256>>>(x, y, n)
__global__ void k(const __half* x, __half* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma(__float2half(3.0f), x[i], __float2half(1.0f));
}
